// What the page itself received, where the browser still has it: a script of ours beside those of the
// page reads the browser's cache, and nobody is asked. What it has not is asked for in the same way.
// No rule of the page (Content-Security-Policy) holds such a script up, or tells its site of it.

import { BOUNDS, openFields, within } from "./bounds.js";
import { fromBase64 } from "./parcel.js";

// Runs in the page, in a world of its own. What is of another origin it leaves alone: null.
const readHere = async (url, terms, mostOctets) => {
  try {
    if (new URL(url).origin !== self.origin) return null;
    const isKept = terms.cache === "only-if-cached";
    const worker = navigator.serviceWorker;
    if (isKept && worker && worker.controller) return null; // it might answer in the cache's place
    const answer = await fetch(url, { mode: "same-origin", ...terms });
    const told = { final_uri: answer.url.split("#", 1)[0], status: answer.status, fields: [...answer.headers] };
    if (!answer.ok || terms.credentials === "omit") {
      if (answer.body) await answer.body.cancel();
      return told;
    }
    const blob = await answer.blob();
    if (blob.size > mostOctets) return null;
    if (isKept) {
      // Another tab may have put another answer there since.
      const noted = performance.getEntries().filter(({ name }) => name.split("#", 1)[0] === url);
      const sizes = noted.map(({ decodedBodySize }) => decodedBodySize).filter(Boolean);
      if (sizes.length && !sizes.includes(blob.size)) return null;
    }
    const data = await new Promise((done, fail) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.onerror = fail;
      reader.readAsDataURL(blob);
    });
    return { ...told, base64: data.slice(data.indexOf(",") + 1) };
  } catch {
    return null;
  }
};

const read = async (tabId, url, terms) => {
  try {
    const given = { target: { tabId, frameIds: [0] }, func: readHere, args: [url, terms, BOUNDS.answerOctets] };
    const [{ result }] = await within(BOUNDS.octetsMs, chrome.scripting.executeScript(given), "silent");
    return result || null;
  } catch {
    return null;
  }
};

const answerOf = (url, told, had) => {
  if (told === null || told.base64 === undefined) return null;
  const { base64, fields, ...answer } = told;
  return { uri: url, ...answer, fields: openFields(fields), octets: fromBase64(base64), had };
};

// An answer of the page's own origin as the browser keeps it; null where it does not.
export const fromCache = async (tabId, url) =>
  answerOf(url, await read(tabId, url, { cache: "only-if-cached", credentials: "include" }), "cache");

// The same, asked for once more; null where that cannot be.
export const askedBeside = async (tabId, url) => answerOf(url, await read(tabId, url, { cache: "default", credentials: "include" }), "asked");

// The status for somebody whom the site does not know; 0 where that is not to be had.
export const statusForAll = async (tabId, url) => {
  const told = await read(tabId, url, { cache: "no-store", credentials: "omit" });
  return told ? told.status : 0;
};
