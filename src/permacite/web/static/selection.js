// What is selected, in the page's frame (told by its script) or in the text view (counted here).
import { at, t } from "./words.js";

// The frame tells counts, which the archive compares with its text. What is offered is the archive's
// word for what stands there: no page decides what is shown or cited, and nothing is cited before
// the button is pressed.
export const watchFrame = (frame, reference, offer, press) => {
  if (!frame) return;
  let last = 0;
  window.addEventListener("blur", () => frame.contentWindow.postMessage({ permacite: "left" }, "*"));
  window.addEventListener("message", async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.permacite === "cite" && navigator.userActivation?.isActive !== false) press();
    const told = TOLD[data?.permacite];
    if (!told) return;
    const asked = ++last;
    const offered = await told(data, reference());
    if (asked === last) offer(offered);
  });
};

const PATIENCE_MS = 20_000;

const offeredFor = async ({ place, framed }, reference) => {
  if (!place) return null;
  if (!reference) return { trouble: t("script.part") };
  const { start, end } = place;
  if (!(end > start)) return { trouble: t("script.wordless") };
  const found = await placed(reference, place);
  return { ...found, place: { start, end }, note: framed === true ? t("script.framed") : "" };
};

// A form is sent nowhere; the words in an inner frame are those of another page.
const TOLD = {
  selection: offeredFor,
  form: () => ({ trouble: t("script.form") }),
  inside: ({ link }) => (link ? { trouble: t("script.inside"), link: String(link) } : { trouble: t("script.inside_own") }),
};

const placed = async (reference, place) => {
  try {
    const answer = await fetch(at("/-/api/place"), {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ ...place, reference }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) return { trouble: t(TROUBLES[answer.status] ?? (answer.status < 500 ? "script.unknown" : "script.again")) };
    const { char, words } = await answer.json();
    return { char, quote: words };
  } catch {
    return { trouble: t("script.again") };
  }
};

const TROUBLES = { 403: "script.gone", 410: "script.gone", 413: "script.long", 451: "script.gone" };

// How high the page in the frame is: the style sheet makes the frame as high on narrow screens.
export const watchHeight = (frame) => {
  if (!frame) return;
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || data?.permacite !== "height" || !Number.isSafeInteger(data.height)) return;
    frame.style.setProperty("--page-height", `${data.height}px`);
    if (matchMedia("(max-width: 60rem)").matches) source.postMessage({ permacite: "whole" }, "*");
  });
  frame.contentWindow.postMessage({ permacite: "ask" }, "*"); // it may have been there before us
};

const MOST = 1_000_000;

// Positions count characters of the text with CRLF line ends; the text view shows each as one LF.
const positions = (text) => [...text].length + text.split("\n").length - 1;

export const watchText = (text, offer, press) => {
  if (!text) return;
  const look = () => {
    const whole = new Range();
    whole.selectNodeContents(text); // anew each time: what was cited is marked in other nodes
    const selected = document.getSelection();
    const isNone = selected.isCollapsed || !selected.rangeCount;
    const range = isNone || !selected.getRangeAt(0).intersectsNode(text) ? null : within(selected.getRangeAt(0), whole);
    if (!range || range.collapsed) return offer(null);
    const lead = whole.cloneRange();
    lead.setEnd(range.startContainer, range.startOffset);
    const start = Number(text.dataset.start) + positions(lead.toString()); // of a long text, a piece is here
    const quote = range.toString();
    const size = positions(quote);
    offer(size > MOST ? { trouble: t("script.long") } : { quote, char: `${start},${start + size}` });
  };
  text.addEventListener("keydown", (event) => {
    const free = event.key === "Enter" && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (free && event.target === text && !document.getSelection().isCollapsed) press(); // as in the frame
  });
  document.addEventListener("selectionchange", look);
  look(); // somebody may have been quicker than this script
};

// What of a range is in another: who selects all of our page selects all of the text in it.
const within = (range, whole) => {
  const part = range.cloneRange();
  if (part.compareBoundaryPoints(Range.START_TO_START, whole) < 0) part.setStart(whole.startContainer, whole.startOffset);
  if (part.compareBoundaryPoints(Range.END_TO_END, whole) > 0) part.setEnd(whole.endContainer, whole.endOffset);
  return part;
};
