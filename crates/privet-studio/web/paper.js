/** Pages that the library wrote: shown as they are filed, in a tree of their own, with the stylesheet of the reports. */

import { h } from "./dom.js";

/** @type {any} */
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("privet", { createHTML: (/** @type {string} */ text) => text });

/** @type {Promise<CSSStyleSheet> | undefined} */
let style;

/** How the stylesheet of the reports reads in a tree of its own, and in the dark. */
const OWN = `
:host { display: block; color: var(--ink); font: 15px/1.55 var(--sans); }
:host > div { padding: 0; max-width: none; }
main > section:first-of-type { margin-top: 1.2rem; }
nav, .masthead, footer, h1, .byline { display: none !important; }
.wide svg { width: 100%; max-width: 56rem; height: auto; }
h2 { font-size: 1.3rem; } main > section { margin-top: 2.2rem; }
.picked { cursor: pointer; } .picked:hover, .picked:focus-visible { stroke: var(--ink); stroke-width: 2.5; outline: none; }
@media (prefers-color-scheme: dark) {
  :host { --ink: #e6ebe8; --soft: #a7b3ac; --faint: #84918a; --rule: #35403a; --paper: #1a201d; --tint: #212925;
    --hedge: #6fbf94; --hedge-deep: #9ad7b6; --hedge-tint: #24382d; --sand: #a3926f; --warn: #ee9a6f; --warn-tint: #33241c; }
  svg .note { stroke: var(--paper); } svg .control, .node-above, .tag.part, .tag.hard { fill: var(--paper); background: var(--paper); }
  svg .track { fill: #2c3631; } svg .permitted, svg .box { fill: #3a5a48; } svg .dot { stroke: var(--paper); } svg .part { stroke: var(--paper); }
  .verdict.amber { background: #2d2717; } .verdict.amber h2 { color: #e7c069; } .verdict h2 svg { stroke: var(--paper); }
  svg .curve-before { stroke: #b9a67c; } .node-below { fill: #55605a; }
  svg .warm-0, svg .cool-0 { fill: #262d2a; } svg .warm-1 { fill: #24382d; } svg .warm-2 { fill: #2d5340; } svg .warm-3 { fill: #3f7a5b; }
  svg .cell { fill: var(--ink); } svg .cool-1 { fill: #3a2c22; } svg .cool-2 { fill: #5c3e29; } svg .cool-3 { fill: #875630; }
  .stripe, tbody tr:nth-child(even) { background: transparent; }
}`;

function sheet() {
  style ??= fetch("/report.css").then(async (response) => {
    const text = (await response.text()).replaceAll(":root", ":host").replace(/^html \{/m, ":host {").replace(/^body \{/gm, ":host > div {");
    const found = new CSSStyleSheet();
    found.replaceSync(text.replaceAll("max-width: 62rem;", "") + OWN);
    return found;
  });
  return style;
}

/** Reads markup that the library wrote. Its own stylesheet stays out: that of this page stands in. @param {string} html */
export function parsed(html) {
  html = html.replace(/<style>[^]*?<\/style>/g, "");
  return new DOMParser().parseFromString(trusted ? trusted.createHTML(html) : html, "text/html");
}

/**
 * Shows a page of the library. `keep` says which sections are wanted, by their ids; all of them if it is left out.
 * @param {string} html
 * @param {(id: string) => boolean} [keep]
 * @returns {HTMLElement}
 */
export function paper(html, keep) {
  const found = parsed(html);
  const host = h("div", { class: "paper" });
  const root = host.attachShadow({ mode: "open" });
  const body = h("div", null);
  const definitions = found.querySelector(".definitions");
  if (definitions) body.appendChild(document.adoptNode(definitions));
  const main = found.querySelector("main") ?? found.body;
  if (keep) for (const section of main.querySelectorAll(":scope > section")) if (!keep(section.id)) section.remove();
  body.appendChild(document.adoptNode(main));
  root.appendChild(body);
  sheet().then((one) => { root.adoptedStyleSheets = [one]; });
  return host;
}

/** What the sections are called that the page's own list leaves out. */
const FIRST = /** @type {Record<string, string>} */ ({ verdict: "In short", warnings: "Warnings", limits: "What is not stopped" });

/** The names of the sections of a page, as its own list has them. @param {string} html @returns {[string, string][]} */
export function sections(html) {
  const found = parsed(html);
  const listed = new Map([...found.querySelectorAll("nav a")].map((link) => [link.getAttribute("href")?.slice(1), link.textContent ?? ""]));
  return [...found.querySelectorAll("main > section")].map((section) => [section.id, listed.get(section.id) ?? FIRST[section.id] ?? section.id]);
}

/** A picture that the library drew. @param {string} svg */
export function picture(svg) {
  const host = h("div", { class: "paper picture" });
  const root = host.attachShadow({ mode: "open" });
  const found = parsed(svg).querySelector("svg");
  const body = h("div", null);
  if (found) body.appendChild(document.adoptNode(found));
  root.appendChild(body);
  sheet().then((one) => { root.adoptedStyleSheets = [one]; });
  return host;
}
