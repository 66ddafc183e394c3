// What a person points at in a document that is frozen: `texts` are its texts, each with its number.
// Marked words go from a place in one text to a place in another; a picture is where it is seen.
(texts, picture) => {
  // By a walker: a form gives its own fields for the names of its neighbours. Range.intersectsNode
  // counts siblings, and for each text of a long page that takes seconds.
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_ALL);
  const nodeAt = (node, offset) => {
    walker.currentNode = node;
    let child = node instanceof CharacterData ? null : walker.firstChild();
    for (let before = offset; child && before > 0; before--) child = walker.nextSibling();
    if (child) return child;
    walker.currentNode = node;
    for (;;) {
      const next = walker.nextSibling();
      if (next || !walker.parentNode()) return next;
    }
  };
  const textsIn = (range) => {
    const { startContainer: start, endContainer: end } = range;
    const within = new Set();
    const stop = nodeAt(end, range.endOffset);
    let node = start instanceof CharacterData ? start : nodeAt(start, range.startOffset);
    for (walker.currentNode = node || start; node && node !== stop; node = walker.nextNode()) within.add(node);
    return within;
  };
  const marked = () => {
    const made = Document.prototype.getSelection.call(document);
    if (!made || !made.rangeCount || made.isCollapsed) return null;
    const range = made.getRangeAt(0);
    const within = textsIn(range);
    let first = null;
    let last = null;
    for (const [node, index] of texts) {
      if (!(node instanceof Text) || !within.has(node)) continue;
      const from = node === range.startContainer ? range.startOffset : 0;
      const to = node === range.endContainer ? range.endOffset : node.data.length;
      if (from >= to) continue;
      first = first || [index, from];
      last = [index, to];
    }
    return first && [...first, ...last];
  };
  const seen = () => {
    for (const element of Document.prototype.getElementsByTagName.call(document, "img")) {
      if ((element.currentSrc || element.src) !== picture) continue;
      const box = Element.prototype.getBoundingClientRect.call(element);
      const edges = [
        Math.max(0, box.left),
        Math.max(0, box.top),
        Math.min(innerWidth, box.right),
        Math.min(innerHeight, box.bottom),
      ];
      if (edges[0] < edges[2] && edges[1] < edges[3]) return edges;
    }
    return null;
  };
  return { selected: marked(), pictured: picture ? seen() : null };
}
