/** Result: before and after, what is lost and at risk, and what it would take to lose less. */

import { byId, count, counted, field, fill, h, percent, select } from "../dom.js";
import { call, work } from "../call.js";
import { paper, sections } from "../paper.js";
import { riskOf } from "../risk.js";
import { app, attempt, edit, run, take } from "../state.js";
import { go as goTo, next } from "../studio.js";

let staging = false;
/** It stays while other screens are looked at. */
const stagingBox = h("div", { id: "staging" });
let failed = "";
let skip = 0;
let wanted = "";
let section = "";

/** The report of the release that waits; fetched once. @param {string} edition */
export async function reportOf(edition) {
  const key = `${edition} ${app.state.version} ${app.state.staged?.made} ${app.state.staged?.path}`;
  if (app.reports[edition]?.key !== key) {
    const found = await attempt(() => call("report", { edition }));
    if (!found) return "";
    app.reports[edition] = { key, html: found.html };
  }
  return app.reports[edition].html;
}

/** Makes the release, hidden next to its place, unless it is there. @param {Element} box @param {string} [target] */
export async function stage(box, target, force = false) {
  staging = true;
  const before = app.state.policy.text;
  const done = await run(box, "stage", { target: target ?? app.state.target, force }, { title: "Making the release: writing, auditing, attacking" });
  staging = false;
  app.reports = {};
  if (done) {
    failed = "";
    take(done);
  } else if (app.screen === "result") {
    failed = before;
    draw(byId("screen"));
  }
  return done;
}

/** @param {HTMLElement} root */
export async function draw(root) {
  const { decided, staged, policy } = app.state;
  if (!decided?.current) {
    fill(root, h("h1", null, "What came of it"), h("p", { class: "lead" }, decided ? "The policy, or a file that it names, was changed after the search." : "Nothing was searched for yet."), next("search", "To the search"));
    return;
  }
  const isTable = policy.kind === "table";
  fill(root,
    h("h1", null, "What came of it"),
    staged ? verdict(staged) : h("p", { class: "lead" }, "The release is made and tried now; nothing is published yet."),
    stagingBox,
    h("section", { id: "rows", "aria-labelledby": "rows-title", hidden: true }),
    staged && h("section", { id: "report", "aria-labelledby": "report-title" }),
    isTable && staged && riskOf(true),
    isTable && staged && takes(),
    staged && h("p", { class: "next" }, h("button", { type: "button", class: "quiet", onclick: () => goTo("compare") }, "Compare with other settings"), next("publish", "Publish")));
  rows();
  if (!staged && staging) return;
  if (!staged) {
    if (failed === policy.text) {
      fill(stagingBox, h("button", { type: "button", onclick: () => { failed = ""; draw(root); } }, "Try again"));
      return;
    }
    failed = policy.text;
    fill(stagingBox);
    await stage(stagingBox);
    return;
  }
  report(await reportOf("steward"));
}

/** @param {any} staged */
function verdict(staged) {
  const attacks = staged.attacks.length;
  return h("section", { class: staged.passed && !staged.empty ? "verdict" : "verdict bad", "aria-labelledby": "verdict-title" },
    h("h2", { id: "verdict-title" }, staged.passed ? "✓ The audit passed" : "✕ The audit failed"),
    h("p", null, `${counted(staged.checks.length, "check", "checks")} by code that had no part in the search; ${counted(attacks, "attack", "attacks")} tried on the files.`),
    staged.warnings.length > 0 && h("details", { class: "more", open: staged.warnings.length < 4 }, h("summary", null, `${counted(staged.warnings.length, "thing", "things")} to know before publishing`), h("ul", null, staged.warnings.map((/** @type {string} */ one) => h("li", null, one)))));
}

async function rows() {
  const box = byId("rows");
  const found = await attempt(() => call("rows", { text: wanted, skip }));
  if (!found || !box) return;
  const cell = (/** @type {[string, string]} */ [before, after], /** @type {number} */ at) =>
    h("td", { "data-name": found.columns[at], class: before === after ? "same" : "changed" }, h("span", { class: "after" }, after === "" ? "(empty)" : after), before !== after && h("span", { class: "before" }, before === "" ? "(empty)" : before));
  const filter = h("input", { type: "search", value: wanted, size: 16, onchange: () => { wanted = filter.value; skip = 0; rows(); } });
  const move = (/** @type {number} */ by) => h("button", { type: "button", class: "quiet", id: by > 0 ? "rows-next" : "rows-back", disabled: by < 0 ? skip === 0 : skip + found.most >= found.matching, onclick: () => { skip = Math.max(0, skip + by * found.most); rows(); } }, by < 0 ? "Earlier" : "Further");
  fill(box,
    h("h2", { id: "rows-title" }, "Before and after"),
    h("div", { class: "row fields" }, field("rows-text", "Records with", filter), move(-1), move(1), h("p", { class: "hint" }, `${count(Math.min(skip + 1, found.matching))}–${count(Math.min(skip + found.most, found.matching))} of ${count(found.matching)} distinct records`)),
    h("div", { class: "scroll", role: "region", "aria-label": "Records before and after", tabIndex: 0 }, h("table", { class: "data before-after cards-on-phone" },
      h("caption", { class: "spoken" }, "Each cell as it is published; where it was changed, the original is below it, struck through"),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Records"), found.columns.map((/** @type {string} */ name) => h("th", { scope: "col" }, name)))),
      h("tbody", null, found.rows.map((/** @type {any} */ [number, cells]) => h("tr", null, h("th", { scope: "row" }, count(number)), cells.map(cell)))))));
  box.hidden = false;
}

/** @param {string} html */
function report(html) {
  const box = byId("report");
  if (!box || !html) return;
  const names = sections(html).filter(([id]) => !["rows", "sign-off", "glossary"].includes(id));
  if (!names.some(([id]) => id === section)) section = names[0]?.[0] ?? "";
  const tabs = h("div", { role: "tablist", class: "chips", "aria-label": "Parts of the report" }, names.map(([id, title], index) => h("button", {
    type: "button", role: "tab", id: `part-${id}`, "aria-selected": id === section ? "true" : "false", "aria-controls": "report-part", tabIndex: id === section ? 0 : -1,
    onclick: () => { section = id; report(html); byId(`part-${id}`)?.focus({ preventScroll: true }); },
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step) byId(`part-${names[(index + step + names.length) % names.length][0]}`)?.click();
    },
  }, title)));
  fill(box, h("h2", { id: "report-title" }, "The steward’s report"), h("p", { class: "hint" }, "As it is filed with the release. It holds figures on the original and is not for others."), tabs,
    h("div", { id: "report-part", role: "tabpanel", "aria-labelledby": `part-${section}`, tabIndex: 0 }, paper(html, (id) => id === section)));
}

/** What would it take to keep a column at a finer level? */
function takes() {
  const { levels } = app.state.decided;
  if (!levels) return null;
  const coarse = Object.entries(levels).filter(([, level]) => Number(level) > 0);
  if (!coarse.length) return null;
  const level = h("select", null);
  // Levels are shown as what becomes of one value.
  const choices = (/** @type {string[]} */ labels) => fill(level, Array.from({ length: Number(levels[column.value]) }, (_, at) =>
    h("option", { value: String(at), selected: at === Number(levels[column.value]) - 1 }, labels[at] === undefined ? `level ${at}` : at === 0 ? `as it is: ${labels[at]}` : `level ${at}, as ${labels[at]}`)));
  const picked = async () => {
    const name = column.value;
    choices(labelsOf[name] ?? []);
    if (labelsOf[name]) return;
    const found = await call("tree", { column: name }).then((tree) => tree ?? work("values", { column: name }, () => {}).ended).catch(() => null);
    const { nodes, levels: height } = found?.tree ?? { nodes: [], levels: 0 };
    const first = nodes.slice(0, nodes.findIndex((/** @type {any} */ [, , , leaf]) => leaf) + 1).map((/** @type {any} */ [label]) => label).reverse();
    if (first.length !== height || column.value !== name) return;
    labelsOf[name] = first;
    const chosen = level.value;
    choices(first);
    level.value = chosen;
  };
  /** @type {Record<string, string[]>} */
  const labelsOf = {};
  const column = select(coarse.map(([name]) => name), coarse[0][0], { onchange: picked });
  picked();
  const box = h("div", null);
  const out = h("div", null);
  const go = async () => {
    const done = await run(box, "finer", { column: column.value, level: Number(level.value) }, { title: "Trying what it would take" });
    if (!done) return;
    const change = (/** @type {any} */ one) => one.levels?.filter((/** @type {any} */ [name, to]) => to !== levels[name]).map((/** @type {any} */ [name, to]) => `${name} ${levels[name]} → ${to}`).join(", ");
    fill(out, h("table", { class: "data" }, h("caption", { class: "spoken" }, "What was tried"),
      h("thead", null, h("tr", null, ["What is given up", "Reached", "Levels that change", "Detail lost", ""].map((name) => h("th", { scope: "col" }, name || h("span", { class: "spoken" }, "Adopt"))))),
      h("tbody", null, done.attempts.map((/** @type {any} */ one) => h("tr", null, h("th", { scope: "row" }, one.gives_up),
        h("td", null, one.impossible ? `cannot be: ${one.impossible}` : one.reached ? h("span", { class: "good" }, "✓ yes") : "no"), h("td", null, change(one) ?? ""), h("td", null, one.loss === undefined ? "" : percent(one.loss)),
        h("td", null, one.reached && h("button", { type: "button", class: "quiet", onclick: async () => { if (await edit(one.gives_up, one.edits)) goTo("search"); } }, "Adopt")))))));
  };
  return h("section", { class: "card", "aria-labelledby": "takes-title" }, h("h2", { id: "takes-title" }, "What would it take to lose less?"),
    h("div", { class: "row fields" }, field("takes-column", "Keep", column), field("takes-level", "no coarser than", level), h("button", { type: "button", id: "takes", onclick: go }, "Try")), box, out);
}

