/** Data: choose or drop a file; see its first rows and what was understood of them. */

import { byId, count, counted, field, fill, h, select, size } from "../dom.js";
import { call, upload } from "../call.js";
import { app, at, attempt, edit, remove, run, set, study, take } from "../state.js";
import { next } from "../studio.js";

/** @type {any} */
let files = { folder: "", entries: [] };
/** @type {{ text: string, preview: any } | null} */
let seen = null;
/** Rows that are shown. */
const FIRST = 50;
let choosing = false;
/** What the columns hold, once they were looked at. @type {{ key: string, columns: any[] } | null} */
let understoodFor = null;

/** What the folder holds. @param {any} list */
export const listed = (list) => { files = list; };

/** @param {HTMLElement} root */
export async function draw(root) {
  if (!app.state.policy || choosing) return choose(root);
  return show(root);
}

/** The file that was drafted from, and what it may be read as instead. @type {{ policy: string, path: string } | null} */
let drafted = null;

/** @param {string} path @param {string} [read] what the file is read as, where that is not for the library to find out */
async function open(path, kind = "data", read) {
  const done = kind === "policy"
    ? await attempt(() => call("open", { path }))
    : await run(byId("choosing") ?? byId("studying"), "draft", { path, kind: read }, { title: "Looking at the file" });
  if (!done) return;
  choosing = false;
  seen = null;
  drafted = kind === "data" ? { policy: done.policy.path, path } : null;
  take(done);
  if (kind === "policy" && done.policy?.kind === "table") look();
}

/** Looks at the columns, so that the next screen is ready when it is wanted. */
async function look() {
  if (app.state.studied || app.state.policy?.kind !== "table") return;
  const done = await study(byId("studying") ?? h("div", null));
  if (done) take(done);
}

/** @param {HTMLElement} root */
function choose(root) {
  const taken = async (/** @type {FileList | null | undefined} */ list) => {
    const file = list?.[0];
    if (!file) return;
    const path = await attempt(() => upload(file));
    if (path) open(path);
  };
  const picker = h("input", { type: "file", id: "picker", class: "hidden-input", tabIndex: -1, "aria-label": "Choose a file to copy into the folder", onchange: () => taken(picker.files) });
  const drop = h("div", {
    class: "drop",
    ondragover: (/** @type {DragEvent} */ event) => { event.preventDefault(); drop.classList.add("over"); },
    ondragleave: () => drop.classList.remove("over"),
    ondrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); drop.classList.remove("over"); taken(event.dataTransfer?.files); },
  }, h("p", null, "Drop a file here, or ", h("button", { type: "button", class: "link", onclick: () => picker.click() }, "choose one"), picker),
    h("p", { class: "hint" }, "It is copied into the folder, and leaves this machine at no time."));
  const examples = app.catalogue.examples.map((/** @type {any} */ one) =>
    h("li", null, h("button", { type: "button", id: `example-${one.name}`, onclick: async () => {
      const state = await attempt(() => call("example", { name: one.name }));
      if (!state) return;
      choosing = false;
      seen = null;
      take(state);
      listed(await call("files", { folder: files.folder }));
    } }, h("strong", null, one.name), h("span", null, one.summary))));
  fill(root,
    h("h1", null, app.state.policy ? "Open something else" : "What would you like to publish?"),
    h("p", { class: "lead" }, "Open data about people, or a policy that you wrote before. Nothing is published until you say so on the last screen."),
    h("div", { id: "choosing" }),
    h("div", { class: "two" },
      h("section", { "aria-labelledby": "in-folder" }, h("h2", { id: "in-folder" }, "In this folder"), list(), drop),
      h("section", { "aria-labelledby": "examples-title" }, h("h2", { id: "examples-title" }, "Or try an example"),
        h("p", { class: "hint" }, "Made-up people; each is complete and runs as it is."), h("ul", { class: "cards examples" }, examples))),
    app.state.policy && h("p", null, h("button", { type: "button", class: "quiet", onclick: () => { choosing = false; draw(root); } }, "Back")));
}

function list() {
  const enter = async (/** @type {string} */ folder) => {
    const found = await attempt(() => call("files", { folder }));
    if (!found) return;
    listed(found);
    draw(byId("screen"));
  };
  const above = files.folder.includes("/") ? files.folder.replace(/\/[^/]*$/, "") : "";
  const names = { folder: "folder", data: "data", policy: "policy", release: "release" };
  const rows = files.entries.map((/** @type {any} */ one) => h("li", null,
    one.kind === "release"
      ? h("p", { class: "entry" }, h("span", null, one.name), h("small", null, "a release"))
      : h("button", { type: "button", class: `entry ${one.kind}`, onclick: () => (one.kind === "folder" ? enter(one.path) : open(one.path, one.kind)) },
        h("span", null, one.name), h("small", null, one.kind === "data" ? size(one.bytes) : /** @type {any} */ (names)[one.kind]))));
  return h("div", { class: "files" },
    h("p", { class: "path" }, app.folder, files.folder && ` / ${files.folder}`, files.folder && h("button", { type: "button", class: "link", onclick: () => enter(above) }, "up")),
    rows.length ? h("ul", null, rows) : h("p", { class: "hint" }, "No data and no policy here yet."));
}

/** @param {HTMLElement} root */
async function show(root) {
  const { policy, understood, error } = app.state;
  const kinds = { table: "A table, a row per person", transactions: "Sets of items, one per person (transactions)", "query-log": "A query log", vocabularies: "Bags of words, one per person" };
  const table = h("div", { class: "preview", role: "region", "aria-label": "The first rows", tabIndex: 0 });
  fill(root,
    h("h1", null, "The data"),
    h("p", { class: "lead" }, /** @type {any} */ (kinds)[policy.kind ?? "table"] ?? "The policy does not say what the data are", understood ? ` · ${understood.data.split("/").pop()}` : ""),
    error && h("p", { class: "warned" }, "The policy on the right needs attention before anything can be published."),
    drafted?.policy === policy.path && ["table", "transactions"].includes(policy.kind) && h("p", { class: "hint" }, "Not so? ",
      h("button", { type: "button", class: "link", id: "read-as", onclick: () => open(drafted?.path ?? "", "data", policy.kind === "table" ? "transactions" : "table") }, policy.kind === "table" ? "Read it as sets of items" : "Read it as a table")),
    h("div", { id: "studying" }),
    table,
    h("div", { id: "reading" }),
    h("p", { class: "next" },
      h("button", { type: "button", class: "quiet", id: "open-other", onclick: async () => { choosing = true; listed(await call("files", { folder: files.folder })); draw(root); } }, "Open something else"),
      next(policy.kind === "table" ? "roles" : "promise", policy.kind === "table" ? "Roles of the columns" : "What to promise")));
  const key = JSON.stringify([policy.path, policy.json?.data, policy.json?.columns]);
  if (seen?.text !== key) {
    const preview = await attempt(() => call("preview"));
    if (!preview) return;
    seen = { text: key, preview };
  }
  fill(table, ...rowsOf(seen.preview, []));
  if (policy.kind === "table" && app.state.studied) {
    if (understoodFor?.key !== key) {
      const found = await attempt(() => call("roles"));
      if (found) understoodFor = { key, columns: found.columns };
    }
    if (understoodFor?.key === key && table.isConnected) fill(table, ...rowsOf(seen.preview, understoodFor.columns));
  }
  if (policy.kind === "table") {
    fill(byId("reading"), fixes(seen.preview));
    look();
  }
}

/** What was understood of a column. @param {any} one */
const kindOf = (one) => one && h("small", null, one.categories ? "categories" : one.kind, one.missing ? h("span", { class: "warn" }, ` · ${count(one.missing)} missing`) : "", one.understood?.length ? h("span", null, ` · ${one.understood.join(", ")}`) : "");

/** @param {any} preview @param {any[]} columns */
function rowsOf(preview, columns) {
  if (preview.lines) return [h("pre", { class: "raw" }, preview.lines.join("\n"))];
  const missing = at("data", "missing") ?? [""];
  const cell = (/** @type {string} */ text) => h("td", { class: missing.includes(text) ? "missing" : undefined }, missing.includes(text) ? text || "missing" : text);
  return [
    ...(preview.notes ?? []).map((/** @type {string} */ note) => h("p", { class: "hint" }, note)),
    h("table", { class: "rows" },
      h("caption", null, `The first ${counted(Math.min(preview.rows.length, FIRST), "row", "rows")}, as they are read`),
      preview.columns && h("thead", null, h("tr", null, preview.columns.map((/** @type {string} */ name) => h("th", { scope: "col" }, name, kindOf(columns.find((one) => one.name === name)))))),
      h("tbody", null, preview.rows.slice(0, FIRST).map((/** @type {string[]} */ row) => h("tr", null, row.map(cell))))),
  ];
}

/** How cells are read, to be put right. @param {any} preview */
function fixes(preview) {
  const column = h("div", { class: "row fields" });
  const name = select(preview.columns, preview.columns[0], { onchange: () => drawn() });
  const drawn = () => {
    const section = at("columns", name.value) ?? {};
    const save = (/** @type {string} */ key) => (/** @type {any} */ event) => {
      const to = event.target.value.trim();
      const place = ["columns", name.value, key];
      const edits = section.role ? [] : [set(["columns", name.value, "role"], "other")];
      edit(`how ${name.value} is read`, to ? [...edits, set(place, to)] : [remove(place)]);
    };
    fill(column,
      field("read-date", "Dates are written as", h("input", { value: section.date ?? "", placeholder: "%d/%m/%Y", size: 12, onchange: save("date") }), "%d day, %m month, %Y year"),
      field("read-decimal", "Decimal sign", select([["", "as found"], [",", "comma"], [".", "point"]], section.decimal ?? "", { onchange: save("decimal") })),
      field("read-unit", "Unit after numbers", h("input", { value: section.unit ?? "", placeholder: "kg", size: 6, onchange: save("unit") })));
  };
  drawn();
  const missing = h("input", { value: (at("data", "missing") ?? []).join(", "), placeholder: "?, NA, -9", size: 20, onchange: () => {
    const list = missing.value.split(",").map((/** @type {string} */ word) => word.trim());
    edit("spellings of missing values", missing.value.trim() ? [set(["data", "missing"], list)] : [remove(["data", "missing"])]);
  } });
  return h("details", { class: "more" }, h("summary", null, "Dates, numbers or missing values were read wrongly?"),
    h("div", { class: "row fields" }, field("missing", "Spellings of a missing value", missing, "between commas"), field("read-column", "Column", name)), column);
}

