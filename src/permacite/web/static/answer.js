// What the archive answers to a form that cites: the page of the citation, which this page becomes
// without being loaded anew; or what is to be chosen or mended, told beside the document.
import { colour } from "./colours.js";
import { addCopyButtons } from "./copy.js";
import { playCited } from "./speaking.js";
import { follow } from "./through.js";
import { at, kept, t } from "./words.js";

const SLOW_MS = 4_000;
const CHOOSE = 300;

const answer = document.querySelector("#answer");
const address = () => location.pathname + location.search;
let shown = address();

// A line beside the document. It is announced, for what is written into is a live region.
export const tell = (text) => answer.replaceChildren(paragraph(text));
const paragraph = (text) => Object.assign(document.createElement("p"), { className: "told", textContent: text });

// What the reader's own pages hold, once it stands in the page.
export const enliven = (place) => {
  place.querySelectorAll("button.play").forEach(playCited);
  addCopyButtons(place);
  place.querySelectorAll(".through[data-from]").forEach(follow);
};

// A function that sends the fields of a form. The last question counts: to ask again is safe, since
// the same passage is the same citation.
export const asking = ({ frame, done }) => {
  let last = null;
  return async (fields, { say, mark, stays = Boolean(mark) }) => {
    last?.abort();
    const own = (last = new AbortController());
    say(t("script.citing"));
    const slow = setTimeout(() => say(t("script.slow")), SLOW_MS);
    const isText = document.querySelector("#text") !== null;
    const body = new URLSearchParams({ ...fields, ...(isText && { show: "text" }) });
    try {
      if (mark && (await isMade(fields, own.signal)) && own === last) mark();
      const { status, redirected, url, page } = await posted(body, own.signal);
      if (own !== last) return;
      const isCited = status === 200 && redirected;
      if (isCited && document.querySelector(".pieces")) return location.assign(url); // maybe another piece
      say("");
      if (!isCited) return show(page, status);
      become(page, url, stays ? null : frame);
      done();
    } catch {
      if (own === last) say(t("script.try_again"));
    } finally {
      clearTimeout(slow);
    }
  };
};

// Whether it is cited: known before the page of the citation is written.
const isMade = async (fields, signal) => {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const { ok } = await fetch(at("/-/api/cite"), { method: "POST", headers, body: JSON.stringify(fields), signal });
  return ok;
};

const posted = async (body, signal) => {
  const answered = await fetch(kept(at("/-/cite")), { method: "POST", headers: { Accept: "text/html" }, body, signal });
  const { status, redirected, url } = answered;
  return { status, redirected, url, page: new DOMParser().parseFromString(await answered.text(), "text/html") };
};

// The page that came in place of this one. Of a frame that does not show yet what is cited, too.
const become = (page, url, frame) => {
  frame?.contentWindow.location.replace(page.querySelector("#page").src);
  const { pathname, search } = new URL(url);
  if (pathname + search !== shown) history.pushState(null, "", pathname + search);
  shown = address();
  for (const name of [".tabs", ".leaves"]) document.querySelector(name)?.replaceWith(page.querySelector(name) ?? "");
  document.querySelector("main").dataset.reference = page.querySelector("main").dataset.reference;
  showText(document.querySelector("#text"), page.querySelector("#text"));
  showText(document.querySelector("#grid"), page.querySelector("#grid"));
  document.querySelector("#text mark, #grid mark")?.scrollIntoView({ block: "nearest", container: "nearest" });
  for (const place of [".lead", "aside"]) renew(document.querySelector(place), page.querySelector(place));
  tell(t("script.cited"));
  const passage = document.querySelector(".passage");
  (passage?.querySelector(".forms button") ?? passage?.querySelector("h2"))?.focus();
};

// What is announced is written into an element that stays.
const renew = (place, fresh) => {
  const typed = place.querySelector("#quote")?.value;
  for (const old of [...place.children]) if (old !== answer) old.remove();
  place.append(...[...fresh.children].filter(({ id }) => id !== "answer"));
  if (typed) place.querySelector("#quote").value = typed;
  enliven(place);
};

// Of a long text a piece is shown, which may be another now.
const showText = (text, fresh) => {
  if (!text || !fresh) return;
  Object.assign(text.dataset, fresh.dataset);
  text.replaceChildren(...fresh.childNodes);
  colour(text);
};

// What else came: what is wrong, or several places to choose from.
const show = (page, status) => {
  const className = status === CHOOSE ? "choose" : "problem";
  const section = Object.assign(document.createElement("section"), { className });
  section.append(...page.querySelector("main").childNodes);
  const heading = document.createElement("h2");
  heading.tabIndex = -1;
  heading.append(...section.querySelector("h1").childNodes);
  section.querySelector("h1").replaceWith(heading);
  answer.replaceChildren(section);
  heading.focus();
};

// To go back is to see what stood there before.
addEventListener("popstate", () => {
  if (address() !== shown) location.reload();
});
