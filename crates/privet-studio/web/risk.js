/** What data are worth to an attacker, before anything is decided and after: the figures of `privet risk`. */

import { bar, byId, count, fill, h } from "./dom.js";
import { app, run } from "./state.js";

/** What was measured last, and of which policy. @type {{ text: string, released: boolean, found: any } | null} */
let last = null;
let measuring = false;
/** It stays while other screens are looked at. */
const work = h("div", null);

/** A section that measures when it is asked to. @param {boolean} released whether the release that waits is measured too */
export function riskOf(released) {
  const known = last?.text === app.state.policy.text && last?.released === released ? last : null;
  const title = released ? "Who could find a record, before and after" : "What these data are worth to an attacker";
  const box = h("div", { id: "risk-found" });
  const start = async () => {
    measuring = true;
    byId("risk").disabled = true;
    const { text } = app.state.policy;
    const found = await run(work, "risk", { release: released }, { title: "Measuring the risk" });
    measuring = false;
    if (byId("risk")) byId("risk").disabled = false;
    if (!found) return;
    last = { text, released, found };
    if (byId("risk-found")) fill(byId("risk-found"), shown(found));
  };
  if (known) fill(box, shown(known.found));
  return h("section", { class: "card", "aria-labelledby": "risk-title" },
    h("h2", { id: "risk-title" }, title),
    h("p", { class: "hint" }, released ? "Measured on the data, and on the file that waits." : "Measured on the columns marked as known, before anything is decided; no requirement is needed.",
      h("span", { class: "term" }, "privet risk")),
    h("p", null, h("button", { type: "button", id: "risk", disabled: measuring, onclick: start }, "Measure")), work, box);
}

/** @param {any} found */
function shown({ before, after }) {
  const both = after ? [["The data", before], ["The release", after]] : [["The data", before]];
  const grid = (/** @type {string} */ caption, /** @type {string} */ first, /** @type {any[]} */ rows) => h("div", { class: "scroll", role: "region", "aria-label": caption, tabIndex: 0 }, h("table", { class: "data" },
    h("caption", null, caption), h("thead", null, h("tr", null, h("th", { scope: "col" }, first), both.map(([name]) => h("th", { scope: "col" }, name)))), h("tbody", null, rows)));
  /** Figures of the release have names of their own: its numbers of people may differ. */
  const of = (/** @type {any} */ one, /** @type {string} */ name) => one.figures.find((/** @type {[string, string]} */ [own]) => own === name)?.[1] ?? "–";
  const figures = before.figures.map((/** @type {[string, string]} */ [name]) => h("tr", null,
    h("th", { scope: "row", class: name.startsWith(" ") ? "below" : undefined }, name.trim()), both.map(([, one]) => h("td", { class: "figure" }, of(one, name)))));
  const share = (/** @type {any} */ one, /** @type {number} */ at) => h("td", null, bar(one.records ? one.bands[at][1] / one.records : 0), h("small", null, count(one.bands[at][1])));
  const bands = before.bands.map((/** @type {[string, number]} */ [name], /** @type {number} */ at) => h("tr", null, h("th", { scope: "row" }, name), both.map(([, one]) => share(one, at))));
  const special = before.special.by_size.filter((/** @type {[number, number]} */ [, number]) => number > 0);
  return [
    grid("Who could find a record", "Figure", figures),
    grid("Records by how many look alike", "Alike", bands),
    h("div", { class: "scroll", role: "region", "aria-label": "Which columns identify", tabIndex: 0 }, h("table", { class: "data" },
      h("caption", null, "Which columns of the data identify"),
      h("thead", null, h("tr", null, ["Columns", "Different per record", "Pairs that differ"].map((name, at) => h("th", { scope: "col" }, name, at > 0 && h("small", null, ["", "distinction", "separation"][at]))))),
      h("tbody", null, before.sets.map((/** @type {any} */ [names, distinction, separation]) => h("tr", null, h("th", { scope: "row" }, names.join(", ")), h("td", null, bar(distinction)), h("td", null, bar(separation))))))),
    h("p", { class: "hint" }, `${count(before.special.records)} of ${count(before.records)} records are alone on some set of up to ${before.special.largest} columns, and on no smaller part of it`,
      special.length ? `: ${special.map((/** @type {[number, number]} */ [size, number]) => `${count(number)} on ${size}`).join(", ")}` : "", ". ", h("span", { class: "term" }, "special uniques")),
  ];
}
