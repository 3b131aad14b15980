/** Search: best and bound close in on each other; stop, and take the best. */

import { byId, count, counted, figure, fill, h, percent } from "../dom.js";
import { picture } from "../paper.js";
import { app, run, take } from "../state.js";
import { next } from "../studio.js";

let searching = false;
/** They stay while other screens are looked at. */
const work = h("div", { id: "search-work" });
const live = h("div", { id: "search-live", class: "live" });

/** @param {HTMLElement} root */
export function draw(root) {
  const { decided, understood, error } = app.state;
  fill(root,
    h("h1", null, "Search for the best release"),
    h("p", { class: "lead" }, "Among all releases that keep the promise, the one that loses least is wanted. ",
      understood && h("span", null, `Method: ${understood.method}.`)),
    searching ? null : error ? h("p", { class: "warned" }, "The policy on the right needs attention first: ", error.message)
      : h("p", null, h("button", { type: "button", id: "search", class: decided?.current ? "" : "primary", onclick: search }, decided ? "Search again" : "Search")),
    work, live, !searching && decided && found(decided));
}

async function search() {
  searching = true;
  byId("search").disabled = true;
  const best = h("b", null, "–");
  const bound = h("b", null, "–");
  const chart = h("div", { class: "chart" });
  /** @type {[number, number | null, number | null][]} */
  const trace = [];
  fill(live, h("dl", { class: "figures" }, h("div", null, h("dt", null, "Best so far"), h("dd", null, best)), h("div", null, h("dt", null, "No release can lose less than"), h("dd", null, bound))), chart);
  const done = await run(work, "search", {}, {
    title: "Searching", enough: "Stop and take the best",
    heard: (event) => {
      if (event.best !== undefined && event.best !== null) best.textContent = figure(event.best);
      if (event.bound !== undefined && event.bound !== null) bound.textContent = figure(event.bound);
      if (event.chart) {
        fill(chart, picture(event.chart));
        trace.push([event.seconds, event.best, event.bound]);
      }
    },
  });
  searching = false;
  const drawn = chart.firstChild;
  fill(live, done && drawn && h("details", { class: "more" }, h("summary", null, "How the search went"), drawn, steps(trace)));
  if (done) take(done);
  else if (app.screen === "search") draw(byId("screen"));
}

/** The chart's figures. @param {[number, number | null, number | null][]} trace */
const steps = (trace) => h("div", { class: "scroll", role: "region", "aria-label": "Best and bound over time", tabIndex: 0 }, h("table", { class: "data" },
  h("caption", null, "Best and bound over time"),
  h("thead", null, h("tr", null, ["Seconds", "Best so far", "No release can lose less than"].map((name) => h("th", { scope: "col" }, name)))),
  h("tbody", null, trace.slice(-40).map(([seconds, best, bound]) => h("tr", null, h("td", null, seconds.toFixed(2)), h("td", null, figure(best)), h("td", null, figure(bound)))))));

/** @param {any} decided */
function found(decided) {
  const { loss, records, search } = decided;
  const proof = decided.optimal ? "No release that keeps the promise loses less: this is proven."
    : decided.stopped ? "You stopped the search: this is the best it had found. plan.json, filed with the release, makes the same again with privet apply."
      : search?.bound !== null && search?.bound !== undefined ? "This is the best that was found; how much better one could be is bounded, not zero." : "This method does not prove that its answer is the best.";
  return h("section", { class: decided.current ? "verdict" : "verdict stale", "aria-labelledby": "found-title" },
    h("h2", { id: "found-title" }, decided.current ? (decided.optimal ? "The best release there is" : "A release that keeps the promise") : "Found before the policy, or a file that it names, was changed"),
    h("dl", { class: "figures" },
      loss && h("div", null, h("dt", null, "Detail lost ", h("span", { class: "term" }, loss.name)), h("dd", null, percent(loss.share))),
      records && h("div", null, h("dt", null, "Records published"), h("dd", null, `${count(records.released)}`, h("small", null, ` of ${count(records.read)}`))),
      search && h("div", null, h("dt", null, "Time"), h("dd", null, `${figure(search.seconds)} s`)),
      search?.space && h("div", null, h("dt", null, "Releases to choose from"), h("dd", null, search.space.length > 12 ? `10^${search.space.length - 1}` : count(search.space)))),
    h("p", null, proof),
    levels(decided),
    decided.warnings.length > 0 && h("div", { class: "warnings" }, h("h3", null, counted(decided.warnings.length, "thing to know", "things to know")), h("ul", null, decided.warnings.map((/** @type {string} */ one) => h("li", null, one)))),
    decided.current ? next("result", "See what came of it") : h("p", { class: "warned" }, "Search again: what is published follows from what the policy says now."));
}

/** @param {any} decided */
function levels({ levels: own, highest }) {
  if (!own || !highest) return null;
  return h("table", { class: "data levels" }, h("caption", { class: "spoken" }, "How far up each column went"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column"), h("th", { scope: "col" }, "Level"))),
    h("tbody", null, Object.entries(own).map(([name, level]) => h("tr", null, h("th", { scope: "row" }, name),
      h("td", null, h("span", { class: "dots", "aria-hidden": "true" }, Array.from({ length: highest[name] + 1 }, (_, at) => h("i", { class: at === level ? "on" : at < Number(level) ? "below" : "" }))), ` ${level} of ${highest[name]}`, level === 0 && h("small", null, "as it is"), level === highest[name] && level !== 0 && h("small", null, "nothing left of it"))))));
}
