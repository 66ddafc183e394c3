// The one script that runs in an archived page's frame: it tells the reader what is selected, and
// keeps the cited words in view while images and fonts find their places.
(() => {
  // The page may have named its elements after anything of ours, so methods come from prototypes.
  const selection = Document.prototype.getSelection;
  const reach = 96;
  let timer = 0;
  const textOf = (range) => Range.prototype.toString.call(range);
  const around = (range) => {
    const before = new Range();
    before.selectNodeContents(document.documentElement);
    before.setEnd(range.startContainer, range.startOffset);
    const after = new Range();
    after.selectNodeContents(document.documentElement);
    after.setStart(range.endContainer, range.endOffset);
    return [textOf(before).slice(-reach), textOf(after).slice(0, reach)];
  };
  const tell = () => {
    const selected = selection.call(document);
    const quote = selected && selected.rangeCount ? selected.toString() : "";
    const [before, after] = quote ? around(selected.getRangeAt(0)) : ["", ""];
    window.parent.postMessage({ permacite: "selection", quote, before, after }, "*");
  };
  const show = () => {
    const mark = Document.prototype.querySelector.call(document, "mark#permacite-mark");
    if (mark) Element.prototype.scrollIntoView.call(mark, { block: "center", inline: "nearest" });
  };
  EventTarget.prototype.addEventListener.call(window, "load", () => {
    show();
    requestAnimationFrame(show); // once more, after the browser has gone to the address's fragment
    document.fonts?.ready.then(show);
  });
  EventTarget.prototype.addEventListener.call(document, "selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(tell, 120);
  });
})();
