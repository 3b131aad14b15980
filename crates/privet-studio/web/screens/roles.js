/** Roles: what each column is, and how many people it singles out. */

import { bar, byId, count, fill, h, percent, select } from "../dom.js";
import { call } from "../call.js";
import { app, at, attempt, change, study, take } from "../state.js";
import { riskOf } from "../risk.js";
import { next } from "../studio.js";

/** The roles in plain words, with the field's terms. */
const WORDS = /** @type {[string, string][]} */ ([
  ["", "leave out"],
  ["quasi-identifier", "others may know it (quasi-identifier)"],
  ["sensitive", "nobody may learn it (sensitive)"],
  ["identifier", "names a person (identifier)"],
  ["other", "published as it is (other)"],
  ["class", "to be predicted (class)"],
  ["mixed", "both known and secret (mixed)"],
  ["quasi-sensitive", "a set that gives secrets away (quasi-sensitive)"],
]);

/** @type {{ key: string, found: any } | null} */
let known = null;

/** @param {HTMLElement} root */
export async function draw(root) {
  const { policy } = app.state;
  if (policy.kind !== "table") {
    fill(root, h("h1", null, "Roles"), h("p", { class: "lead" },
      policy.kind === "transactions"
        ? "Every line is the set of one person. What counts are the items: which are sensitive, and what an attacker may know of them, is part of the promise."
        : "Every person has a bag of words. What an attacker may know of them is part of the promise."),
      next("promise", "What to promise"));
    return;
  }
  if (!byId("roles-table")) {
    fill(root, h("h1", null, "What is each column?"),
      h("p", { class: "lead" }, "Suggestions come from the values first, and from the names after that. You know more: correct them."),
      h("div", { id: "roles-work" }), h("div", { id: "together", class: "big", role: "status" }),
      h("div", { class: "scroll", role: "region", "aria-label": "Columns and their roles", tabIndex: 0 }, h("table", { id: "roles-table", class: "data cards-on-phone" })),
      h("div", { id: "roles-risk" }),
      next("hierarchies", "How values become coarser"));
  }
  const isAnyKnown = Object.values(at("columns") ?? {}).some((section) => /** @type {any} */ (section).role === "quasi-identifier");
  fill(byId("roles-risk"), isAnyKnown && riskOf(false));
  if (!app.state.studied) {
    const done = await study(byId("roles-work"));
    if (done) take(done);
    return;
  }
  const key = JSON.stringify([policy.path, policy.json?.columns]);
  if (known?.key !== key) {
    const found = await attempt(() => call("roles"));
    if (!found) return;
    known = { key, found };
  }
  table(known.found);
}

/** @param {any} found */
function table(found) {
  const box = byId("together");
  const element = byId("roles-table");
  if (!box || !element) return;
  const all = found.together;
  fill(box, all === null || all === undefined
    ? h("p", null, "Nobody knows any column yet: give at least one the role “others may know it”.")
    : [h("b", null, percent(all)), h("p", null, `of ${count(found.records)} records are one of a kind for somebody who knows all the columns marked as known. `,
      h("span", { class: "term" }, "sample uniques on the quasi-identifiers"))]);
  const row = (/** @type {any} */ one, /** @type {number} */ index) => {
    const role = at("columns", one.name, "role") ?? "";
    const suggested = one.suggested ?? "";
    const picked = select(WORDS, role, { id: `role-${index}`, "aria-label": `Role of ${one.name}`, onchange: () => change("role", { column: one.name, role: picked.value || null }) });
    const gain = one.together !== null && one.without !== null ? one.together - one.without : null;
    return h("tr", { class: `role-${role || "out"}` },
      h("th", { scope: "row" }, one.name, h("small", null, `${one.kind} · ${one.more ? "more than " : ""}${count(one.distinct)} values`, one.missing ? ` · ${count(one.missing)} missing` : "", one.understood?.length ? ` · ${one.understood.join(", ")}` : "")),
      h("td", { "data-name": "Role" }, picked, h("small", null, role === suggested ? `Suggested: ${one.reason}` : `Suggested “${WORDS.find(([name]) => name === suggested)?.[1] ?? suggested}”: ${one.reason}`)),
      h("td", { "data-name": "Singles out alone" }, bar(one.alone)),
      h("td", { "data-name": "Adds to the others" }, gain === null ? h("span", { class: "soft" }, "–") : bar(Math.max(0, gain))));
  };
  fill(element,
    h("caption", { class: "spoken" }, "Every column with its role and the share of records that it singles out"),
    h("thead", null, h("tr", null, ["Column", "What it is", "Singles out alone", "Adds to the others"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, found.columns.map(row)));
}
