// The pages of a document that is shown page by page: the arrow keys turn them, here and in the frame.
export const turnPages = (frame) => {
  const turn = (by) => document.querySelector(`.leaves [rel="${by > 0 ? "next" : "prev"}"]`)?.click();
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame?.contentWindow || data?.permacite !== "turn") return;
    if (navigator.userActivation?.isActive !== false) turn(data.by);
  });
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const busy = event.target.closest("input, textarea, select, summary, pre") || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (by && !busy) turn(by);
  });
};
