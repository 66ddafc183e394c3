// Chromium: the page as it is drawn, and the octets that it was made of, by the protocol of its
// developer tools. The calls are those of `permacite.capture.browsing`.

import { BOUNDS, DOMAIN, inTurns, openFields, within } from "./bounds.js";
import { fromBase64 } from "./parcel.js";
import { askedBeside, fromCache, statusForAll } from "./received.js";

const WORLD = "permacite";
const COUNT = "() => Document.prototype.getElementsByTagName.call(document, '*').length";
const KNOWN = `() => {
  const asks = /token|auth|session|jwt|login|user/i;
  try {
    return [localStorage, sessionStorage].some((kept) => Object.keys(kept).some((name) => asks.test(name)));
  } catch { return false; }
}`;

class Tab {
  constructor(tabId) {
    this.tabId = tabId;
    this.sessions = new Map([["", "page"]]);
    this.gone = "";
    this.event = (source, method, told) => {
      if (source.tabId !== tabId || method !== "Target.attachedToTarget") return;
      if (told.targetInfo.type === "iframe") this.sessions.set(told.sessionId, "iframe");
    };
    this.detached = (source, reason) => {
      if (source.tabId === tabId) this.gone = reason;
    };
  }

  async open() {
    await chrome.debugger.attach({ tabId: this.tabId }, "1.3");
    chrome.debugger.onEvent.addListener(this.event);
    chrome.debugger.onDetach.addListener(this.detached);
    const inner = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await this.send("Target.setAutoAttach", inner).catch(() => {});
  }

  async close() {
    chrome.debugger.onEvent.removeListener(this.event);
    chrome.debugger.onDetach.removeListener(this.detached);
    if (!this.gone) await chrome.debugger.detach({ tabId: this.tabId }).catch(() => {});
  }

  async send(method, params = {}, session = "") {
    const target = session ? { tabId: this.tabId, sessionId: session } : { tabId: this.tabId };
    return within(BOUNDS.documentMs, chrome.debugger.sendCommand(target, method, params), "silent");
  }
}

class Freezer {
  constructor(tab, { script, pointing }, wish, left) {
    this.tab = tab;
    this.script = script;
    this.pointing = `() => { globalThis.permacitePoints =\n${pointing}; }`;
    this.wish = wish;
    this.left = left;
    this.frames = [];
    this.documents = [];
  }

  leave(reason) {
    this.left[reason] = (this.left[reason] || 0) + 1;
  }

  async look() {
    const known = new Map();
    let waiting = [...this.tab.sessions];
    for (let round = this.tab.sessions.size; round > 0 && waiting.length; round--) {
      const later = [];
      for (const one of waiting) if (!(await this.framesOf(one, known))) later.push(one);
      waiting = later;
    }
    if (!this.frames.length) throw new Error("gone");
  }

  async framesOf([session, type], known) {
    let tree;
    try {
      tree = (await this.tab.send("Page.getFrameTree", {}, session)).frameTree;
    } catch {
      this.leave("frame");
      return true;
    }
    const parent = known.get(tree.frame.parentId || "");
    if (type === "iframe" && !parent) return false;
    const stack = [[tree, parent]];
    while (stack.length) {
      const [branch, outer] = stack.pop();
      if (this.frames.length >= BOUNDS.frames) {
        this.leave("frames");
        continue;
      }
      const { id, url } = branch.frame;
      const frame = { number: this.frames.length, id, url, session, inner: [], corner: outer ? null : [0, 0] };
      known.set(id, frame);
      this.frames.push(frame);
      if (outer) outer.inner.push(frame);
      for (const child of [...(branch.childFrames || [])].reverse()) stack.push([child, frame]);
    }
    return true;
  }

  async freeze() {
    for (const frame of this.frames) {
      try {
        this.documents.push([frame, await this.document(frame)]);
      } catch (error) {
        if (frame.number === 0) throw error;
        this.leave("frame");
      }
    }
    let clips = 0;
    for (const [frame, told] of this.documents) {
      for (const part of told.parts) {
        if (!part.clip || !frame.corner || clips++ >= BOUNDS.clips) continue;
        const [x, y, width, height] = part.clip;
        const clip = { x: frame.corner[0] + x, y: frame.corner[1] + y, width, height, scale: 1 };
        const shot = await this.shot({ clip });
        if (shot) {
          delete part.clip;
          part.data = shot;
        }
      }
    }
  }

  async call(frame, source, args = []) {
    const terms = {
      functionDeclaration: source,
      executionContextId: frame.context,
      arguments: args,
      returnByValue: true,
      awaitPromise: true,
    };
    const answer = await this.tab.send("Runtime.callFunctionOn", terms, frame.session);
    if (answer.exceptionDetails) throw new Error("unreadable");
    return answer.result.value;
  }

  async document(frame) {
    const world = { frameId: frame.id, worldName: WORLD };
    frame.context = (await this.tab.send("Page.createIsolatedWorld", world, frame.session)).executionContextId;
    await this.call(frame, this.pointing);
    const closed = await this.closedRoots(frame);
    const shown = [];
    for (const inner of frame.inner) {
      const handle = await this.owner(inner, frame);
      if (handle) shown.push([inner.number, handle]);
    }
    const given = {
      ...BOUNDS.document,
      closed: closed.length,
      frames: shown.map(([number]) => number),
      prefix: `part-${frame.number}`,
      domain: DOMAIN,
      picture: this.wish.picture,
    };
    const handles = [...closed, ...shown.map(([, handle]) => handle)].map((objectId) => ({ objectId }));
    const told = JSON.parse(await this.call(frame, this.script, [{ value: given }, ...handles]));
    for (const [number, x, y] of told.places) {
      const inner = frame.inner.find((each) => each.number === number);
      if (inner && frame.corner) inner.corner = [frame.corner[0] + x, frame.corner[1] + y];
    }
    return told;
  }

  async closedRoots(frame) {
    if ((await this.call(frame, COUNT)) > BOUNDS.lookedInto) {
      this.leave("closed-shadow-roots-not-looked-for");
      return [];
    }
    const { strings, documents } = await this.tab.send("DOMSnapshot.captureSnapshot", { computedStyles: [] }, frame.session);
    const handles = [];
    for (const { frameId, nodes } of documents) {
      if (strings[frameId] !== frame.id) continue;
      const kinds = nodes.shadowRootType || { index: [], value: [] };
      const inside = kinds.index.filter((_, at) => strings[kinds.value[at]] === "closed").sort((a, b) => a - b);
      const set = new Set(inside);
      for (const index of inside) {
        const outer = nodes.parentIndex[index];
        if ((set.has(outer) && !strings[nodes.nodeName[outer]].includes("-")) || handles.length >= BOUNDS.handles) continue;
        const handle = await this.handle(nodes.backendNodeId[index], frame);
        if (handle) handles.push(handle);
      }
    }
    return handles;
  }

  async owner(inner, frame) {
    try {
      const { backendNodeId } = await this.tab.send("DOM.getFrameOwner", { frameId: inner.id }, frame.session);
      return await this.handle(backendNodeId, frame);
    } catch {
      return null;
    }
  }

  async handle(backendNodeId, frame) {
    try {
      const terms = { backendNodeId, executionContextId: frame.context };
      return (await this.tab.send("DOM.resolveNode", terms, frame.session)).object.objectId;
    } catch {
      return null;
    }
  }

  async shot(terms = {}) {
    try {
      return (await this.tab.send("Page.captureScreenshot", { format: "png", ...terms })).data;
    } catch {
      return null;
    }
  }
}

const KEPT = new Set(["Document", "Stylesheet", "Image", "Font", "Media", "TextTrack", "Manifest"]);
const ASKED = new Set(["XHR", "Fetch", "EventSource"]);

// What the page and its frames are made of: [address, { frame, type }], `frame` asked for it.
const shownBy = async (tab, frames, wish, left) => {
  const wanted = new Map();
  for (const [session] of tab.sessions) {
    let tree;
    try {
      tree = (await tab.send("Page.getResourceTree", {}, session)).frameTree;
    } catch {
      continue;
    }
    const stack = [tree];
    while (stack.length) {
      const { frame, resources, childFrames } = stack.pop();
      stack.push(...(childFrames || []));
      const of = frames.find((each) => each.id === frame.id);
      if (!of) continue;
      if (/^https?:/.test(frame.url)) wanted.set(frame.url.split("#", 1)[0], { frame: of, type: "Document" });
      for (const { url, type } of resources) {
        if (!/^https?:/.test(url)) continue;
        const address = url.split("#", 1)[0];
        const isData = ASKED.has(type);
        if (KEPT.has(type) || (isData && wish.data)) {
          if (!wanted.has(address)) wanted.set(address, { frame: of, type });
        } else {
          const reason = isData ? "data-of-scripts" : type === "Script" ? "script" : "other";
          left[reason] = (left[reason] || 0) + 1;
        }
      }
    }
  }
  return wanted;
};

// A picture as the page holds it, to the octet. Texts it holds decoded: of them nothing is sure.
const fromMemory = async (tab, url, frame) => {
  try {
    await tab.send("Page.enable", {}, frame.session);
    const told = await tab.send("Page.getResourceContent", { frameId: frame.id, url }, frame.session);
    return told.base64Encoded ? { uri: url, status: 200, fields: [], octets: fromBase64(told.content), had: "memory" } : null;
  } catch {
    return null;
  }
};

// Whether the page has rules for what it may ask: who breaks them is told of to its site, or to others.
const hasRules = async (tab, frame) => {
  const { status } = await tab.send("Network.getSecurityIsolationStatus", { frameId: frame.id }, frame.session);
  return (status.csp || []).some(({ effectiveDirectives }) => /(^|[\s;])(connect-src|default-src|sandbox)\b/i.test(effectiveDirectives));
};

const askedAgain = async (tab, url, frame) => {
  const beside = await askedBeside(tab.tabId, url);
  if (beside) return beside;
  if (await hasRules(tab, frame)) throw Object.assign(new Error("the page's policy forbids to ask"), { reason: "policy" });
  const options = { disableCache: false, includeCredentials: true };
  const terms = { frameId: frame.id, url, options };
  const { resource } = await tab.send("Network.loadNetworkResource", terms, frame.session);
  if (!resource.success || !resource.stream) {
    const error = new Error(resource.netErrorName || `${resource.httpStatusCode || "no"} answer`);
    error.reason = resource.httpStatusCode ? "status" : "connect";
    throw error;
  }
  const octets = await streamed(tab, resource.stream, frame.session);
  const fields = Object.entries(resource.headers || {}).flatMap(([name, value]) => String(value).split("\n").map((one) => [name, one]));
  return { uri: url, status: resource.httpStatusCode, fields: openFields(fields), octets, had: "asked" };
};

const streamed = async (tab, handle, session) => {
  const pieces = [];
  let size = 0;
  for (;;) {
    const read = await tab.send("IO.read", { handle, size: 4194304 }, session);
    const piece = read.base64Encoded ? fromBase64(read.data) : new TextEncoder().encode(read.data);
    pieces.push(piece);
    size += piece.length;
    if (read.eof || size > BOUNDS.answerOctets) break;
  }
  await tab.send("IO.close", { handle }, session).catch(() => {});
  if (size > BOUNDS.answerOctets) throw Object.assign(new Error("it is too large"), { reason: "size" });
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
};

const originals = async (tab, frames, wish, left, tell) => {
  const wanted = [...(await shownBy(tab, frames, wish, left))];
  const answers = new Map();
  const failures = [];
  const end = Date.now() + BOUNDS.octetsMs;
  let size = 0;
  const keep = (answer) => {
    answers.set(answer.uri, answer);
    size += answer.octets.length;
    tell(answers.size + failures.length, wanted.length);
  };
  const check = () => {
    if (Date.now() > end) throw Object.assign(new Error("it was late"), { reason: "timeout" });
    if (size > BOUNDS.octets) throw Object.assign(new Error("there is too much"), { reason: "size" });
  };
  const kept = wanted.slice(0, BOUNDS.answers);
  // First what the cache has: the questions of what comes after would change what is in it.
  await inTurns(kept, async ([url]) => {
    if (Date.now() > end || size > BOUNDS.octets) return;
    const answer = await fromCache(tab.tabId, url);
    if (answer) keep(answer);
  });
  await inTurns(kept.filter(([url]) => !answers.has(url)), async ([url, { frame, type }]) => {
    try {
      check();
      const held = type === "Image" ? await fromMemory(tab, url, frame) : null;
      if (!held && ASKED.has(type)) throw Object.assign(new Error("it is not asked for twice"), { reason: "data" });
      keep(held || (await askedAgain(tab, url, frame)));
    } catch (error) {
      failures.push({ uri: url, reason: error.reason || "timeout", problem: String(error.message).slice(0, 200) });
    }
  });
  for (const [url] of wanted.slice(BOUNDS.answers)) failures.push({ uri: url, reason: "parts", problem: "there are too many" });
  return { answers: kept.flatMap(([url]) => answers.get(url) || []), failures };
};

// Whether the site knows who looks at the page: by cookies, by what its scripts keep, or because it
// answers nobody else.
const isKnown = async (tab, frame, freezer, url) => {
  const { cookies } = await tab.send("Network.getCookies", { urls: [url] });
  if (cookies.length || (await freezer.call(frame, KNOWN))) return true;
  const status = await statusForAll(tab.tabId, url);
  return status === 0 || [401, 403, 407].includes(status);
};

// As the browser's own protocol names it, which extensions may not ask.
const build = async () => {
  const { fullVersionList } = await navigator.userAgentData.getHighEntropyValues(["fullVersionList"]);
  const own = fullVersionList.find(({ brand }) => brand === "Chromium");
  return own ? `Chrome/${own.version}` : "Chrome";
};

export const takeByDebugger = async (tabId, scripts, wish, tell) => {
  const tab = new Tab(tabId);
  await tab.open();
  try {
    const left = {};
    const freezer = new Freezer(tab, scripts, wish, left);
    tell("drawing");
    await freezer.look();
    const view = await freezer.shot();
    await freezer.freeze();
    const url = freezer.frames[0].url.split("#", 1)[0];
    const { answers, failures } = await originals(tab, freezer.frames, wish, left, (done, known) => tell("octets", done, known));
    const account = await isKnown(tab, freezer.frames[0], freezer, url).catch(() => true);
    return {
      url,
      browser: await build(),
      agent: navigator.userAgent,
      documents: freezer.documents.map(([frame, told]) => ({ number: frame.number, uri: frame.url, corner: frame.corner, told })),
      view: view && fromBase64(view),
      answers,
      failures,
      left,
      account,
    };
  } catch (error) {
    throw tab.gone ? new Error("stopped") : error;
  } finally {
    await tab.close();
  }
};
