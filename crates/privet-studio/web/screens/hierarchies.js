/** Hierarchies: how the values of a column become coarser, step by step. */

import { byId, count, counted, field, fill, h, select } from "../dom.js";
import { call, work } from "../call.js";
import { app, at, attempt, change, run, say, trouble } from "../state.js";
import { next } from "../studio.js";

let chosen = "";
/** @type {Record<string, any>} */
let trees = {};
/** @type {Record<string, any>} */
const latest = {};
/** @type {Set<string>} */
let marked = new Set();
/** @type {Set<string>} */
let folded = new Set();
let drawnFor = "";

/** @returns {string[]} */
const columns = () =>
  Object.entries(at("columns") ?? {}).filter(([, section]) => ["quasi-identifier", "mixed", "sensitive"].includes(/** @type {any} */ (section).role)).map(([name]) => name);

/** Sensitive values stay as they are; a tree over them only says which are alike. @param {string} column */
const isNeeded = (column) => at("columns", column, "role") !== "sensitive";

/** @param {string} column */
const keyOf = (column) => JSON.stringify([app.state.policy.path, app.state.version, column]);

/** @param {HTMLElement} root */
export async function draw(root) {
  const { policy } = app.state;
  const isTable = policy.kind === "table";
  const names = isTable ? columns() : [""];
  if (!names.includes(chosen)) chosen = names.find((name) => isNeeded(name) && !at("columns", name, "hierarchy")) ?? names[0] ?? "";
  const tab = (/** @type {string} */ name) => h("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-selected": name === chosen ? "true" : "false", "aria-controls": "hierarchy", tabIndex: name === chosen ? 0 : -1,
    onclick: () => pick(name),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const step = event.key === "ArrowDown" || event.key === "ArrowRight" ? 1 : event.key === "ArrowUp" || event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      event.preventDefault();
      pick(names[(names.indexOf(name) + step + names.length) % names.length]);
      byId(`tab-${chosen}`)?.focus();
    },
  }, h("span", null, name), status(name));
  if (!byId("hierarchy") || drawnFor !== policy.path) {
    if (drawnFor !== policy.path) for (const name of Object.keys(latest)) delete latest[name];
    drawnFor = policy.path;
    fill(root, h("h1", null, "How values become coarser"),
      h("p", { class: "lead" }, "Each value can be replaced by a broader one above it. The search picks how far up each column has to go. ", h("span", { class: "term" }, "generalisation hierarchies")),
      h("div", { class: isTable ? "tabs" : "" }, isTable && h("div", { id: "tabs", role: "tablist", "aria-orientation": "vertical", "aria-label": "Columns" }),
        h("section", { id: "hierarchy", role: isTable ? "tabpanel" : null, "aria-live": "off" })),
      next("promise", "What to promise"));
  }
  if (isTable) fill(byId("tabs"), names.map(tab));
  if (!names.length) {
    fill(byId("hierarchy"), h("p", null, "No column needs one: none has the role “others may know it”."));
    return;
  }
  await show(chosen);
}

/** @param {string} name */
function pick(name) {
  chosen = name;
  marked = new Set();
  folded = new Set();
  draw(byId("screen"));
}

/** @param {string} name */
function status(name) {
  const tree = trees[keyOf(name)] ?? latest[name];
  if (!at("columns", name, "hierarchy")) return isNeeded(name) ? h("small", { class: "warn" }, "none yet") : h("small", null, "not needed");
  if (!tree) return h("small", null, "…");
  if (tree.wrong || !tree.tree) return h("small", { class: "warn" }, "cannot be read");
  return tree.tree.uncovered ? h("small", { class: "warn" }, `${count(tree.tree.uncovered)} uncovered`) : h("small", { class: "good" }, "✓ complete");
}

/** @param {string} column */
async function show(column) {
  const box = byId("hierarchy");
  const key = keyOf(column);
  if (!trees[key]) {
    const found = app.state.policy.kind === "table"
      ? await call("tree", { column }).then((tree) => tree ?? run(box, "values", { column }, { title: `Reading ${column}` }))
      : await attempt(() => call("tree", { column: "" }));
    if (!found) return;
    keep(column, key, found);
    if (column !== chosen || byId("hierarchy") !== box) return;
    const tabs = byId("tabs");
    if (tabs) byId(`tab-${column}`)?.replaceChildren(h("span", null, column), status(column));
  }
  panel(box, column, trees[key]);
  others();
}

/** @param {string} column @param {string} key @param {any} found */
function keep(column, key, found) {
  trees = { ...Object.fromEntries(Object.entries(trees).slice(-40)), [key]: found };
  latest[column] = found;
}

let looking = false;

/** Looks at the hierarchies of the other columns, one after the other, to say which are complete. */
async function others() {
  if (looking || app.state.policy.kind !== "table") return;
  looking = true;
  for (const name of columns()) {
    const key = keyOf(name);
    if (app.screen !== "hierarchies" || trees[key] || !at("columns", name, "hierarchy")) continue;
    const found = await call("tree", { column: name }).then((tree) => tree ?? work("values", { column: name }, () => {}).ended.catch(() => null));
    if (!found) continue;
    keep(name, key, found);
    byId(`tab-${name}`)?.replaceChildren(h("span", null, name), status(name));
  }
  looking = false;
}

/** @param {any} asked */
async function changed(asked) {
  const column = chosen;
  const done = await change("change-tree", { column, ...asked });
  if (!done) return;
  keep(column, keyOf(column), done.tree);
  marked = new Set();
  say(`the hierarchy of ${column} was changed`);
  draw(byId("screen"));
}

/** @param {HTMLElement} box @param {string} column @param {any} found */
function panel(box, column, found) {
  const isTable = app.state.policy.kind === "table";
  const parts = [h("h2", null, column || "The tree")];
  if (found.wrong) parts.push(h("p", { class: "warned" }, found.wrong.message));
  if (found.tree) parts.push(...drawing(column, found, isTable));
  else if (isTable) parts.push(h("p", null, `${counted(found.values, "value", "values")}, and no hierarchy yet.`), common(found));
  else parts.push(h("p", null, "The policy names no tree of items or words."));
  parts.push(isTable ? build(column, found) : importing());
  fill(box, parts);
}

/** @param {any} found */
const common = (found) => h("p", { class: "values" }, found.common.slice(0, 30).map((/** @type {any} */ [value, number]) => h("span", null, value, h("small", null, count(number)))));

/** @param {string} column @param {any} found @param {boolean} isTable */
function drawing(column, found, isTable) {
  const { nodes, more, levels, leaves, misfits, uncovered, unused } = found.tree;
  const total = nodes[0]?.[2] ?? 0;
  // What lies below a node that is folded is left out, and wide trees begin folded.
  if (nodes.length > 80 && !folded.size) for (const [label, depth, , leaf] of nodes) if (depth > 0 && !leaf && depth >= (levels ?? 3) - 2) folded.add(label);
  let hiddenBelow = Infinity;
  const rows = [];
  for (const [label, depth, number, leaf] of nodes) {
    if (depth > hiddenBelow) continue;
    hiddenBelow = !leaf && folded.has(label) ? depth : Infinity;
    rows.push({ label, depth, number, leaf });
  }
  const item = (/** @type {any} */ row, /** @type {number} */ at) => {
    const share = total ? row.number / total : 0;
    const fillOf = h("i", null);
    fillOf.style.setProperty("--share", `${share * 100}%`);
    const element = h("li", {
      role: "treeitem", id: `node-${at}`, tabIndex: at === 0 ? 0 : -1, "aria-level": row.depth + 1, "aria-selected": marked.has(row.label) ? "true" : "false",
      "aria-expanded": row.leaf ? null : folded.has(row.label) ? "false" : "true", draggable: isTable && row.depth > 0, class: row.leaf ? "leaf" : "inner",
      "data-label": row.label,
      onclick: (/** @type {MouseEvent} */ event) => (/** @type {any} */ (event.target).closest(".twist") ? fold(row.label) : mark(row)),
      onkeydown: (/** @type {KeyboardEvent} */ event) => keys(event, row),
      ondragstart: (/** @type {DragEvent} */ event) => { if (!marked.has(row.label)) { marked = new Set([row.label]); } event.dataTransfer?.setData("text/plain", "values"); },
      ondragover: (/** @type {DragEvent} */ event) => { if (!row.leaf) { event.preventDefault(); element.classList.add("over"); } },
      ondragleave: () => element.classList.remove("over"),
      ondrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); changed({ change: "group", nodes: [...marked], name: row.label }); },
    }, !row.leaf && h("span", { class: "twist", "aria-hidden": "true" }, folded.has(row.label) ? "▸" : "▾"),
      h("span", { class: "label" }, row.label === "" ? "(empty)" : row.label),
      row.number !== null && h("span", { class: "count" }, count(row.number)), row.number !== null && h("span", { class: "track", "aria-hidden": "true" }, fillOf));
    element.style.setProperty("--depth", row.depth);
    return element;
  };
  const list = h("ul", { role: "tree", class: "tree", "aria-label": `Hierarchy${column ? ` of ${column}` : ""}`, "aria-multiselectable": isTable ? "true" : null }, rows.slice(0, 600).map(item));
  const name = h("input", { placeholder: "name of the group", size: 18, onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && group() });
  const group = () => changed({ change: "group", nodes: [...marked], name: name.value });
  const one = marked.size === 1 ? [...marked][0] : "";
  const isInner = nodes.some((/** @type {any} */ [label, depth, , leaf]) => label === one && !leaf && depth > 0);
  return [
    h("p", { class: "hint" }, counted(leaves, "value", "values"), levels ? ` in ${counted(levels, "level", "levels")}` : "", unused ? ` · ${count(unused)} do not occur in the data` : "", found.file ? ` · ${found.file}` : ""),
    uncovered > 0 && h("div", { class: "uncovered" }, h("h3", null, `${counted(uncovered, "value has", "values have")} no place in it`),
      h("ul", null, misfits.slice(0, 40).map((/** @type {any} */ one) => h("li", null, one.value === "" ? "(empty)" : one.value, h("small", null, `${counted(one.count, "record", "records")}, first in line ${count(one.line)}`)))),
      h("p", { class: "help" }, "Build it again from the data, or add the values to the file.")),
    list,
    (more > 0 || rows.length > 600) && h("p", { class: "hint" }, "Only the first part of a large tree is drawn."),
    isTable && h("div", { class: "row fields tools", role: "group", "aria-label": "Change the hierarchy" },
      field("group-name", marked.size ? `Put ${counted(marked.size, "marked node", "marked nodes")} into` : "Mark values, and group them", name),
      h("button", { type: "button", id: "group", disabled: !marked.size, onclick: group }, "Group"),
      isInner && h("button", { type: "button", class: "quiet", onclick: () => changed({ change: "rename", name: one, to: name.value }) }, "Rename"),
      isInner && h("button", { type: "button", class: "quiet", onclick: () => changed({ change: "dissolve", name: one }) }, "Dissolve")),
    isTable && h("p", { class: "hint" }, "Click or press space to mark, drag onto a group or press G to group, arrow keys to move."),
  ];
}

/** @param {string} label */
function fold(label) {
  if (folded.has(label)) folded.delete(label);
  else folded.add(label);
  if (!folded.size) folded.add("\u0000");
  again(label);
}

/** @param {any} row */
function mark(row) {
  if (row.depth === 0 || app.state.policy.kind !== "table") return;
  if (marked.has(row.label)) marked.delete(row.label);
  else marked.add(row.label);
  again(row.label);
}

/** Draws the panel again, and gives a node the focus. @param {string} label */
function again(label) {
  const list = document.querySelector(".tree");
  const top = list?.scrollTop ?? 0;
  panel(byId("hierarchy"), chosen, trees[keyOf(chosen)]);
  const now = document.querySelector(".tree");
  if (now) now.scrollTop = top;
  const element = /** @type {any} */ ([...document.querySelectorAll(".tree [role=treeitem]")].find((one) => one.getAttribute("data-label") === label));
  if (element) {
    for (const one of document.querySelectorAll(".tree [tabindex='0']")) one.setAttribute("tabindex", "-1");
    element.tabIndex = 0;
    element.focus({ preventScroll: true });
  }
}

/** @param {KeyboardEvent} event @param {any} row */
function keys(event, row) {
  const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".tree [role=treeitem]")]);
  const at = items.indexOf(/** @type {any} */ (event.currentTarget));
  const to = (/** @type {number} */ index) => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))];
    items[at].tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  };
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), Home: () => to(0), End: () => to(items.length - 1),
    ArrowRight: () => (!row.leaf && folded.has(row.label) ? fold(row.label) : to(at + 1)),
    ArrowLeft: () => (!row.leaf && !folded.has(row.label) ? fold(row.label) : to(at - 1)),
    " ": () => mark(row), Enter: () => mark(row), g: () => byId("group-name")?.focus(), G: () => byId("group-name")?.focus(),
  };
  const act = acts[event.key];
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  act();
}

/** @param {string} column @param {any} found */
function build(column, found) {
  const kinds = /** @type {[string, string][]} */ ([
    ["width", "ranges of one width"], ["frequency", "ranges with equally many people"], ["bins", "a number of equal ranges"], ["doubling", "ranges that double"],
    ["breaks", "ranges between numbers that I give"], ["dates", "dates: day, month, quarter, year, decade"], ["prefixes", "codes, masked from the right"],
    ["order", "words in their order, neighbours joined"], ["rare", "rare values merged into “other”"], ["flat", "all values directly below *"],
    ...found.ready.map((/** @type {any} */ one) => [`ready ${one.name}`, one.title]),
  ]);
  const numbers = found.common.slice(0, 50).every((/** @type {any} */ [value]) => /^-?[\d.,]+$/.test(value));
  const even = numbers && new Set(found.common.map((/** @type {any} */ [value]) => value.length)).size === 1 && found.common[0]?.[0].length > 2;
  const usual = found.ready[0] && found.ready[0].knows >= found.values / 2 && found.ready[0].name !== "ages" ? `ready ${found.ready[0].name}` : even ? "prefixes" : numbers ? "width" : "rare";
  const more = h("div", { class: "row fields" });
  const kind = select(kinds, usual, { onchange: () => asks() });
  /** @type {Record<string, any>} */
  let inputs = {};
  const text = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ note = "") => {
    inputs[key] = h("input", { value, size: 14 });
    return field(`build-${key}`, label, inputs[key], note);
  };
  const number = (/** @type {string} */ key, /** @type {string} */ label, /** @type {number} */ value) => {
    inputs[key] = h("input", { type: "number", min: 1, value, size: 6 });
    return field(`build-${key}`, label, inputs[key]);
  };
  const lines = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string[]} */ values) => {
    inputs[key] = h("textarea", { value: values.join("\n"), rows: Math.min(10, values.length + 1), cols: 24, spellcheck: false });
    return field(`build-${key}`, label, inputs[key], "one on each line; move them into their order");
  };
  const asks = () => {
    inputs = {};
    /** @type {Record<string, () => any[]>} */
    const wants = {
      width: () => [text("width", "Width of the first ranges", "5"), number("fanout", "Join at each level", 2)],
      frequency: () => [number("bins", "Ranges at first", 20), number("fanout", "Join at each level", 2)],
      bins: () => [number("bins", "Ranges at first", 10), number("fanout", "Join at each level", 2)],
      doubling: () => [text("width", "Width of the first ranges", "5")],
      breaks: () => [text("breaks", "Numbers between ranges", "18, 40, 65", "a list per level: 18,30,40,65; 18,65")],
      prefixes: () => [text("steps", "Signs to mask at each level", "1", "as in 2, 1, 1")],
      order: () => [lines("order", "Every value, from the first to the last", inOrder(found)), number("fanout", "Join at each level", 2)],
      rare: () => [number("least", "Rare is fewer records than", 20)],
    };
    fill(more, wants[kind.value]?.() ?? []);
  };
  asks();
  const go = () => {
    if (kind.value.startsWith("ready ")) return changed({ change: "ready", name: kind.value.slice(6) });
    /** @type {Record<string, any>} */
    const builder = { kind: kind.value };
    for (const [key, input] of Object.entries(inputs)) builder[key] = input.type === "number" ? Number(input.value) : input.value;
    return changed({ change: "build", builder });
  };
  return h("section", { class: "build", "aria-label": `Build the hierarchy of ${column}` },
    h("h3", null, found.tree ? "Build it anew" : "Build it"),
    h("div", { class: "row fields" }, field("build-kind", "By", kind)), more,
    h("p", null, h("button", { type: "button", id: "build", class: found.tree ? "" : "primary", onclick: go }, "Build")), importing());
}

/** Takes a file of the folder for a hierarchy. */
function importing() {
  const files = h("div", { class: "row fields" });
  const box = h("details", { class: "more", ontoggle: async () => {
    if (!box.open || files.childElementCount) return;
    const list = await attempt(() => everything(""));
    if (!list) return;
    const path = select(list, list[0] ?? "");
    fill(files, field("import-path", "File of the folder", path), h("button", { type: "button", onclick: () => (path.value ? changed({ change: "import", path: path.value }) : trouble({ message: "there is no file to import" })) }, "Import"));
  } }, h("summary", null, "Import a file"), h("p", { class: "hint" }, "A line per value: value;group;…;*. Files of ARX and Amnesia work as they are."), files);
  return box;
}

/** The values as their names sort, to be put in order by hand. @param {any} found @returns {string[]} */
const inOrder = (found) => found.common.map((/** @type {any} */ [value]) => value).sort((/** @type {string} */ a, /** @type {string} */ b) => a.localeCompare(b, "en", { numeric: true }));

/** The files of the folder that may be hierarchies. @param {string} folder @returns {Promise<string[]>} */
async function everything(folder, depth = 0) {
  const { entries } = await call("files", { folder });
  const own = entries.filter((/** @type {any} */ one) => one.kind === "data").map((/** @type {any} */ one) => one.path);
  const below = depth < 2 ? await Promise.all(entries.filter((/** @type {any} */ one) => one.kind === "folder").slice(0, 30).map((/** @type {any} */ one) => everything(one.path, depth + 1))) : [];
  return [...own, ...below.flat()];
}
