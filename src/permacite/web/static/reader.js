// The document page: offer "Cite this" for what is selected or marked, show the citation, copy its
// forms.
import { addCopyButtons } from "./copy.js";
import { answerOf, problemOf } from "./answer.js";
import { followLinks } from "./following.js";
import { watchNumbers } from "./lines.js";
import { markParts } from "./parts.js";
import { playCited, speak } from "./speaking.js";
import { watchFrame, watchHeight, watchText } from "./selection.js";
import { follow } from "./through.js";
import { kept, t } from "./words.js";

// A text fragment stays with the browser; the archive can interpret it once it is told.
const own = location.hash.slice(1);
if (/^(char|line)=|^(char|line|match)\(/.test(own)) {
  location.replace(kept(`${location.pathname}?rfc5147=${encodeURIComponent(own)}`));
}

const main = document.querySelector("main");
const bar = document.querySelector("#bar");
const button = document.querySelector("#cite");
let wanted = null;

const offer = (selected) => {
  wanted = selected;
  bar.hidden = selected === null;
  button.hidden = Boolean(selected?.trouble); // what cannot be cited is told in its place
  document.querySelector("#selected").textContent = shortened(selected?.quote ?? "");
  document.querySelector("#trouble").textContent = selected?.trouble ?? "";
};

const shortened = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 60)} … ${line.slice(-50)}` : line;
};

const cite = async (request) => {
  const place = document.querySelector("#answer");
  let shown;
  try {
    const answer = await fetch("/-/api/cite", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(request),
    });
    const body = await answer.json();
    shown = answer.ok ? answerOf(body) : problemOf(body);
  } catch {
    shown = problemOf({ title: t("script.silent"), detail: t("script.is_it_running") });
  }
  offer(null);
  place.replaceChildren(shown);
  addCopyButtons(place);
  place.querySelector("[tabindex='-1']").focus();
};

button.addEventListener("click", () => {
  if (wanted?.char) cite({ reference: main.dataset.text, char: wanted.char });
});

document.querySelector("form.words")?.addEventListener("submit", (event) => {
  event.preventDefault();
  cite({ reference: main.dataset.text, quote: event.target.elements.quote.value });
});

if (main.dataset.text) {
  watchFrame(document.querySelector("#page"), main.dataset.reference, offer);
  watchText(document.querySelector("#text"), offer);
}
watchNumbers(document.querySelector("#text"));
followLinks(document.querySelector("#page"), main.dataset.reference);
watchHeight(document.querySelector("#page:not(.stage)"));
const parts = document.querySelector("form.parts");
if (parts) markParts(parts, document.querySelector("#page"), cite);
document.querySelectorAll("section.transcript").forEach(speak);
document.querySelectorAll("button.play").forEach(playCited);
addCopyButtons(document);
document.querySelectorAll(".through[data-from]").forEach(follow);
document.querySelector("#text mark")?.scrollIntoView({ block: "center", container: "nearest" });
