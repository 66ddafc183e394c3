// Line numbers are links, each to its line; with Shift, a click goes on from the lines that are marked.
import { kept } from "./words.js";

export const watchNumbers = (text) => {
  text?.addEventListener("click", (event) => {
    const number = event.target.closest("a.number");
    const shown = new URLSearchParams(location.search).get("rfc5147")?.match(/^line=([0-9]+),([0-9]+)$/);
    if (!number || !shown || !event.shiftKey) return;
    event.preventDefault();
    const line = Number(number.dataset.line);
    const [first, last] = [Math.min(shown[1], line - 1), Math.max(shown[2], line)];
    location.assign(kept(`?rfc5147=line=${first},${last}`));
  });
};
