/** The way to the server: calls, work that takes long, and files. */

/** The token came in the part of the address that is never sent. It stays in this tab's history, and leaves the address. */
const token = (() => {
  const found = location.hash.slice(1);
  if (/^[0-9a-f]{32}$/.test(found)) {
    history.replaceState({ token: found }, "", "/");
    return found;
  }
  return history.state?.token ?? "";
})();

/** What the server refused, with the remedy it names. */
export class Refused extends Error {
  /** @param {any} wrong @param {number} [status] */
  constructor(wrong, status) {
    super(wrong?.message ?? "the server does not answer");
    this.help = wrong?.help;
    this.line = wrong?.line;
    this.file = wrong?.file;
    this.status = status;
  }
}

/** @param {string} path @param {BodyInit} body @param {Record<string, string>} [headers] @param {AbortSignal} [signal] */
async function ask(path, body, headers, signal) {
  try {
    return await fetch(`/api/${path}`, { method: "POST", body, headers: { "X-Privet-Token": token, ...headers }, signal });
  } catch {
    throw new Refused({ message: "the studio has ended", help: "start privet-studio again, and open the address that it prints" });
  }
}

/** Makes a call and returns its answer. @param {string} name @param {any} [asked] @returns {Promise<any>} */
export async function call(name, asked = {}) {
  const response = await ask(name, JSON.stringify(asked));
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.error, response.status);
  return answer;
}

/** Takes a file in. @param {File} file @returns {Promise<string>} its path */
export async function upload(file) {
  const response = await ask("upload", file, { "X-Privet-Name": encodeURIComponent(file.name) });
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.error, response.status);
  return answer.path;
}

/**
 * Does work that takes long. `heard` gets every event: `stage`, `at`, `best`, `bound`, `chart`.
 * @param {string} name
 * @param {any} asked
 * @param {(event: any) => void} heard
 * @returns {{ ended: Promise<any>, stop: () => void, enough: () => void }}
 */
export function work(name, asked, heard) {
  let number = 0;
  const end = (/** @type {string} */ how) => {
    if (number) call(how, { job: number }).catch(() => {});
  };
  const ended = (async () => {
    const response = await ask(`job/${name}`, JSON.stringify(asked ?? {}));
    if (!response.ok || !response.body) throw new Refused((await response.json()).error, response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new Refused({ message: "the studio has ended" });
      rest += value;
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      for (const text of events) {
        const event = JSON.parse(text.replace(/^data: /, ""));
        if (event.job) number = event.job;
        else heard(event);
        if ("done" in event) return event.done;
        if (event.failed) throw new Refused(event.failed);
      }
    }
  })();
  return { ended, stop: () => end("stop"), enough: () => end("enough") };
}
