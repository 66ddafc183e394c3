// The document page: offer "Cite this" for what is selected or marked, become the page of the
// citation that is made.
import { asking, enliven, tell } from "./answer.js";
import { colour } from "./colours.js";
import { followed, followLinks } from "./following.js";
import { turnPages } from "./leaves.js";
import { watchNumbers } from "./lines.js";
import { markParts } from "./parts.js";
import { speak } from "./speaking.js";
import { watchTable } from "./table.js";
import { watchFrame, watchHeight, watchText } from "./selection.js";
import { at, kept } from "./words.js";

// A text fragment stays with the browser; the archive can interpret it once it is told.
const own = location.hash.slice(1);
if (document.querySelector(".leaves") && /^(page|viewrect)=/i.test(own)) {
  location.replace(kept(`${location.pathname}?fragment=${encodeURIComponent(own)}`));
} else if (/^(char|line)=|^(char|line|match)\(/.test(own)) {
  location.replace(kept(`${location.pathname}?rfc5147=${encodeURIComponent(own)}`));
}

const main = document.querySelector("main");
const bar = document.querySelector("#bar");
const button = document.querySelector("#cite");
const inside = document.querySelector("#inside");
const frame = document.querySelector("#page");
let wanted = null;

const offer = (selected) => {
  wanted = selected;
  bar.hidden = selected === null;
  button.hidden = !(selected?.char || selected?.part); // what cannot be cited is told in its place
  document.querySelector("#selected").textContent = shortened(selected?.quote ?? "");
  const address = followed(selected?.link ?? "", main.dataset.reference);
  inside.hidden = !address;
  inside.href = address;
  say(selected?.trouble || selected?.note || "");
};
const say = (text) => (document.querySelector("#trouble").textContent = text);

const shortened = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 60)} … ${line.slice(-50)}` : line;
};

const ask = asking({ frame, done: () => release() });
let isHeld = false;
const release = () => {
  isHeld = false;
  offer(null);
};
const citeWanted = () => {
  if (!wanted?.char && !wanted?.part) return;
  const { char, place, part = { char } } = wanted;
  const mark = () => place && frame.contentWindow.postMessage({ permacite: "mark", ...place }, "*");
  isHeld = true;
  ask({ reference: main.dataset.text, ...part }, { say, mark });
};
button.addEventListener("click", citeWanted);

// Every form that cites, where it stands and wherever the archive's answers bring another.
document.addEventListener("submit", (event) => {
  if (new URL(event.target.action).pathname !== at("/-/cite") || event.target.matches(".parts")) return;
  event.preventDefault();
  ask(Object.fromEntries(new FormData(event.target)), { say: tell });
});

if (main.dataset.part) watchFrame(frame, () => "", offer, () => {});
else if (main.dataset.text) {
  // To mark ends the selection, which stays on offer until the citation is shown, or another is made.
  const offered = (selected) => {
    if (selected) isHeld = false;
    if (!isHeld) offer(selected);
  };
  watchFrame(frame, () => main.dataset.reference, offered, citeWanted);
  watchText(document.querySelector("#text"), offer, citeWanted);
  watchTable(document.querySelector("#grid"), offer);
}
if (document.querySelector(".leaves")) turnPages(frame);
watchNumbers(document.querySelector("#text"));
colour(document.querySelector("#text"));
followLinks(frame, main.dataset.reference);
watchHeight(document.querySelector("#page:not(.stage)"));
const parts = document.querySelector("form.parts");
if (parts) markParts(parts, frame, (fields) => ask(fields, { say: tell, stays: true })); // drawn there
document.querySelectorAll("section.transcript").forEach(speak);
enliven(document);
document.querySelector("#text mark, #grid mark")?.scrollIntoView({ block: "center", container: "nearest" });
