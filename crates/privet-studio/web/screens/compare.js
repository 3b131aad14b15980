/** Compare: many settings and methods on one plot of risk against loss; choose one with your eyes. */

import { byId, counted, field, figure, fill, h } from "../dom.js";
import { paper } from "../paper.js";
import { app, at, edit, raw, remove, run, set } from "../state.js";
import { go } from "../studio.js";

/** @type {{ text: string, found: any } | null} */
let last = null;
let comparing = false;
/** What was typed into the fields, by requirement and key. @type {Record<string, string>} */
const typed = {};
/** It stays while other screens are looked at. */
const work = h("div", null);

/** @param {HTMLElement} root */
export function draw(root) {
  const kind = app.catalogue.kinds[app.state.policy.kind ?? "table"];
  const k = at("privacy", "k-anonymity", "k");
  const numbers = Object.entries(at("privacy") ?? {}).flatMap(([name, said]) => {
    if (Array.isArray(said)) return [];
    const one = kind.requirements.find((/** @type {any} */ it) => it.name === name);
    return (one?.keys ?? []).filter((/** @type {any} */ key) => ["count", "exact"].includes(key.kind.is) && /** @type {any} */ (said)[key.name] !== undefined)
      .map((/** @type {any} */ key) => ({ name, key: key.name, now: /** @type {any} */ (said)[key.name], isCount: key.kind.is === "count" }));
  });
  const around = (/** @type {any} */ one) => (one.isCount ? [2, 3, 5, 10, 20] : [0.1, 0.2, 0.3, 0.5]).map(String);
  const inputs = numbers.map((one) => ({ one, input: h("input", { oninput: (/** @type {any} */ event) => { typed[`${one.name} ${one.key}`] = event.target.value; }, value: typed[`${one.name} ${one.key}`] !== undefined ? typed[`${one.name} ${one.key}`] : one.key === "k" || numbers.length === 1 ? around(one).join(", ") : "", placeholder: String(one.now), size: 20 }) }));
  const names = Object.keys(at("privacy") ?? {});
  const now = at("method", "name") ?? app.state.understood?.method;
  const fits = kind.methods.filter((/** @type {any} */ one) => names.every((name) => kind.requirements.find((/** @type {any} */ it) => it.name === name)?.methods.includes(one.name)));
  const methods = fits.map((/** @type {any} */ one) => ({ one, box: h("input", { type: "checkbox", id: `method-${one.name}`, checked: one.name === now }) }));
  const settings = () => {
    /** @type {{ label: string, edits: any[] }[]} */
    let all = methods.filter((/** @type {any} */ it) => it.box.checked).map((/** @type {any} */ { one }) => {
      const stray = Object.keys(at("method") ?? {}).filter((key) => key !== "name" && !one.keys.some((/** @type {any} */ it) => it.name === key));
      return one.name === now ? { label: "", edits: [] } : { label: one.name, edits: [...stray.map((key) => remove(["method", key])), set(["method", "name"], one.name)] };
    });
    if (!all.length) all = [{ label: "", edits: [] }];
    for (const { one, input } of inputs) {
      const values = input.value.split(",").map((/** @type {string} */ it) => it.trim()).filter(Boolean);
      if (!values.length) continue;
      all = all.flatMap((before) => values.map((/** @type {string} */ value) => ({
        label: [before.label, `${numbers.length > 1 && one.key !== "k" ? `${one.name} ` : ""}${one.key} = ${value}`].filter(Boolean).join(", "),
        edits: [...before.edits, set(["privacy", one.name, one.key], /^[\d.]+$/.test(value) ? raw(value) : value)],
      })));
    }
    return all.filter((one) => one.edits.length).slice(0, 60);
  };
  const out = h("div", { id: "compared" });
  const start = async () => {
    comparing = true;
    byId("compare").disabled = true;
    const text = app.state.policy.text;
    const found = await run(work, "compare", { settings: settings() }, { title: "Comparing" });
    comparing = false;
    if (found) last = { text, found };
    if (app.screen === "compare") draw(byId("screen"));
  };
  fill(root,
    h("h1", null, "Compare settings"),
    h("p", { class: "lead" }, "Every setting is decided and measured; nothing is written. Further down is safer, further left keeps more."),
    h("section", { class: "card" },
      h("div", { class: "row fields" }, inputs.map(({ one, input }) => field(`vary-${one.name}-${one.key}`, `${one.name}: ${one.key}`, input, "values between commas"))),
      methods.length > 1 && h("fieldset", { class: "methods" }, h("legend", null, "Methods"), methods.map((/** @type {any} */ { one, box }) => h("label", { class: "check" }, box, h("span", null, one.name, h("small", null, one.summary))))),
      h("p", null, h("button", { type: "button", id: "compare", class: "primary", disabled: !!app.state.error || comparing, onclick: start }, "Compare"))),
    work, out);
  if (last && last.text === app.state.policy.text) show(out, last.found, true);
  else if (last && k !== undefined) show(out, last.found, false);
}

/** @param {HTMLElement} box @param {any} found @param {boolean} current */
function show(box, found, current) {
  const adopt = async (/** @type {any} */ one) => {
    if (!one?.edits.length || !(await edit(`the setting ${one.label}`, one.edits))) return;
    go("search");
  };
  const page = paper(found.html, (id) => id === "frontier");
  const circles = [...(page.shadowRoot?.querySelectorAll("#frontier circle") ?? [])];
  for (const one of found.settings) {
    const circle = one.point === null || one.point === undefined ? undefined : circles[one.point];
    if (!circle || !one.edits.length || !current) continue;
    circle.classList.add("picked");
    circle.setAttribute("tabindex", "0");
    circle.setAttribute("role", "button");
    circle.setAttribute("aria-label", `Adopt ${one.label}: loss ${figure(one.loss)}, risk ${figure(one.risk)}`);
    circle.addEventListener("click", () => adopt(one));
    circle.addEventListener("keydown", (/** @type {any} */ event) => ["Enter", " "].includes(event.key) && (event.preventDefault(), adopt(one)));
  }
  // A picture whose parts can be chosen is not one thing to a screen reader.
  page.shadowRoot?.querySelector("#frontier svg")?.setAttribute("role", "group");
  fill(box,
    !current && h("p", { class: "warned" }, "Compared before the policy was changed."),
    page,
    h("div", { class: "scroll", role: "region", "aria-label": "Every setting", tabIndex: 0 }, h("table", { class: "data" }, h("caption", { class: "spoken" }, "Every setting with its loss and risk"),
      h("thead", null, h("tr", null, ["Setting", "Loss", "Risk", "Nothing beats it", ""].map((name) => h("th", { scope: "col" }, name || h("span", { class: "spoken" }, "Adopt"))))),
      h("tbody", null,
        found.settings.map((/** @type {any} */ one, /** @type {number} */ at) => h("tr", null, h("th", { scope: "row" }, `${at + 1} ${one.label}`), one.point === null ? h("td", { colSpan: 3 }, "no release can meet it") : [h("td", null, figure(one.loss)), h("td", null, figure(one.risk)), h("td", null, found.frontier[one.point] ? "✓" : "")],
          h("td", null, current && one.edits.length > 0 && one.point !== null && h("button", { type: "button", class: "quiet adopt", onclick: () => adopt(one) }, "Adopt")))),
        found.refused.map((/** @type {any} */ one) => h("tr", null, h("th", { scope: "row" }, one.label), h("td", { colSpan: 4 }, one.error.message)))))),
    found.doubts.map((/** @type {string} */ one) => h("p", { class: "hint" }, one)),
    h("p", { class: "spoken", role: "status" }, `${counted(found.settings.length, "setting", "settings")} compared`));
}

