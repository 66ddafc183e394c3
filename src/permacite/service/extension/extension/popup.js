// What the user sees: where to connect, how far it is, what is to be decided, and the citation.

import { EVERYWHERE } from "./scripted.js";
import { ask, explained, serverOf } from "./server.js";

const at = (selector) => document.querySelector(selector);
const word = (name, ...parts) => chrome.i18n.getMessage(name, parts) || name;
const show = (selector, isShown) => {
  at(selector).hidden = !isShown;
};
const kept = () => chrome.storage.local.get({ server: "", token: "", series: "", data: false, style: "sentence", recent: [] });

document.documentElement.lang = word("@@ui_locale").replace("_", "-");
for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);

const port = chrome.runtime.connect();
const tell = (message) => port.postMessage(message);
setInterval(() => tell({ do: "none" }), 20000); // so that what is taken is kept while this is open

const problem = (told) => {
  show("#problem", Boolean(told));
  at("#problem").textContent = told ? [word(`problem_${told.name}`), told.said].filter(Boolean).join(" ") : "";
};

// ------------------------------------------------------------ how far it is
let copied = "";
const PHASES = { drawing: "drawing", octets: "octets", sending: "sending" };

const render = async (job) => {
  problem(job.phase === "failed" ? job.problem : null);
  const isBusy = job.phase in PHASES;
  show("#work", isBusy);
  if (isBusy) {
    at("#phase").textContent = word(PHASES[job.phase], String(job.done || 0), String(job.known || 0));
    show("#progress", true);
    if (job.known) Object.assign(at("#progress"), { max: job.known, value: job.done });
    else at("#progress").removeAttribute("value");
  }
  show("#decide", job.phase === "decide");
  if (job.phase === "decide") decide(job);
  show("#done", job.phase === "done");
  if (job.phase === "done") await done(job);
  show("#again", job.phase === "done" || job.phase === "failed");
};

const decide = (job) => {
  at("#way").textContent = word(`way_${job.way}`);
  show("#accounts", job.account);
  show("#secrets", job.secrets.length > 0);
  at("#secrets ul").replaceChildren(
    ...job.secrets.map(({ value, address }) => {
      const item = document.createElement("li");
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
      box.dataset.value = value;
      const label = document.createElement("label");
      const place = address.indexOf(value);
      const mark = document.createElement("mark");
      mark.textContent = value;
      label.append(box, " ", word("cut"), " ", address.slice(0, place), mark, address.slice(place + value.length));
      item.append(label);
      return item;
    }),
  );
};

const done = async (job) => {
  const { item } = job;
  at("#citation").value = item.text;
  at("#open").href = item.url;
  const said = [word(item.quote ? "cited" : "saved"), word(`way_${item.way}`)];
  if (item.account) said.push(word("closed"));
  at("#notes").textContent = said.slice(1).concat(job.notCited ? [word("notCited"), job.notCited] : []).join(" ");
  if (copied !== item.reference) {
    copied = item.reference;
    await copy();
  }
  at("#said").textContent = [said[0], copiedWell ? word("copied") : ""].join(" ");
  await recents();
};

let copiedWell = false;
const copy = async () => {
  try {
    await navigator.clipboard.writeText(at("#citation").value);
    copiedWell = true;
  } catch {
    at("#citation").select();
    copiedWell = document.execCommand("copy");
  }
};

port.onMessage.addListener(render);
port.onDisconnect.addListener(() => problem({ name: "gone" }));

// ------------------------------------------------------------ what the user does
at("#decide").addEventListener("submit", (event) => {
  event.preventDefault();
  const cut = [...document.querySelectorAll("#secrets input:checked")].map((box) => box.dataset.value);
  const account = !at("#accounts").hidden && at("#accounts input:checked").value === "yes";
  tell({ do: "send", cut, account });
});
at("#stop").addEventListener("click", () => tell({ do: "forget" }));
at("#copy").addEventListener("click", async () => {
  await copy();
  at("#said").textContent = word(copiedWell ? "copied" : "notCopied");
});
at("#anew").addEventListener("click", () => begin());
at("#clear").addEventListener("click", async () => {
  await chrome.storage.local.set({ recent: [] });
  await recents();
});
at("#data").addEventListener("change", () => chrome.storage.local.set({ data: at("#data").checked }));
at("#style").addEventListener("change", () => chrome.storage.local.set({ style: at("#style").value }));
at("#grant").addEventListener("click", async () => {
  await chrome.permissions.request(EVERYWHERE);
  await settings();
});
at("#leave").addEventListener("click", async () => {
  await chrome.storage.local.set({ server: "", token: "", series: "", known: {} });
  tell({ do: "forget" });
  await begin();
});
at("#setup").addEventListener("submit", async (event) => {
  event.preventDefault();
  problem(null);
  try {
    const server = serverOf(at("#server").value);
    const token = at("#token").value.trim();
    const told = await ask(server, token, "/-/api/token");
    if (typeof told.permacite !== "string" || typeof told.series !== "string") throw new Error("not-ours");
    await chrome.storage.local.set({ server, token, series: told.series });
    at("#token").value = "";
    await settings();
    show("#setup", false);
  } catch (error) {
    problem(explained(error));
  }
});

const recents = async () => {
  const { recent } = await kept();
  at("#recents ol").replaceChildren(
    ...recent.map((item) => {
      const line = document.createElement("li");
      const link = Object.assign(document.createElement("a"), { href: item.url, target: "_blank", rel: "noopener noreferrer" });
      link.textContent = item.quote || item.title || item.reference;
      const again = Object.assign(document.createElement("button"), { type: "button", textContent: word("copy") });
      again.addEventListener("click", () => navigator.clipboard.writeText(item.text));
      line.append(link, ` \u2014 ${item.title} `, again);
      return line;
    }),
  );
};

const settings = async () => {
  const { server, series, data, style } = await kept();
  at("#connected").textContent = server ? word("connected", series, server) : "";
  at("#data").checked = data;
  at("#style").value = style;
  show("#everywhere", !chrome.debugger && !(await chrome.permissions.contains(EVERYWHERE)));
};

const begin = async () => {
  const { server, token } = await kept();
  await settings();
  await recents();
  show("#setup", !(server && token));
  if (!(server && token)) return;
  const query = new URLSearchParams(location.search);
  if (query.has("shown")) tell({ do: "state" });
  else {
    const [tab] = query.has("tab") ? [{ id: Number(query.get("tab")) }] : await chrome.tabs.query({ active: true, currentWindow: true });
    tell({ do: "start", tabId: tab.id });
  }
};
begin();
