// One page at a time: taken, shown to the user where there is something to decide, sent.

import { BOUNDS } from "./bounds.js";
import { takeByDebugger } from "./debugged.js";
import { digestOf, Pieces } from "./parcel.js";
import { takeByScript } from "./scripted.js";
import { cutOut, holds, secretsOf, withoutPassword } from "./secrets.js";
import { ask, explained } from "./server.js";

const RECENT = 20;
const LONGEST_SHOWN = 120;
const BUSY = new Set(["drawing", "octets", "sending"]);

let job = { phase: "idle" };
const ports = new Set();

const tell = (changes) => {
  job = { ...job, ...changes };
  const badge = { done: "\u2713", failed: "!", decide: "?", idle: "" }[job.phase];
  chrome.action.setBadgeText({ text: badge === undefined ? "\u2026" : badge });
  const { taken, ...shown } = job;
  for (const port of ports) port.postMessage(shown);
};

const settings = async () => (await chrome.storage.local.get({ server: "", token: "", series: "", known: {}, data: false, style: "sentence", recent: [] }));

// ------------------------------------------------------------ taken
const textOf = async (file) => (await fetch(chrome.runtime.getURL(file))).text();

const take = async (tab, wish) => {
  const report = (phase, done = 0, known = 0) => tell({ phase, done, known });
  const script = await textOf("freezing.js");
  let taken = null;
  if (chrome.debugger) {
    try {
      taken = await takeByDebugger(tab.id, { script, pointing: await textOf("pointing.js") }, wish, report);
    } catch (error) {
      if (error.message === "stopped") throw error;
      tell({ debuggerSaid: String(error.message) });
    }
  }
  taken = taken || (await takeByScript(tab, wish, report));
  taken.script = await digestOf(new TextEncoder().encode(script));
  return taken;
};

const addressesOf = (taken) => {
  const all = new Map([[taken.url, true]]);
  for (const { uri, told } of taken.documents) {
    all.set(uri, true);
    if (told.base) all.set(told.base, true);
  }
  for (const { uri } of [...taken.answers, ...taken.failures]) if (!all.has(uri)) all.set(uri, false);
  return [...all];
};

// How the octets of the page itself were had.
const wayOf = ({ answers, url }) => {
  const page = answers.find(({ uri }) => uri === url);
  if (!page) return "drawn";
  return page.had === "asked" ? "asked" : "received";
};

const secretsIn = (taken) => {
  const found = new Map();
  for (const [address, own] of addressesOf(taken)) {
    for (const value of secretsOf(address, own)) if (!found.has(value)) found.set(value, address);
  }
  return [...found].map(([value, address]) => ({ value, address: withoutPassword(address).slice(0, 2000) }));
};

const start = async (tab, wish) => {
  if (BUSY.has(job.phase)) return;
  job = { phase: "drawing", tabId: tab.id, startedAt: Date.now() };
  tell({ title: (tab.title || "").slice(0, LONGEST_SHOWN) });
  try {
    const { known, data, server, token } = await settings();
    if (!server || !token) throw new Error("not-set-up");
    const taken = await take(tab, { ...wish, data });
    if (!/^https?:/.test(taken.url)) throw new Error("no-page");
    const secrets = secretsIn(taken);
    const origin = new URL(taken.url).origin;
    const said = known[origin];
    tell({ taken, secrets, origin, way: wayOf(taken), account: said === undefined ? taken.account : said, took: Date.now() - job.startedAt });
    if (secrets.length || (taken.account && said === undefined)) tell({ phase: "decide" });
    else await send([], job.account);
  } catch (error) {
    tell({ phase: "failed", problem: explained(error), taken: null });
  }
};

// ------------------------------------------------------------ packed and sent
const wantedOf = (documents) => {
  for (const { number, corner, told } of documents) {
    const { selected, pictured } = told.pointed || {};
    if (pictured && corner) {
      const ratio = documents[0].told.size[2];
      const [left, top, right, bottom] = pictured.map((edge, at) => Math.round((edge + corner[at % 2]) * ratio));
      return { picture: [left, top, right, bottom] };
    }
    if (selected) return { selection: [number, ...selected] };
  }
  return {};
};

const pack = async (taken, cut, account, series) => {
  const cutText = (text) => withoutPassword(cutOut(text, cut));
  const pieces = new Pieces();
  const encoder = new TextEncoder();
  const cite = wantedOf(taken.documents);
  const documents = [];
  for (const { number, uri, told } of taken.documents) {
    const { pointed, ...rest } = told;
    const text = cutOut(JSON.stringify(rest), cut);
    documents.push({ number, uri: cutText(uri), piece: await pieces.add(encoder.encode(text)) });
  }
  const left = { ...taken.left };
  const answers = [];
  let page = null;
  for (const { octets, fields, ...answer } of taken.answers) {
    if (holds(octets, cut)) {
      left["holds-what-was-cut"] = (left["holds-what-was-cut"] || 0) + 1;
      continue;
    }
    if (answer.uri === taken.url) page = answers.length;
    const shown = fields.map(([name, value]) => [name, cutOut(value, cut)]);
    const final = cutText(answer.final_uri || answer.uri);
    answers.push({ ...answer, uri: cutText(answer.uri), final_uri: final, fields: shown, piece: await pieces.add(octets) });
  }
  const told = {
    uri: cutText(taken.url),
    started_at: new Date(job.startedAt).toISOString(),
    duration_s: (job.took || 0) / 1000,
    browser: taken.browser,
    agent: taken.agent,
    extension: chrome.runtime.getManifest().version,
    script: taken.script,
    way: page === null ? "drawn" : wayOf(taken),
    account,
    documents,
    view: taken.view ? await pieces.add(taken.view) : null,
    page,
    answers,
    failures: taken.failures.map((each) => ({ ...each, uri: cutText(each.uri) })),
    left_out: left,
    cut: cut.length,
    series,
    key: crypto.randomUUID(),
    cite,
  };
  return pieces.parcel(told);
};

// Only what a server of ours says is shown as a citation.
const understood = (answer) => {
  const { saved, cited, url } = answer;
  const isOurs =
    saved && saved.document && typeof saved.pdi === "string" && /^https?:/.test(url) && (!cited || (cited.forms && typeof cited.quote === "string" && /^https?:/.test(cited.url)));
  if (!isOurs) throw new Error("not-ours");
  return answer;
};

const send = async (cut, account) => {
  const { taken, origin, title } = job;
  const { server, token, series, known, style, recent } = await settings();
  tell({ phase: "sending", account });
  if (taken.account) await chrome.storage.local.set({ known: { ...known, [origin]: account } });
  const parcel = await pack(taken, cut, account, series);
  const answer = await ask(server, token, "/-/api/captures", parcel);
  const { saved, cited } = understood(answer);
  const text = cited ? (cited.forms[style] || cited.forms.sentence) : `${saved.document.title || title}. ${answer.url}`;
  const item = {
    title: (saved.document.title || title || "").slice(0, LONGEST_SHOWN),
    reference: cited ? cited.reference : saved.pdi,
    url: cited ? cited.url : answer.url,
    quote: cited ? cited.quote.slice(0, 2000) : "",
    text,
    way: answer.way,
    account: answer.account,
    at: new Date().toISOString(),
  };
  await chrome.storage.local.set({ recent: [item, ...recent].slice(0, RECENT) });
  tell({ phase: "done", item, notCited: answer.not_cited, took: Date.now() - job.startedAt, taken: null });
};

// ------------------------------------------------------------ what the user does
let fromMenu = null; // the tab whose popup is to show what the menu has begun, and to begin nothing

const commands = {
  state: () => {
    fromMenu = null;
    tell({});
  },
  start: async ({ tabId }) => {
    const isShown = fromMenu === tabId;
    fromMenu = null;
    if (isShown || BUSY.has(job.phase)) return tell({});
    if (job.phase === "decide" && job.tabId === tabId) return tell({});
    await start(await chrome.tabs.get(tabId), {});
  },
  send: async ({ cut, account }) => {
    if (job.phase !== "decide" || !job.taken) return;
    try {
      await send(cut, account);
    } catch (error) {
      tell({ phase: "failed", problem: explained(error), taken: null });
    }
  },
  forget: () => tell({ phase: "idle", taken: null }),
};

chrome.runtime.onConnect.addListener((port) => {
  if (port.sender && port.sender.id !== chrome.runtime.id) return;
  ports.add(port);
  port.onDisconnect.addListener(() => ports.delete(port));
  port.onMessage.addListener((message) => {
    if (Object.hasOwn(commands, message.do)) commands[message.do](message);
  });
});

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.create({ id: "selection", title: chrome.i18n.getMessage("citeSelection"), contexts: ["selection"] });
  chrome.contextMenus.create({ id: "picture", title: chrome.i18n.getMessage("citePicture"), contexts: ["image"] });
});

chrome.contextMenus.onClicked.addListener((info, tab) => {
  fromMenu = tab.id;
  const work = start(tab, info.menuItemId === "picture" ? { picture: info.srcUrl } : {});
  const shown = chrome.action.openPopup ? chrome.action.openPopup() : Promise.reject(new Error("none"));
  shown.catch(() => chrome.windows.create({ type: "popup", url: "popup.html?shown=1", width: 440, height: 560 }));
  return work;
});

if (chrome.storage.local.setAccessLevel) chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });

// For those who drive it: the same as a click on its button.
globalThis.permacite = { start, send: commands.send, forget: commands.forget, bounds: BOUNDS, state: () => ({ ...job, taken: undefined }) };
