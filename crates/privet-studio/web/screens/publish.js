/** Publish: what leaves and what stays, who answers for it, and both reports. */

import { byId, counted, field, fill, h, size } from "../dom.js";
import { call } from "../call.js";
import { paper } from "../paper.js";
import { commandLine } from "../rail.js";
import { app, at, attempt, edit, remove, set, take } from "../state.js";
import { next } from "../studio.js";
import { reportOf, stage } from "./result.js";

let edition = "";
let working = false;

/** What the report says of the release, and who says it. */
const FIELDS = /** @type {[string, string][]} */ ([
  ["title", "What it is called"], ["owner", "Who answers for it"], ["contact", "How to reach them"], ["recipient", "To whom it goes"], ["purpose", "What it is for"],
  ["legal_basis", "What permits it"], ["licence", "What recipients may do"], ["review", "When it is looked at again"], ["sign_off", "Approved by, and when"],
]);

/** @param {HTMLElement} root */
export async function draw(root) {
  if (working) return;
  const { staged, published, decided } = app.state;
  if (!staged && published) return done(root, published);
  if (!staged) {
    fill(root, h("h1", null, "Publish"), h("p", { class: "lead" }, "There is no release to publish yet."),
      decided?.current ? next("result", "Make the release") : next("search", "To the search"));
    return;
  }
  const target = h("input", { value: staged.path, size: 24, spellcheck: false });
  const make = async () => {
    working = true;
    byId("publish").disabled = true;
    const where = target.value.trim();
    if (where !== staged.path && !(await stage(byId("publishing"), where))) {
      working = false;
      draw(root);
      return;
    }
    const state = await attempt(() => call("publish"));
    working = false;
    edition = "";
    if (state) take(state);
    else take(await call("state"));
  };
  fill(root,
    h("h1", null, "Publish"),
    h("p", { class: "lead" }, "The release is made, audited and attacked; it waits. Publishing moves it into its place in one step."),
    h("div", { class: "two rooms" }, h("section", { class: "room out" }, h("h2", null, "What leaves"), h("div", { id: "room-public" })), h("section", { class: "room in" }, h("h2", null, "What stays with you"), h("div", { id: "room-steward" }))),
    checks(staged), signing(), ledger(),
    h("section", { class: "card act", "aria-labelledby": "publish-title" }, h("h2", { id: "publish-title" }, "Publish it"),
      h("div", { class: "row fields" }, field("target", "Into the folder", target), h("button", { type: "button", id: "publish", class: "primary", disabled: !staged.passed, onclick: make }, "Publish")),
      h("div", { id: "publishing" })),
    reports());
  rooms();
  shown();
}

async function rooms() {
  const found = await attempt(() => call("rooms"));
  if (!found) return;
  const list = (/** @type {any[]} */ files) => h("ul", { class: "plain" }, files.map((one) => h("li", null, h("span", null, one.name), h("small", null, size(one.bytes)))));
  if (byId("room-public")) fill(byId("room-public"), h("p", { class: "hint" }, "public/ may be given to whom it is for."), list(found.public));
  if (byId("room-steward")) fill(byId("room-steward"), h("p", { class: "hint" }, "steward/ holds figures on the original, and the seed. Keep it."), list(found.steward));
}

/** @param {any} release */
function checks(release) {
  const row = (/** @type {any} */ one) => h("li", { class: one.holds ? "good" : "bad" }, h("strong", null, `${one.holds ? "✓" : "✕"} ${one.name}`), h("small", null, one.detail));
  return h("details", { class: "more", open: !release.passed }, h("summary", null, release.verdict.charAt(0).toUpperCase() + release.verdict.slice(1)), h("ul", { class: "plain checks" }, release.checks.map(row)),
    release.attacks.length > 0 && h("div", null, h("h3", null, counted(release.attacks.length, "attack", "attacks")), h("ul", { class: "plain" }, release.attacks.map((/** @type {string} */ one) => h("li", null, one)))));
}

function signing() {
  const save = (/** @type {string} */ key) => (/** @type {any} */ event) => edit(`the report’s ${key}`, [event.target.value.trim() ? set(["report", key], event.target.value.trim()) : remove(["report", key])]);
  return h("details", { class: "more" }, h("summary", null, "Who answers for it (sign-off)"),
    h("p", { class: "hint" }, "It is written into the policy and both reports, so a change here means to search and make the release again."),
    h("div", { class: "row fields" }, FIELDS.map(([key, label]) => field(`report-${key}`, label, h("input", { value: at("report", key) ?? "", size: 26, onchange: save(key) })))));
}

function ledger() {
  const path = h("input", { value: at("ledger", "path") ?? "", placeholder: "releases.ledger", size: 26, onchange: () => edit("the ledger", [path.value.trim() ? set(["ledger", "path"], path.value.trim()) : remove(["ledger"])]) });
  return h("details", { class: "more" }, h("summary", null, "The ledger of all releases about the same people"),
    h("p", { class: "hint" }, "Two releases that are safe alone can give people away together. A ledger, kept next to the policy, lets each new one be tried against those before."),
    h("div", { class: "row fields" }, field("ledger-path", "Ledger file", path, at("ledger", "path") ? "" : "none: later releases cannot be set against this one")));
}

function reports() {
  const tab = (/** @type {string} */ name, /** @type {string} */ title) => h("button", { type: "button", "aria-pressed": edition === name ? "true" : "false", onclick: () => { edition = edition === name ? "" : name; draw(byId("screen")); } }, title);
  return h("section", { "aria-labelledby": "reports-title" }, h("h2", { id: "reports-title" }, "Both reports"), h("div", { class: "chips" }, tab("public", "The public’s"), tab("steward", "The steward’s")), h("div", { id: "shown-report" }));
}

async function shown() {
  const box = byId("shown-report");
  if (!edition || !box) return;
  const html = await reportOf(edition);
  if (html && byId("shown-report") === box) fill(box, paper(html));
}

/** @param {HTMLElement} root @param {any} release */
function done(root, release) {
  fill(root,
    h("section", { class: "verdict", "aria-labelledby": "done-title" }, h("h1", { id: "done-title" }, "✓ Published"),
      h("p", null, "The release is in ", h("code", null, release.path), ". ", h("code", null, "public/"), " may be given away; keep ", h("code", null, "steward/"), " to yourself. Both hold a report that opens in a browser: ", h("code", null, "report.html"), ".")),
    h("section", { class: "card" }, h("h2", null, "The same from the command line"), h("p", null, "The policy and this command make the same public files, byte for byte, in a folder that is free:"), h("pre", null, commandLine()),
      !at("seed") && h("p", { class: "hint" }, "The policy names no seed, so each run draws a new one. The one of this release is in steward/manifest.json; add --seed with it to get the same bytes.")),
    h("div", { class: "two rooms" }, h("section", { class: "room out" }, h("h2", null, "What leaves"), h("div", { id: "room-public" })), h("section", { class: "room in" }, h("h2", null, "What stays with you"), h("div", { id: "room-steward" }))),
    checks(release));
  rooms();
}

