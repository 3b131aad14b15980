/** Small helpers to make elements; texts are always texts, never markup. */

/**
 * Makes an element. Properties that begin with `on` are listeners, `class`, `data-…` and `aria-…` attributes are set as such.
 * @param {string} tag
 * @param {Record<string, any> | null} [properties]
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && !name.includes("-") && name !== "list" && name !== "role") {
      /** @type {any} */ (element)[name] = value;
    } else element.setAttribute(name === "className" ? "class" : name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** @param {Node} parent @param {any[]} children */
function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Gives an element these children and no others. @param {Element} element @param {...any} children */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** A whole number with its thousands apart. @param {number} number */
export const count = (number) => Number(number ?? 0).toLocaleString("en");

/** A share as people read it. @param {number} share */
export function percent(share) {
  const value = 100 * share;
  if (value === 0) return "0 %";
  if (value < 0.1) return "< 0.1 %";
  if (value > 99.9 && value < 100) return "> 99.9 %";
  return `${value.toFixed(value < 10 ? 1 : 0)} %`;
}

/** @param {number} number @param {string} one @param {string} many */
export const counted = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {number | null | undefined} value */
export const figure = (value) =>
  value === null || value === undefined ? "–" : Number(value).toLocaleString("en", { maximumSignificantDigits: 4 });

/** A bar for a share, with the figure next to it. @param {number} share */
export function bar(share) {
  const fill = h("i", null);
  fill.style.setProperty("--share", `${Math.min(1, share) * 100}%`);
  return h("span", { class: "bar" }, h("span", { class: "track", "aria-hidden": "true" }, fill), h("b", null, percent(share)));
}

/** A field with its label. @param {string} id @param {string} label @param {any} input @param {any} [note] */
export function field(id, label, input, note) {
  input.id = id;
  if (note) input.setAttribute("aria-describedby", `${id}-note`);
  return h("div", { class: "field" }, h("label", { htmlFor: id }, label), input, note && h("small", { id: `${id}-note` }, note));
}

/** @param {string[] | [string, string][]} options @param {string} chosen @param {Record<string, any>} [properties] */
export function select(options, chosen, properties) {
  const list = options.map((option) => {
    const [value, label] = Array.isArray(option) ? option : [option, option];
    return h("option", { value, selected: value === chosen }, label);
  });
  return h("select", properties, list);
}
