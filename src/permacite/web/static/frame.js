// The one script that runs in an archived page's frame: it tells the reader where the selection
// stands and which link is clicked, marks what was cited, and keeps cited words in view while
// images and fonts find their places.
(() => {
  // The page may have named its elements after anything of ours, so methods come from prototypes.
  const selection = Document.prototype.getSelection;
  const walk = Document.prototype.createTreeWalker;
  const compare = Range.prototype.comparePoint;
  const touches = Range.prototype.intersectsNode;
  const all = Document.prototype.querySelectorAll;
  const make = Document.prototype.createElement;
  const closest = Element.prototype.closest;
  const activeElement = Object.getOwnPropertyDescriptor(Document.prototype, "activeElement").get;
  const interactive = "a[href], area[href], summary, input, button, select, textarea";
  const near = 64;
  let timer = 0;
  // As service/reader/places.py counts: characters, but for white space and what no text can hold.
  const leftOut = "\t\n\f\r \0\ufffd";
  const counted = (text) => text.replace(/[\t\n\f\r \0\ufffd]+/g, "");
  const length = (text) => text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  const silent = new Set(["script", "style", "textarea", "title"]);
  const checksum = (text) => {
    let sum = -1;
    for (const byte of new TextEncoder().encode(text)) {
      sum ^= byte;
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
    return ~sum >>> 0;
  };

  // All text that counts, as it stands when this is called.
  const texts = () => {
    const found = [];
    const walker = walk.call(document, document, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!silent.has(node.parentNode.localName)) found.push(node);
    }
    return found;
  };

  // The texts that were told of last, as `mark` wants them: what is cited is what was selected.
  const told = { start: -1, end: -1, nodes: [], first: 0 };

  // The text before a range, in it and behind it. To ask where one of many siblings stands takes the
  // browser as long as they are many, so that is asked of few.
  const parts = (range) => {
    const nodes = texts();
    const first = (isFound) => {
      let [low, high] = [0, nodes.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isFound(nodes[middle])) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    const { startContainer, startOffset, endContainer, endOffset } = range;
    const isBehindStart = (node) => node === startContainer || compare.call(range, node, 0) >= 0;
    const isBehindEnd = (node) => node !== endContainer && compare.call(range, node, 0) > 0;
    const [start, end] = [first(isBehindStart), first(isBehindEnd)];
    const join = (from, to) => nodes.slice(from, to).map(({ data }) => data).join("");
    const [before, words, after] = [join(0, start), join(start, end), join(end)];
    const from = nodes[start] === startContainer ? startOffset : 0;
    const behind = end && nodes[end - 1] === endContainer ? endContainer.length - endOffset : 0;
    const to = words.length - behind;
    const lead = counted(before);
    Object.assign(told, { nodes: nodes.slice(start, end), first: length(lead) });
    return [lead + counted(words.slice(0, from)), ...[words.slice(from, to), words.slice(to) + after].map(counted)];
  };
  const place = (range) => {
    const [before, words, after] = parts(range);
    const start = length(before);
    const end = start + length(words);
    Object.assign(told, { start, end });
    return {
      start,
      end,
      head: [...words.slice(0, 2 * near)].slice(0, near).join(""),
      before: [...before.slice(-2 * near)].slice(-near).join(""),
      after: [...after.slice(0, 2 * near)].slice(0, near).join(""),
      checksum: checksum(words),
    };
  };
  const send = (permacite, rest = {}) => window.parent.postMessage({ permacite, ...rest }, "*");
  const selectedRange = () => {
    const selected = selection.call(document);
    return selected && selected.rangeCount && !selected.isCollapsed ? selected.getRangeAt(0) : null;
  };
  const tell = () => {
    const range = selectedRange();
    const framed = range !== null && [...all.call(document, "iframe")].some((frame) => touches.call(range, frame));
    send("selection", { place: range && place(range), framed });
  };

  // What is cited is marked as the archive marks it in a page that it sends (mhtml.export.page).
  const unmarked = "select, option, optgroup, datalist";
  const markable = ({ parentNode: parent }) =>
    parent.namespaceURI === "http://www.w3.org/1999/xhtml" && !closest.call(parent, unmarked);
  // Where in a text its counted characters from one up to another stand.
  const span = (text, from, to) => {
    let [at, count, start, end] = [0, 0, 0, 0];
    for (const character of text) {
      if (!leftOut.includes(character)) {
        if (count <= from) start = at;
        if (count < to) end = at + character.length;
        count++;
      }
      at += character.length;
    }
    return [start, end];
  };
  const mark = (start, end) => {
    for (const old of all.call(document, "mark.permacite-mark, mark#permacite-mark")) old.replaceWith(...old.childNodes);
    const isTold = told.start === start && told.end === end && told.nodes.every((node) => node.isConnected);
    let last = isTold ? told.first : 0;
    let isFirst = true;
    for (const node of isTold ? told.nodes : texts()) {
      const before = last;
      last += length(counted(node.data));
      if (last <= start || last === before || !markable(node)) continue;
      if (before >= end) break;
      let words = node;
      if (before < start || last > end) {
        const [from, to] = span(node.data, start - before, end - before);
        node.splitText(to);
        words = node.splitText(from);
      }
      const shown = make.call(document, "mark");
      shown.className = "permacite-mark";
      if (isFirst) shown.id = "permacite-mark";
      isFirst = false;
      words.replaceWith(shown);
      shown.append(words);
    }
    told.start = -1; // its texts are others now
    selection.call(document).empty();
  };

  const read = (prototype, name, thing) => Object.getOwnPropertyDescriptor(prototype, name).get.call(thing);
  let isWhole = false; // whether the reader shows all of the page, and scrolls itself
  // Not scrollIntoView: that scrolls the reader around us as well.
  const show = () => {
    const mark = Document.prototype.querySelector.call(document, "mark#permacite-mark");
    if (!mark || isWhole) return;
    const box = (element) => Element.prototype.getBoundingClientRect.call(element);
    const root = read(Document.prototype, "documentElement", document);
    for (let around = mark; (around = read(Node.prototype, "parentElement", around)) && around !== root; ) {
      const [seen, place] = [box(around), box(mark)];
      const isIn = place.top >= seen.top && place.bottom <= seen.bottom;
      if (!isIn) Element.prototype.scrollBy.call(around, 0, place.top - (seen.top + seen.bottom) / 2);
    }
    scrollBy(0, box(mark).top - innerHeight / 2);
  };
  const tellHeight = () => {
    const height = read(Element.prototype, "scrollHeight", read(Document.prototype, "documentElement", document));
    window.parent.postMessage({ permacite: "height", height }, "*");
  };
  // Who goes by keyboard comes to the page as a whole, sees it, and scrolls it by the arrow keys.
  const reach = () => {
    const root = read(Document.prototype, "documentElement", document);
    const ring = () => (root.style.outline = root.matches(":focus-visible") ? "3px solid #4a90c8" : "");
    root.tabIndex = 0;
    root.style.outlineOffset = "-3px";
    for (const name of ["focus", "blur"]) root.addEventListener(name, ring);
  };
  let width = 0;
  EventTarget.prototype.addEventListener.call(window, "resize", () => {
    if (width && innerWidth !== width) tellHeight(); // not for another height: that is what we asked for
    width = innerWidth;
  });
  EventTarget.prototype.addEventListener.call(window, "message", ({ source, data }) => {
    if (source !== window.parent) return;
    if (data?.permacite === "ask") tellHeight();
    if (data?.permacite === "whole") {
      isWhole = true;
      scrollTo(0, 0);
    }
  });
  // Of a long page blocks out of view are laid out once all of it is here, and the passage is in view
  // long before that. Somebody who scrolls meanwhile stays there.
  const many = 5_000;
  const blocks = "p, pre, table, ul, ol, dl, blockquote, section, article, figure, h1, h2, h3, h4, h5, h6";
  let later = null;
  let isMoved = false;
  const isLong = () => Document.prototype.getElementsByTagName.call(document, "*").length > many;
  const seek = () => {
    if (read(Document.prototype, "readyState", document) === "complete") return;
    if (!later && isLong()) {
      later = make.call(document, "style");
      later.textContent = `:is(${blocks}) { content-visibility: auto; contain-intrinsic-block-size: auto 1.6em }`;
      read(Document.prototype, "documentElement", document).append(later);
    }
    settle();
    requestAnimationFrame(seek);
  };
  requestAnimationFrame(seek);
  for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    EventTarget.prototype.addEventListener.call(window, name, () => (isMoved = true), { passive: true });
  }
  const settle = () => isMoved || show();
  const painted = (frames, then) => requestAnimationFrame(() => (frames ? painted(frames - 1, then) : setTimeout(then)));
  const begin = () => {
    later?.remove();
    width = innerWidth;
    reach();
    tellHeight();
    settle();
    requestAnimationFrame(settle); // once more, after the browser has gone to the address's fragment
    document.fonts?.ready?.then?.(settle);
  };
  EventTarget.prototype.addEventListener.call(window, "load", () => {
    settle();
    if (later) painted(8, begin);
    else begin();
  });
  // A plain click on a link is the reader's to follow; any other opens a window, as without scripts.
  const isLink = (node) => Node.prototype.isPrototypeOf(node) && (node.localName === "a" || node.localName === "area");
  EventTarget.prototype.addEventListener.call(window, "click", (event) => {
    const isPlain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = isPlain && event.isTrusted && event.composedPath().find(isLink);
    const attributes = link ? [...Element.prototype.getAttributeNames.call(link)] : [];
    const name = attributes.find((each) => each === "href" || each === "xlink:href");
    const address = name && Element.prototype.getAttribute.call(link, name);
    if (!address || !/^\/([^?#]*\/)?-\/follow\?/.test(address)) return;
    event.preventDefault();
    window.parent.postMessage({ permacite: "follow", link: address }, "*");
  });
  EventTarget.prototype.addEventListener.call(document, "selectionchange", () => {
    clearTimeout(timer);
    timer = setTimeout(tell, 120);
  });
  EventTarget.prototype.addEventListener.call(window, "message", ({ source, data }) => {
    if (source !== window.parent) return;
    if (data?.permacite === "mark") mark(data.start, data.end);
    if (data?.permacite === "left") look();
  });
  // A page in a frame of this one runs no script: that somebody went there is all that is known.
  const look = () => {
    const frame = activeElement.call(document);
    if (frame?.localName !== "iframe") return;
    clearTimeout(timer);
    send("inside", { link: Element.prototype.getAttribute.call(frame, "data-permacite-follow") ?? "" });
  };
  // No form of an archived page is sent anywhere. No submit event tells that one was to be.
  const submits = (node) =>
    Node.prototype.isPrototypeOf(node) &&
    ((node.localName === "button" && !/^(button|reset)$/i.test(attribute(node, "type"))) ||
      (node.localName === "input" && /^(submit|image)$/i.test(attribute(node, "type")))) &&
    (closest.call(node, "form") || attribute(node, "form"));
  const attribute = (node, name) => Element.prototype.getAttribute.call(node, name) ?? "";
  const tellForm = () => {
    clearTimeout(timer);
    send("form");
  };
  EventTarget.prototype.addEventListener.call(window, "click", (event) => {
    if (event.isTrusted && event.composedPath().some(submits)) tellForm();
  });
  EventTarget.prototype.addEventListener.call(document, "keydown", (event) => {
    const field = event.isTrusted && event.key === "Enter" && event.composedPath()[0];
    if (field && field.localName === "input" && closest.call(field, "form")) tellForm();
  });
  EventTarget.prototype.addEventListener.call(window, "blur", look);
  EventTarget.prototype.addEventListener.call(document, "keydown", (event) => {
    const free = event.key === "Enter" && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!free || !event.isTrusted || !selectedRange() || closest.call(event.target, interactive)) return;
    event.preventDefault(); // the reader cites what it offers, and nothing else
    send("cite");
  });
})();
