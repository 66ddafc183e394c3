// Browsers without a protocol of developer tools, or where it is not to be had: the page as a script
// of ours reads it, apart from the page's own. What the browser's cache has of its origin is taken from
// there; where the user lets us read what sites send, the rest is asked for once more.

import { BOUNDS, DOMAIN, inTurns, openFields, within } from "./bounds.js";
import { fromBase64 } from "./parcel.js";
import { fromCache } from "./received.js";

export const EVERYWHERE = { origins: ["http://*/*", "https://*/*"] };

// Runs in the page, in a world of its own, behind injected.js.
const frozenHere = async (given, numbers) => {
  const api = globalThis.browser;
  const owners = [];
  const frames = [];
  if (api && api.runtime && api.runtime.getFrameId) {
    for (const owner of document.querySelectorAll("iframe, frame")) {
      const number = numbers[api.runtime.getFrameId(owner)];
      if (number) {
        owners.push(owner);
        frames.push(number);
      }
    }
  }
  const told = await globalThis.permaciteFreeze({ ...given, frames }, ...owners);
  const asked = performance.getEntriesByType("resource").map(({ name, initiatorType }) => [name, initiatorType]);
  return { told, asked, url: location.href, inner: document.querySelectorAll("iframe, frame").length - frames.length };
};

const run = async (target, rest) => {
  const results = await within(BOUNDS.documentMs, chrome.scripting.executeScript({ target, ...rest }), "silent");
  return results.map(({ frameId, result }) => ({ frameId, result }));
};

const documentsOf = async (tabId, wish, left) => {
  const api = globalThis.browser;
  const hasFrames = Boolean(api && api.runtime && api.runtime.getFrameId);
  const target = hasFrames ? { tabId, allFrames: true } : { tabId };
  const found = (await run(target, { files: ["injected.js"] })).map(({ frameId }) => frameId).sort((a, b) => a - b);
  const numbers = Object.fromEntries(found.slice(0, BOUNDS.frames).map((frameId, number) => [frameId, number]));
  const documents = [];
  const asked = new Map();
  for (const [frameId, number] of Object.entries(numbers)) {
    const given = { ...BOUNDS.document, closed: 0, prefix: `part-${number}`, domain: DOMAIN, picture: wish.picture };
    try {
      const [{ result }] = await run({ tabId, frameIds: [Number(frameId)] }, { func: frozenHere, args: [given, numbers] });
      if (!result) throw new Error("unreadable");
      documents.push({ number, uri: result.url, corner: number ? null : [0, 0], told: JSON.parse(result.told) });
      if (result.inner > 0) left.frame = (left.frame || 0) + result.inner;
      asked.set(result.url, "document");
      for (const [url, type] of result.asked) if (!asked.has(url)) asked.set(url, type);
    } catch (error) {
      if (number === 0) throw error;
      left.frame = (left.frame || 0) + 1;
    }
  }
  return { documents, asked };
};

const originals = async (tabId, asked, wish, left, tell) => {
  const mayAsk = await chrome.permissions.contains(EVERYWHERE);
  const wanted = [];
  for (const [url, type] of asked) {
    const isData = type === "fetch" || type === "xmlhttprequest";
    if (!/^https?:/.test(url)) continue;
    if (type === "script" || type === "beacon" || (isData && !wish.data)) {
      const reason = isData ? "data-of-scripts" : "script";
      left[reason] = (left[reason] || 0) + 1;
    } else wanted.push([url.split("#", 1)[0], isData]);
  }
  const answers = [];
  const failures = [];
  let done = 0;
  let size = 0;
  await inTurns([...new Map(wanted)].slice(0, BOUNDS.answers), async ([url, isData]) => {
    try {
      if (size > BOUNDS.octets) throw Object.assign(new Error("there is too much"), { reason: "size" });
      const kept = await fromCache(tabId, url);
      if (kept) {
        size += kept.octets.length;
        answers.push(kept);
        return;
      }
      if (!mayAsk) throw Object.assign(new Error("it may not be asked for"), { reason: "permission" });
      if (isData) throw Object.assign(new Error("it is not asked for twice"), { reason: "data" });
      const ask = fetch(url, { credentials: "include", cache: "force-cache", referrerPolicy: "no-referrer" });
      const answer = await within(BOUNDS.octetsMs, ask, "it was late");
      if (!answer.ok) throw Object.assign(new Error(`the server answers ${answer.status}`), { reason: "status" });
      const octets = new Uint8Array(await within(BOUNDS.octetsMs, answer.arrayBuffer(), "it was late"));
      if (octets.length > BOUNDS.answerOctets) throw Object.assign(new Error("it is too large"), { reason: "size" });
      size += octets.length;
      const fields = openFields([...answer.headers]);
      answers.push({ uri: url, final_uri: answer.url.split("#", 1)[0], status: answer.status, fields, octets, had: "asked" });
    } catch (error) {
      failures.push({ uri: url, reason: error.reason || "connect", problem: String(error.message).slice(0, 200) });
    } finally {
      tell("octets", ++done, wanted.length);
    }
  });
  return { answers, failures };
};

// The picture of the view, unless another tab stands before it meanwhile.
const pictureOf = async (tab) => {
  const isSeen = async () => (await chrome.tabs.get(tab.id)).active;
  try {
    if (!(await isSeen())) return null;
    const shot = await chrome.tabs.captureVisibleTab(tab.windowId, { format: "png" });
    return (await isSeen()) ? fromBase64(shot.slice(shot.indexOf(",") + 1)) : null;
  } catch {
    return null;
  }
};

export const takeByScript = async (tab, wish, tell) => {
  const left = {};
  tell("drawing");
  const { documents, asked } = await documentsOf(tab.id, wish, left);
  const view = await pictureOf(tab);
  if (!view) left.screenshot = 1;
  const isChromium = /Chrom(e|ium)\//.test(navigator.userAgent);
  const had = await originals(tab.id, asked, wish, left, tell);
  return {
    url: documents[0].uri.split("#", 1)[0],
    browser: (/(Firefox|Chrome)\/[0-9.]+/.exec(navigator.userAgent) || [isChromium ? "Chrome" : "a browser"])[0],
    agent: navigator.userAgent,
    documents,
    view,
    ...had,
    left,
    account: true,
  };
};
