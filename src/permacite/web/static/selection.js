// What is selected, in the page's frame (told by its script) or in the text view (counted here).

// The frame is hostile: what it says is looked for in the archived text and never shown as markup.
export const watchFrame = (frame, offer) => {
  if (!frame) return;
  window.addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.data?.permacite !== "selection") return;
    const [quote, before, after] = ["quote", "before", "after"].map((name) => String(event.data[name] ?? ""));
    offer(quote.trim() ? { quote: quote.slice(0, 100000), before: before.slice(-200), after: after.slice(0, 200) } : null);
  });
};

// Positions count characters of the text with CRLF line ends; the text view shows each as one LF.
const positions = (text) => [...text].length + text.split("\n").length - 1;

export const watchText = (text, offer) => {
  if (!text) return;
  document.addEventListener("selectionchange", () => {
    const selected = document.getSelection();
    const inside = selected.rangeCount && text.contains(selected.anchorNode) && text.contains(selected.focusNode);
    if (!inside || selected.isCollapsed) return offer(null);
    const range = selected.getRangeAt(0);
    const lead = new Range();
    lead.selectNodeContents(text);
    lead.setEnd(range.startContainer, range.startOffset);
    const start = positions(lead.toString());
    const quote = range.toString();
    offer({ quote, char: `${start},${start + positions(quote)}` });
  });
};
