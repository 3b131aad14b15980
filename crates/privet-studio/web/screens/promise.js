/** Promise: what the release guarantees, in sentences with their numbers, and what that does and does not stop. */

import { field, fill, h, select } from "../dom.js";
import { app, at, edit, raw, remove, set } from "../state.js";
import { next } from "../studio.js";

const COVER = /** @type {Record<string, [string, string]>} */ ({
  bounded: ["limited by proof", "good"], partly: ["limited in part", "part"], mitigated: ["made harder", "part"], uncovered: ["not stopped", "warn"],
});

/** @returns {any} */
const catalogue = () => app.catalogue.kinds[app.state.policy.kind ?? "table"];

/** The requirements of the policy: their place, their declaration, what they say. */
function asked() {
  /** @type {{ name: string, one: any, said: any, place: string[] }[]} */
  const found = [];
  for (const [name, section] of Object.entries(at("privacy") ?? {})) {
    const one = catalogue().requirements.find((/** @type {any} */ it) => it.name === name);
    const all = Array.isArray(section) ? section : [section];
    all.forEach((said, index) => found.push({ name, one, said, place: ["privacy", name, ...(Array.isArray(section) ? [String(index + 1)] : [])] }));
  }
  return found;
}

/** @param {HTMLElement} root */
export function draw(root) {
  const { understood, error } = app.state;
  const requirements = asked();
  const sentences = understood?.asked ?? [];
  fill(root,
    h("h1", null, "What do you promise?"),
    h("p", { class: "lead" }, "What follows is proven for the release, and checked again by an audit that shares no code with the search."),
    h("section", { "aria-labelledby": "asked-title" }, h("h2", { id: "asked-title", class: "spoken" }, "Requirements"),
      requirements.map((one, index) => card(one, index, sentences.length === requirements.length ? sentences[index] : "")),
      add(requirements.map((one) => one.name))),
    method(),
    presets(),
    understood?.protections?.length ? protections(understood.protections) : !error && h("p", { class: "hint" }, "What this does and does not stop is said with the result, in the words of the report."),
    next("search", "Search for the best release"));
}

/** @param {any} requirement @param {number} index @param {string} sentence */
function card({ name, one, said, place }, index, sentence) {
  return h("article", { class: "card", "aria-labelledby": `asked-${index}` },
    h("header", null, h("h3", { id: `asked-${index}` }, sentence ? upper(sentence) : upper(one?.summary ?? name), h("span", { class: "term" }, name)),
      h("button", { type: "button", class: "quiet", "aria-label": `Remove ${name}`, onclick: () => edit(`the requirement ${name}`, [remove(place.length > 2 ? ["privacy", name] : place)]) }, "Remove")),
    h("div", { class: "row fields" }, (one?.keys ?? []).map((/** @type {any} */ key) => input(key, said[key.name], `asked-${index}-${key.name}`, [...place, key.name], name))),
    one && h("details", { class: "more" }, h("summary", null, "What it means"), h("p", null, one.help), h("p", { class: "hint" }, one.source)));
}

/** @param {string} text */
const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A key of the policy, as a field. @param {any} key @param {any} value @param {string} id @param {string[]} place @param {string} what */
export function input(key, value, id, place, what) {
  const kind = key.kind;
  const usual = key.default === null || key.default === undefined ? "" : String(key.default);
  const save = (/** @type {any} */ to) => edit(`${key.name} of ${what}`, [to === "" ? remove(place) : set(place, to)]);
  const typed = (/** @type {string} */ text) => (/^-?\d+(\.\d+)?$/.test(text) ? raw(text) : text);
  /** @type {any} */
  let element;
  if (kind.is === "choice") {
    element = select([...(key.required ? [] : /** @type {[string, string][]} */ ([["", `as usual${usual ? ` (${usual.replaceAll('"', "")})` : ""}`]])), ...kind.words.map((/** @type {string} */ word) => /** @type {[string, string]} */ ([word, word]))], value ?? "", { onchange: () => save(element.value) });
  } else if (kind.is === "column") {
    const columns = Object.entries(at("columns") ?? {}).filter(([, section]) => /** @type {any} */ (section).role === kind.role).map(([name]) => name);
    element = select([...(key.required ? [] : /** @type {[string, string][]} */ ([["", "all of them"]])), ...columns.map((name) => /** @type {[string, string]} */ ([name, name]))], value ?? "", { onchange: () => save(element.value) });
  } else if (kind.is === "flag") {
    element = select([["", `as usual${usual ? ` (${usual})` : ""}`], ["true", "yes"], ["false", "no"]], value === undefined ? "" : String(value), { onchange: () => save(element.value === "" ? "" : raw(element.value)) });
  } else if (kind.is === "table") {
    return h("div", { class: "field" }, h("span", { class: "label" }, key.name), h("small", null, value === undefined ? "set in the policy, if at all" : "set in the policy"));
  } else {
    element = h("input", {
      value: value ?? "", placeholder: usual.replaceAll('"', ""), size: 8, inputMode: kind.is === "duration" ? "text" : "decimal", required: key.required,
      type: kind.is === "count" ? "number" : "text", min: kind.least, onchange: () => save(element.value.trim() === "" ? "" : typed(element.value.trim())),
    });
  }
  return field(id, key.name, element, key.help);
}

/** @param {string[]} taken */
function add(taken) {
  const free = catalogue().requirements.filter((/** @type {any} */ one) => !taken.includes(one.name));
  if (!free.length) return null;
  const picked = select(free.map((/** @type {any} */ one) => [one.name, `${one.name}: ${one.summary}`]), free[0].name);
  const go = () => {
    const one = free.find((/** @type {any} */ it) => it.name === picked.value);
    const usual = (/** @type {any} */ key) => {
      if (key.kind.is === "count") return raw(String(Math.max(2, Number(key.kind.least ?? 0))));
      if (key.kind.is === "column") return Object.entries(at("columns") ?? {}).find(([, section]) => /** @type {any} */ (section).role === key.kind.role)?.[0] ?? "";
      if (key.kind.is === "choice") return key.kind.words[0];
      return "1/5";
    };
    const needed = one.keys.filter((/** @type {any} */ key) => key.required).map((/** @type {any} */ key) => set(["privacy", one.name, key.name], usual(key)));
    edit(`the requirement ${one.name}`, [{ open: ["privacy", one.name] }, ...needed]);
  };
  return h("details", { class: "more" }, h("summary", null, "Ask for more"),
    h("div", { class: "row fields" }, field("add-requirement", "Requirement", picked), h("button", { type: "button", onclick: go }, "Add")));
}

function method() {
  const { methods } = catalogue();
  const now = at("method", "name") ?? app.state.understood?.method ?? catalogue().default;
  const names = asked().map((one) => one.name);
  const fits = methods.filter((/** @type {any} */ one) => names.every((name) => catalogue().requirements.find((/** @type {any} */ it) => it.name === name)?.methods.includes(one.name)));
  const one = methods.find((/** @type {any} */ it) => it.name === now);
  const listed = [...new Set([...fits.map((/** @type {any} */ it) => it.name), now])];
  const picked = select(listed, now, { onchange: () => {
    const other = methods.find((/** @type {any} */ it) => it.name === picked.value);
    const stray = Object.keys(at("method") ?? {}).filter((key) => key !== "name" && !other?.keys.some((/** @type {any} */ it) => it.name === key));
    edit("the method", [...stray.map((key) => remove(["method", key])), set(["method", "name"], picked.value)]);
  } });
  return h("section", { class: "card", "aria-labelledby": "method-title" },
    h("h2", { id: "method-title" }, "How it is made"),
    h("div", { class: "row fields" }, field("method-name", "Method", picked, one?.summary)),
    one && h("details", { class: "more" }, h("summary", null, "Settings of the method"), h("p", null, one.help),
      h("div", { class: "row fields" }, one.keys.map((/** @type {any} */ key) => input(key, at("method", key.name), `method-${key.name}`, ["method", key.name], one.name)))));
}

function presets() {
  if ((app.state.policy.kind ?? "table") !== "table") return null;
  const row = (/** @type {any} */ one) => h("li", null, h("div", null, h("strong", null, one.title), h("p", null, one.summary)),
    one.k && h("button", { type: "button", class: "quiet", onclick: () => edit(`the preset ${one.name}`, [set(["privacy", "k-anonymity", "k"], raw(String(one.k))), set(["report", "preset"], one.name)]) }, `Use k = ${one.k}`));
  return h("details", { class: "more" }, h("summary", null, "Start from what a rule asks for"),
    h("p", { class: "hint" }, "No tool can certify compliance: a preset fills in what a rule says in numbers."), h("ul", { class: "plain" }, app.catalogue.presets.map(row)));
}

/** @param {any[]} list */
function protections(list) {
  const group = (/** @type {string} */ title, /** @type {any[]} */ some) => some.length > 0 && h("div", null, h("h3", null, title), h("dl", { class: "protections" }, some.map((one) =>
    h("div", { class: COVER[one.cover]?.[1] ?? "" }, h("dt", null, one.attack, h("span", { class: `tag ${COVER[one.cover]?.[1]}` }, COVER[one.cover]?.[0] ?? one.cover)), h("dd", null, one.meaning)))));
  return h("section", { "aria-labelledby": "stops-title" }, h("h2", { id: "stops-title" }, "What this does and does not stop"),
    h("div", { class: "two" }, group("It stops, or limits", list.filter((one) => one.cover !== "uncovered")), group("It does not stop", list.filter((one) => one.cover === "uncovered"))));
}

