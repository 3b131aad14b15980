/** What is open, as the server says; every screen is drawn from it. */

import { byId, fill, h } from "./dom.js";
import { Refused, call, work } from "./call.js";

/** @type {{ state: any, catalogue: any, folder: string, screen: string, reports: Record<string, any> }} */
export const app = { state: { version: 0, policy: null }, catalogue: null, folder: "", screen: "data", reports: {} };

/** @type {Set<() => void>} */
const watching = new Set();

/** Hears of every new state. @param {() => void} watch */
export const watch = (watch) => watching.add(watch);

/** Takes a new state, and draws what depends on it. @param {any} state */
export function take(state) {
  if (!state || typeof state.version !== "number") return;
  app.state = state;
  for (const one of watching) one();
}

/** Says something to those who do not see the screen. @param {string} text */
export function say(text) {
  byId("spoken").textContent = text;
}

/** Shows what went wrong, with its remedy. @param {any} error */
export function trouble(error) {
  const box = byId("trouble");
  if (!error) {
    box.hidden = true;
    return;
  }
  const place = error.file ? `${error.file}${error.line ? `, line ${error.line}` : ""}: ` : "";
  fill(
    box,
    h("p", null, place, h("strong", null, error.message)),
    error.help && h("p", null, error.help),
    h("button", { type: "button", class: "quiet", onclick: () => trouble(null) }, "Dismiss"),
  );
  box.hidden = false;
}

/** Does something and shows what goes wrong. @param {() => Promise<any>} what @returns {Promise<any>} */
export async function attempt(what) {
  trouble(null);
  try {
    return await what();
  } catch (error) {
    if (error instanceof Refused && error.status === 409) {
      take(await call("state"));
    }
    trouble(error);
    return undefined;
  }
}

/** The change that was asked for last. @type {Promise<any>} */
let last = Promise.resolve();

/**
 * Makes a call about the state as it is shown, and takes the new one. Changes wait for each other, however fast somebody clicks.
 * @param {string} name @param {any} [asked]
 */
export function change(name, asked = {}) {
  last = last.then(() => attempt(async () => {
    const answer = await call(name, { ...asked, version: app.state.version });
    take(answer.state ?? answer);
    return answer;
  }));
  return last;
}

/** Changes keys of the policy. @param {string} what @param {any[]} edits */
export const edit = (what, edits) => change("edit", { what, edits });

/** @param {string[]} place @param {any} to */
export const set = (place, to) => ({ set: place, to });

/** @param {string[]} place */
export const remove = (place) => ({ remove: place });

/** A value that is TOML already: a number as it was typed. @param {string} toml */
export const raw = (toml) => ({ toml });

/** A value of the policy. @param {...string} place */
export function at(...place) {
  let found = app.state.policy?.json;
  for (const key of place) found = found?.[key];
  return found;
}

/**
 * Shows how work goes, with a button that stops it, in `box`; returns what it came to.
 * @param {Element} box
 * @param {string} name
 * @param {any} asked
 * @param {{ title: string, enough?: string, heard?: (event: any) => void }} about
 */
export async function run(box, name, asked, about) {
  trouble(null);
  const stage = h("span", null, about.title);
  const clock = h("span", { class: "clock" });
  const meter = h("progress", { "aria-label": about.title, max: 1 });
  let total = 0;
  const doing = work(name, asked, (event) => {
    if (event.stage) {
      total = event.stage.total ?? 0;
      stage.textContent = event.stage.name;
      meter.removeAttribute("value");
    }
    if (event.at !== undefined && total) meter.value = Math.min(1, event.at / total);
    if (event.seconds !== undefined) clock.textContent = `${event.seconds.toFixed(1)} s`;
    about.heard?.(event);
  });
  const stop = h("button", { type: "button", class: "quiet", onclick: () => doing.stop() }, "Stop");
  const enough = about.enough && h("button", { type: "button", onclick: () => doing.enough() }, about.enough);
  fill(box, h("div", { class: "working", role: "group", "aria-label": about.title }, h("p", null, stage, " ", clock), meter, h("p", { class: "row" }, enough, stop)));
  say(about.title);
  try {
    const done = await doing.ended;
    fill(box);
    say(`${about.title}: done`);
    return done;
  } catch (error) {
    fill(box);
    if (!/** @type {any} */ (error).message.startsWith("interrupted")) trouble(error);
    else say("stopped");
    return undefined;
  }
}

/** @type {Promise<any> | null} */
let studying = null;

/** Looks at the columns, once at a time. @param {Element} box */
export function study(box) {
  studying ??= run(box, "study", {}, { title: "Looking at the columns" }).finally(() => { studying = null; });
  return studying;
}
