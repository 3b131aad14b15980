/** The studio: eight screens around one policy. */

import { byId, fill, h } from "./dom.js";
import { call } from "./call.js";
import { app, attempt, change, run, take, trouble, watch } from "./state.js";
import { rail } from "./rail.js";
import * as data from "./screens/data.js";
import * as roles from "./screens/roles.js";
import * as hierarchies from "./screens/hierarchies.js";
import * as promise from "./screens/promise.js";
import * as search from "./screens/search.js";
import * as result from "./screens/result.js";
import * as compare from "./screens/compare.js";
import * as publish from "./screens/publish.js";

/** @type {[string, string, { draw: (root: HTMLElement) => void | Promise<void> }][]} */
const SCREENS = [
  ["data", "Data", data],
  ["roles", "Roles", roles],
  ["hierarchies", "Hierarchies", hierarchies],
  ["promise", "Promise", promise],
  ["search", "Search", search],
  ["result", "Result", result],
  ["compare", "Compare", compare],
  ["publish", "Publish", publish],
];

/** Goes to a screen. @param {string} name */
export function go(name, remember = true) {
  app.screen = name;
  if (remember) history.pushState({ ...history.state, screen: name }, "", "/");
  trouble(null);
  draw();
  byId("screen").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

function steps() {
  const { policy, decided, staged, published, error } = app.state;
  const done = {
    data: !!policy, roles: !!policy && !error, hierarchies: !!policy && !error, promise: !!policy && !error,
    search: decided?.current, result: !!staged, compare: false, publish: !!published,
  };
  fill(byId("steps"), SCREENS.map(([name, title], at) =>
    h("li", null, h("button", {
      type: "button", id: `step-${name}`, disabled: !policy && name !== "data", "aria-current": app.screen === name ? "step" : null,
      class: /** @type {any} */ (done)[name] ? "done" : undefined, onclick: () => go(name),
    }, h("span", { class: "number", "aria-hidden": "true" }, at + 1), title))));
  byId("step-" + app.screen)?.scrollIntoView({ block: "nearest", inline: "center" });
}

/** Draws the screen again; what had the focus has it afterwards. */
function draw() {
  steps();
  const { policy, undo, redo } = app.state;
  byId("where").textContent = policy ? policy.path : app.folder;
  byId("undo").disabled = !undo;
  byId("redo").disabled = !redo;
  byId("undo").title = undo ? `Take back ${undo}` : "";
  byId("redo").title = redo ? `Make again: ${redo}` : "";
  document.body.classList.toggle("empty", !policy);
  const root = byId("screen");
  const held = /** @type {any} */ (document.activeElement);
  const id = root.contains(held) ? held.id : "";
  const screen = SCREENS.find(([name]) => name === app.screen) ?? SCREENS[0];
  document.title = `${screen[1]} · Privet studio`;
  Promise.resolve(screen[2].draw(root)).then(() => {
    if (id && document.activeElement === document.body) byId(id)?.focus({ preventScroll: true });
  }).catch(trouble);
}

/** A link to the next screen. @param {string} name @param {string} text */
export const next = (name, text) =>
  h("p", { class: "next" }, h("button", { type: "button", id: "next", class: "primary", onclick: () => go(name) }, text, " →"));

document.addEventListener("keydown", (event) => {
  const inText = /** @type {any} */ (event.target)?.matches?.("textarea, input");
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !inText) {
    event.preventDefault();
    change(event.shiftKey ? "redo" : "undo");
  }
  if (event.altKey && /^[1-8]$/.test(event.key) && (app.state.policy || event.key === "1")) {
    event.preventDefault();
    go(SCREENS[Number(event.key) - 1][0]);
  }
});
window.addEventListener("popstate", (event) => event.state?.screen && go(event.state.screen, false));
byId("undo").addEventListener("click", () => change("undo"));
byId("redo").addEventListener("click", () => change("redo"));
window.addEventListener("focus", async () => {
  // Somebody may have changed the file meanwhile.
  const state = await call("state").catch(() => null);
  if (state && state.version !== app.state.version) take(state);
});

rail();
watch(draw);
attempt(async () => {
  const { catalogue, files, folder, wanted, state } = await call("start");
  Object.assign(app, { catalogue, folder });
  data.listed(files);
  take(state);
  if (wanted) {
    const opened = await run(byId("screen"), "draft", { path: wanted }, { title: "Looking at the file" });
    if (opened) take(opened);
  }
  document.body.dataset.ready = "yes";
});
