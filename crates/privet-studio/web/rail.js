/** The policy: its text, what is wrong with it, and the one command that makes the same release. */

import { byId, fill, h } from "./dom.js";
import { app, change, say, watch } from "./state.js";

/** @type {any} */
let editor;
/** @type {any} */
let lines;
/** @type {any} */
let notice;
/** @type {any} */
let command;
/** The text of the line that stays on narrow screens. @type {any} */
let brief;
/** @type {any} */
let file;
let waiting = 0;
let typed = false;

/** A word as a shell reads it. @param {string} word */
const quoted = (word) => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command that makes what the studio publishes. */
export const commandLine = () =>
  `privet anonymize ${quoted(app.state.policy?.path ?? "policy.toml")} -o ${quoted(app.state.staged?.path ?? app.state.published?.path ?? app.state.target ?? "release")}`;

/** Makes the rail, once. */
export function rail() {
  file = h("span", { class: "file" });
  brief = h("span", { class: "brief" });
  lines = h("pre", { class: "lines", "aria-hidden": "true" });
  editor = h("textarea", {
    id: "policy-text", spellcheck: false, autocomplete: "off", wrap: "off", "aria-label": "The policy, as TOML", "aria-describedby": "policy-notice",
    oninput: () => {
      typed = true;
      number();
      clearTimeout(waiting);
      waiting = window.setTimeout(send, 350);
    },
    onblur: () => typed && send(),
    onscroll: () => { lines.scrollTop = editor.scrollTop; },
    onkeydown: (/** @type {KeyboardEvent} */ event) => event.stopPropagation(),
  });
  notice = h("div", { id: "policy-notice", class: "notice", role: "status" });
  command = h("code", { id: "command" });
  const copy = h("button", { type: "button", class: "quiet", onclick: async () => {
    await navigator.clipboard?.writeText(commandLine()).catch(() => {});
    say("the command was copied");
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  } }, "Copy");
  const body = h("details", { open: !matchMedia("(max-width: 70rem)").matches },
    h("summary", null, h("h2", null, "The policy"), file, brief),
    h("p", { class: "hint" }, "Every choice on screen is written here, and what is written here is on screen."),
    h("div", { class: "editor" }, lines, editor),
    notice,
    h("div", { class: "command" }, h("h3", null, "The same from the command line, in this folder"), h("p", null, command, copy)),
  );
  fill(byId("rail"), body);
  watch(draw);
}

function send() {
  clearTimeout(waiting);
  if (!typed) return;
  typed = false;
  if (editor.value !== app.state.policy?.text) change("text", { text: editor.value });
}

function number() {
  const wrong = app.state.error?.line;
  const rows = editor.value.split("\n").length;
  fill(lines, ...Array.from({ length: rows }, (_, at) =>
    h("span", { class: at + 1 === wrong ? "wrong" : undefined }, `${at + 1}\n`)));
  lines.scrollTop = editor.scrollTop;
}

function draw() {
  const { policy, error } = app.state;
  byId("rail").hidden = !policy;
  if (!policy) return;
  file.textContent = policy.path;
  if (!typed && editor.value !== policy.text) {
    const { selectionStart, scrollTop } = editor;
    editor.value = policy.text;
    editor.setSelectionRange(selectionStart, selectionStart);
    editor.scrollTop = scrollTop;
  }
  number();
  editor.setAttribute("aria-invalid", error ? "true" : "false");
  notice.className = error ? "notice wrong" : "notice right";
  const to = (/** @type {number} */ line) => {
    const before = editor.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    editor.focus();
    editor.setSelectionRange(before, before + (editor.value.split("\n")[line - 1]?.length ?? 0));
    editor.scrollTop = (line - 4) * 19;
  };
  if (error) {
    fill(notice, h("p", null,
      error.line && h("button", { type: "button", class: "quiet", onclick: () => to(error.line) }, `Line ${error.line}`), " ",
      error.message), error.help && h("p", { class: "help" }, error.help));
  } else fill(notice, h("p", null, "✓ The policy makes sense for these data."));
  command.textContent = commandLine();
  fill(brief, error ? h("span", { class: "warn" }, `✕ ${error.line ? `Line ${error.line}: ` : ""}${error.message}`) : h("span", null, h("span", { class: "good" }, "✓ "), h("code", null, commandLine())));
}
