// A link that was clicked in the archived page's frame. What the frame tells is a stranger's text: it
// becomes parameters of a page of ours, after a gesture of the reader's own, and nothing else.
import { at } from "./words.js";

const PAGE = at("/-/follow");

// The address of ours that a link leads to; "" for what is none.
export const followed = (link, reference) => {
  if (!link.startsWith(`${PAGE}?`)) return "";
  const asked = new URLSearchParams(link.slice(PAGE.length));
  asked.set("from", reference);
  return `${PAGE}?${asked}`;
};

export const followLinks = (frame, reference) => {
  window.addEventListener("message", ({ source, data }) => {
    if (!frame || source !== frame.contentWindow || data?.permacite !== "follow") return;
    if (navigator.userActivation && !navigator.userActivation.isActive) return;
    const address = followed(String(data.link), reference);
    if (address) location.assign(address);
  });
};
