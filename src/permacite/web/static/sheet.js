// Lays the words of a page over its picture: each as wide as it is drawn there. It follows the
// script that tells what is selected, and turns pages by the arrow keys.
(() => {
  const sheet = document.querySelector("#sheet");
  const layer = sheet?.querySelector(".words");
  if (!sheet) return;
  const words = [...(layer?.querySelectorAll("span") ?? [])];
  const lay = () => {
    const whole = sheet.getBoundingClientRect().width;
    if (!whole) return; // the frame has no size yet
    sheet.classList.add("laid");
    for (const word of words) word.style.transform = "";
    const widths = words.map((word) => word.getBoundingClientRect().width); // all read before any is changed
    words.forEach((word, at) => {
      const { wide, turned } = word.dataset;
      const scale = widths[at] ? (Number(wide) * whole) / 100 / widths[at] : 1;
      word.style.transform = `${turned ? `rotate(${Number(turned)}deg) ` : ""}scaleX(${scale})`;
    });
  };
  lay();
  if (layer) new ResizeObserver(lay).observe(sheet);
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const alone = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
    if (by && alone && event.isTrusted) window.parent.postMessage({ permacite: "turn", by }, "*");
  });
})();
