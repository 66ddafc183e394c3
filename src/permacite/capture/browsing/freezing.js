// Freezes one document as the browser drew it: its markup in pieces, and what its layout knows.
//
// Called in a world of its own, where nothing of the page's scripts reaches: it reads, and changes
// nothing. `handles` are first `given.closed` nodes in shadow trees that scripts cannot see, then
// the elements that hold the frames `given.frames`. Whoever has put `permacitePoints` into that
// world is told what a person points at.
//
// Answers one JSON text: see `permacite.capture.browsing.freezing`.
async (given, ...handles) => {
  // A form answers names of its fields in place of its own properties: so the getters are asked.
  const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (node) => get.call(node);
  };
  const typeOf = getter(Node.prototype, "nodeType");
  const firstOf = getter(Node.prototype, "firstChild");
  const nextOf = getter(Node.prototype, "nextSibling");
  const childrenOf = getter(Node.prototype, "childNodes");
  const attributesOf = getter(Element.prototype, "attributes");
  const nameOf = getter(Element.prototype, "localName");
  const spaceOf = getter(Element.prototype, "namespaceURI");
  const openRootOf = getter(Element.prototype, "shadowRoot");
  const { hasAttribute, matches: selected, getBoundingClientRect } = Element.prototype;
  const has = (element, name) => hasAttribute.call(element, name);
  const matches = (element, selector) => selected.call(element, selector);
  const boxOf = (element) => getBoundingClientRect.call(element);
  const ofDocument = (name) => getter(Document.prototype, name)(document);
  const create = (name) => Document.prototype.createElementNS.call(document, HTML, name);
  const root = ofDocument("documentElement");
  const styleOf = (element) => window.getComputedStyle(element);

  const HTML = "http://www.w3.org/1999/xhtml";
  const names = (text) => new Set(text.split(" "));
  const VOID = names("area base br col embed hr img input link meta source track wbr");
  const GONE = names("script noscript template noembed noframes");
  const HINTS = /(^|\s)(preload|prefetch|modulepreload|preconnect|dns-prefetch|prerender|manifest)(\s|$)/i;
  const PRAGMAS = /^\s*(refresh|content-security-policy(-report-only)?|set-cookie)\s*$/i;
  const DROPPED = names("nonce integrity srcdoc autofocus ping shadowrootmode loading");
  const LEADING = names("href src action formaction data to from values");
  const UNTYPED = names("button submit reset image hidden file");
  const NAME = /^[A-Za-z_][^\s"'<>/=\0]*$/;
  const SCRIPT = /^[\0-\x20]*j[\t\n\r]*a[\t\n\r]*v[\t\n\r]*a[\t\n\r]*s[\t\n\r]*c[\t\n\r]*r[\t\n\r]*i[\t\n\r]*p[\t\n\r]*t[\t\n\r]*:/i;
  const SILENT = names(
    "script style title noembed noframes noscript audio video canvas select datalist option " +
      "optgroup rp annotation annotation-xml desc metadata template object embed head",
  );
  const DRAWN_ALONE = names("text foreignObject");
  const APART = names("p h1 h2 h3 h4 h5 h6 blockquote pre hr");
  const WITHIN = names("inline contents inline-block inline-flex inline-grid inline-table ruby ruby-text none math");
  const STANDING =
    "position inset margin width height max-width max-height display visibility opacity " +
    "transform translate scale border padding overflow background-color color";
  const TEXT = 0, LINE = 1, APART_LINE = 2, BREAK = 3, ROW = 4, ROW_END = 5, CELL = 6, CELL_END = 7, FRAME = 8;

  const left = new Map();
  const leave = (reason) => left.set(reason, (left.get(reason) || 0) + 1);
  const closed = new Map();
  for (const node of handles.slice(0, given.closed)) {
    const shadow = Node.prototype.getRootNode.call(node);
    if (shadow instanceof ShadowRoot) closed.set(shadow.host, shadow);
  }
  const frames = new Map(handles.slice(given.closed).map((owner, at) => [owner, given.frames[at]]));
  const shadowOf = (element) => openRootOf(element) || closed.get(element) || null;
  const escaped = (value) =>
    value.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;").replace(/\r/g, "&#13;").replace(/\0/g, "");

  // ------------------------------------------------------------ parts that only the page has
  const parts = [];
  let octets = 0;
  const part = (type, data, text) => {
    octets += (data || text).length;
    if (octets > given.octets) {
      leave("parts-too-large");
      return null;
    }
    parts.push({ type, data, text });
    return `cid:${given.prefix}-${parts.length}@${given.domain}`;
  };
  const ofURL = (url) => {
    const found = /^data:([^;,]*);base64,(.*)$/s.exec(url);
    return found && part(found[1], found[2]);
  };
  const picture = (width, height, draw) => {
    const canvas = create("canvas");
    canvas.width = width;
    canvas.height = height;
    if (draw) canvas.getContext("2d").drawImage(draw, 0, 0, width, height);
    return canvas.toDataURL();
  };
  // A part whose octets are those of a screenshot of where the element stands.
  const clipped = (element) => {
    const box = boxOf(element);
    const style = styleOf(element);
    const edges = ["Left", "Top", "Right", "Bottom"].map(
      (side) => parseFloat(style[`border${side}Width`]) + parseFloat(style[`padding${side}`]) || 0,
    );
    const width = box.width - edges[0] - edges[2];
    const height = box.height - edges[1] - edges[3];
    const [x, y] = [box.left + edges[0], box.top + edges[1]];
    if (width < 1 || height < 1 || x >= innerWidth || y >= innerHeight || x + width <= 0 || y + height <= 0) {
      return null;
    }
    parts.push({ type: "image/png", clip: [x, y, width, height] });
    return `cid:${given.prefix}-${parts.length}@${given.domain}`;
  };
  const ofCanvas = (element) => {
    const { width, height } = element;
    if (!width || !height) return null;
    if (width * height > given.pixels) {
      leave("canvas-too-large");
      return clipped(element);
    }
    try {
      const url = HTMLCanvasElement.prototype.toDataURL.call(element);
      if (url !== picture(width, height)) return ofURL(url);
      if (HTMLCanvasElement.prototype.getContext.call(element, "2d")) return null;
    } catch {
      // It holds what the page may not read, and is taken as it is seen.
    }
    return clipped(element);
  };
  const blobs = new Map();
  const ofBlob = async (url, image) => {
    if (blobs.has(url)) return blobs.get(url);
    let made = null;
    try {
      const answer = await fetch(url);
      const blob = await answer.blob();
      if (blob.size > given.octets) throw new Error("too large");
      const bytes = new Uint8Array(await blob.arrayBuffer());
      let binary = "";
      for (let at = 0; at < bytes.length; at += 32768) {
        binary += String.fromCharCode(...bytes.subarray(at, at + 32768));
      }
      made = part(blob.type || "application/octet-stream", btoa(binary));
    } catch {
      try {
        if (image && image.naturalWidth) made = ofURL(picture(image.naturalWidth, image.naturalHeight, image));
      } catch {
        made = null;
      }
    }
    if (made === null) leave("blob");
    blobs.set(url, made);
    return made;
  };

  // ------------------------------------------------------------ style sheets
  let characters = 0;
  const rulesOf = (sheet) => {
    let text = "";
    for (const { cssText } of sheet.cssRules) {
      if (text.length + cssText.length > given.css) {
        leave("style-sheet-too-large");
        break;
      }
      text += (text && "\n") + cssText;
    }
    return text;
  };
  // The rules of a sheet as they stand; null where its source has the same, or none can be read.
  const changed = (sheet, source) => {
    try {
      const fresh = new CSSStyleSheet(sheet.href ? { baseURL: sheet.href } : {});
      fresh.replaceSync(source);
      const here = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSImportRule));
      const same = here.length === fresh.cssRules.length &&
        here.every((rule, at) => rule.cssText === fresh.cssRules[at].cssText);
      return same ? null : rulesOf(sheet);
    } catch {
      return null;
    }
  };
  let namesStates = false;
  const cssOf = (element) => {
    const source = element.textContent;
    if (source.length > given.css) {
      leave("style-sheet-too-large");
      return source.slice(0, given.css);
    }
    namesStates = namesStates || source.includes(":defined");
    return (element.sheet && changed(element.sheet, source)) ?? source;
  };
  // Those of a linked sheet that scripts changed since it came. Addresses in them lead from its own.
  const served = new Map(given.sheets || []);
  const relinked = (sheet) => {
    const rules = served.has(sheet.href) ? changed(sheet, served.get(sheet.href)) : null;
    const absolute = (whole, url) =>
      url.includes("\\") || !URL.canParse(url, sheet.href) ? whole : `url("${new URL(url, sheet.href).href}")`;
    return rules && rules.replace(/url\("((?:[^"\\]|\\.)*)"\)/g, absolute);
  };
  const inert = (css) => css.replace(/<\/(style)/gi, "<\\/$1").replace(/<!--/g, "").replace(/\0/g, "");
  const adopted = new Map();
  const linkedTo = (sheets) => {
    let links = "";
    for (const sheet of sheets) {
      if (sheet.disabled) continue;
      if (!adopted.has(sheet)) {
        const css = rulesOf(sheet);
        namesStates = namesStates || css.includes(":defined");
        adopted.set(sheet, css && part("text/css; charset=utf-8", null, css));
      }
      const media = sheet.media.mediaText ? ` media="${escaped(sheet.media.mediaText)}"` : "";
      if (adopted.get(sheet)) links += `<link rel="stylesheet" href="${adopted.get(sheet)}"${media}>`;
    }
    return links;
  };

  // ------------------------------------------------------------ start tags
  const inBlobs = async (css) => {
    const urls = css.includes("blob:") ? css.match(/blob:[^"')\s]+/g) || [] : [];
    for (const url of urls) css = css.replaceAll(url, (await ofBlob(url)) || "about:blank");
    return css;
  };
  const standing = (element) => {
    const style = styleOf(element);
    const fixed = STANDING.split(" ").map((name) => `${name}:${style.getPropertyValue(name)}!important`);
    let shade = "";
    if (matches(element, ":modal")) {
      const behind = window.getComputedStyle(element, "::backdrop").backgroundColor;
      shade = `;box-shadow:0 0 0 200vmax ${behind}!important`;
    }
    return `${fixed.join(";")};z-index:2147483647!important${shade}`;
  };
  const state = (element, name, values) => {
    if (name === "input") {
      const type = element.type;
      if (type === "checkbox" || type === "radio") {
        values.delete("checked");
        if (element.checked) values.set("checked", "");
      } else if (type === "password") values.delete("value");
      else if (!UNTYPED.has(type)) values.set("value", element.value);
    } else if (name === "option") {
      values.delete("selected");
      if (element.selected) values.set("selected", "");
    }
  };
  const image = async (element, values) => {
    const source = element.currentSrc || element.src;
    if (source.startsWith("blob:")) {
      values.set("src", (await ofBlob(source, element)) || "");
    } else if (values.has("srcset") || (element.parentNode && element.parentNode instanceof HTMLPictureElement)) {
      if (source) values.set("src", source);
      if (!values.has("width") && !values.has("height") && element.naturalWidth) {
        values.set("width", String(element.naturalWidth));
      }
    }
    values.delete("srcset");
    values.delete("sizes");
  };
  const video = async (element, values) => {
    const source = element.currentSrc;
    if (!source.startsWith("blob:") && !element.srcObject) return;
    values.delete("src");
    try {
      if (element.videoWidth) {
        const poster = ofURL(picture(element.videoWidth, element.videoHeight, element));
        if (poster) values.set("poster", poster);
      }
    } catch {
      leave("video");
    }
  };
  const tag = async (element, name, html) => {
    const values = new Map();
    for (const { name: key, value } of attributesOf(element)) {
      const local = key.slice(key.lastIndexOf(":") + 1).toLowerCase();
      if (!NAME.test(key) || local.startsWith("on") || DROPPED.has(local)) continue;
      if (LEADING.has(local) && SCRIPT.test(value)) continue;
      values.set(key, value);
    }
    const add = (css) => values.set("style", `${values.has("style") ? `${values.get("style")};` : ""}${css}`);
    if (values.has("style") && values.get("style").includes("blob:")) {
      values.set("style", await inBlobs(values.get("style")));
    }
    if (html) {
      state(element, name, values);
      if (name === "img") await image(element, values);
      else if (name === "source" && element.parentNode instanceof HTMLPictureElement) values.delete("srcset");
      else if (name === "video" || name === "audio") await video(element, values);
      else if (name === "canvas") {
        const url = ofCanvas(element);
        if (url) {
          add(
            `background-image:url("${url}")!important;background-size:100% 100%!important;` +
              "background-position:0 0!important;background-repeat:no-repeat!important;" +
              "background-origin:content-box!important",
          );
        }
      } else if (name === "iframe" || name === "frame") {
        values.delete("src");
        if (frames.has(element)) values.set("src", `cid:frame-${frames.get(element)}@${given.domain}`);
      }
      const is_over = (has(element, "popover") && matches(element, ":popover-open")) || (name === "dialog" && matches(element, ":modal"));
      if (is_over) add(standing(element));
      else if (namesStates && name.includes("-") && matches(element, ":defined")) {
        const style = styleOf(element);
        add(["display", "visibility", "opacity"].map((key) => `${key}:${style[key]}!important`).join(";"));
      }
    }
    let written = `<${name}`;
    for (const [key, value] of values) written += value === "" ? ` ${key}` : ` ${key}="${escaped(value)}"`;
    return `${written}>`;
  };

  // ------------------------------------------------------------ markup, in the order of the tree
  const pieces = [];
  const texts = new Map();
  let markup = "";
  let nodes = 0;
  const text = (node, data) => {
    texts.set(node, texts.size);
    pieces.push(markup, data);
    characters += markup.length + data.length;
    markup = "";
  };
  const open = async (element) => {
    const html = spaceOf(element) === HTML;
    let name = nameOf(element);
    if (!NAME.test(name)) name = "span";
    if (html && GONE.has(name)) {
      markup += name === "script" || name === "template" || name === "noscript" ? "<template></template>" : "";
      return null;
    }
    if (html && (name === "link" || name === "meta") && hint(element, name)) return null;
    if (html && name === "style") {
      const media = element.sheet && element.sheet.disabled ? "<style media=\"not all\">" : await tag(element, name, html);
      markup += `${media}${inert(await inBlobs(cssOf(element)))}</style>`;
      return null;
    }
    if (html && name === "link" && element.sheet) {
      if (element.sheet.disabled) return null;
      const rules = element.href.startsWith("blob:") ? rulesOf(element.sheet) : relinked(element.sheet);
      if (rules !== null) {
        const media = element.media ? ` media="${escaped(element.media)}"` : "";
        markup += `<style${media}>${inert(await inBlobs(rules))}</style>`;
        return null;
      }
    }
    if (html && (name === "xmp" || name === "plaintext")) name = "pre";
    markup += await tag(element, name, html);
    if (html && VOID.has(name)) return null;
    if (html && name === "textarea") {
      markup += "\n";
      text(element, element.value);
      return `</${name}>`;
    }
    if (html && (name === "iframe" || name === "canvas")) {
      markup += `</${name}>`;
      return null;
    }
    if (html && (name === "pre" || name === "listing")) markup += "\n";
    return `</${name}>`;
  };
  const hint = (element, name) => {
    if (name === "meta") return has(element, "http-equiv") && PRAGMAS.test(element.httpEquiv);
    return HINTS.test(element.rel) && !/(^|\s)(stylesheet|icon)(\s|$)/i.test(element.rel);
  };
  const shadowed = (element) => {
    const shadow = shadowOf(element);
    if (shadow) markup += `<template shadowrootmode="${shadow.mode}">`;
    return shadow;
  };
  // Each step of the walk: a node to be written, or the markup that ends one.
  const write = async (top) => {
    const ends = [];
    let node = top;
    while (node || ends.length) {
      if (!node) {
        const { end, next, host, shadow } = ends.pop();
        if (shadow) markup += linkedTo(shadow.adoptedStyleSheets);
        if (end === "</head>") markup += linkedTo(ofDocument("adoptedStyleSheets"));
        markup += end;
        node = host ? firstOf(host) : next;
        continue;
      }
      nodes += 1;
      if (nodes > given.nodes || characters > given.characters) {
        leave("nodes");
        node = null;
        continue;
      }
      const next = node === top ? null : nextOf(node);
      const type = typeOf(node);
      if (type === 3) {
        text(node, node.data);
        node = next;
      } else if (type === 1) {
        const end = await open(node);
        if (end !== null) ends.push({ end, next });
        const shadow = end === null || end === "</textarea>" ? null : shadowed(node);
        if (end === null) node = next;
        else if (shadow) {
          ends.push({ end: "</template>", next: null, host: node, shadow });
          node = firstOf(shadow);
        } else node = end === "</textarea>" ? null : firstOf(node);
      } else {
        node = next;
      }
    }
  };

  // ------------------------------------------------------------ what stands where, as it is drawn
  const flow = [];
  const MODES = { collapse: 0, preserve: 1, "preserve-breaks": 2, "preserve-spaces": 0, "break-spaces": 1 };
  const arranged = (element) => {
    const shadow = shadowOf(element);
    if (shadow) return [...childrenOf(shadow)];
    if (element instanceof HTMLSlotElement) {
      const assigned = element.assignedNodes();
      if (assigned.length) return assigned;
    }
    if (element instanceof HTMLDetailsElement && !element.open) {
      const summary = [...childrenOf(element)].find((child) => typeOf(child) === 1 && nameOf(child) === "summary");
      return summary ? [summary] : [];
    }
    return [...childrenOf(element)];
  };
  const enter = (element, name, display) => {
    if (spaceOf(element) !== HTML) return DRAWN_ALONE.has(name) ? [LINE, LINE] : [];
    if (display === "table-row") return [ROW, ROW_END];
    if (display === "table-cell") return [CELL, CELL_END];
    if (WITHIN.has(display)) return [];
    return APART.has(name) ? [APART_LINE, APART_LINE] : [LINE, LINE];
  };
  const lay = (top) => {
    const stack = [{ list: [top], at: 0, mode: 0, seen: true, end: null }];
    while (stack.length) {
      const here = stack[stack.length - 1];
      if (here.at >= here.list.length) {
        stack.pop();
        if (here.end !== null) flow.push(here.end);
        continue;
      }
      const node = here.list[here.at++];
      const type = typeOf(node);
      if (type === 3) {
        if (here.seen && texts.has(node)) flow.push(TEXT, texts.get(node), here.mode);
        continue;
      }
      if (type !== 1) continue;
      const name = nameOf(node);
      if (SILENT.has(name)) continue;
      if (name === "br") {
        flow.push(BREAK);
        continue;
      }
      const style = styleOf(node);
      const display = style.display;
      if (display === "none") continue;
      const seen = style.visibility === "visible";
      if (name === "iframe" || name === "frame") {
        if (seen && frames.has(node)) flow.push(LINE, FRAME, frames.get(node), LINE);
        continue;
      }
      const mode = MODES[style.whiteSpaceCollapse] || 0;
      const [begin, end] = enter(node, name, display);
      if (begin !== undefined) flow.push(begin);
      if (name === "textarea") {
        if (seen && texts.has(node)) flow.push(TEXT, texts.get(node), 1);
        if (end !== undefined) flow.push(end);
        continue;
      }
      const list = style.contentVisibility === "hidden" ? [] : arranged(node);
      stack.push({ list, at: 0, mode, seen, end: end === undefined ? null : end });
    }
  };

  const doctype = ofDocument("doctype");
  if (doctype) {
    const publicId = doctype.publicId ? ` PUBLIC "${doctype.publicId.replace(/["<>]/g, "")}"` : "";
    const systemId = doctype.systemId ? `${publicId ? "" : " SYSTEM"} "${doctype.systemId.replace(/["<>]/g, "")}"` : "";
    markup += ofDocument("contentType") === "text/html" ? `<!DOCTYPE html${publicId}${systemId}>` : "<!DOCTYPE html>";
  } else if (ofDocument("compatMode") !== "BackCompat") {
    markup += "<!DOCTYPE html>";
  }
  if (root) {
    await write(root);
    lay(root);
  }
  pieces.push(markup);
  const places = [...frames].map(([owner, frame]) => {
    const box = boxOf(owner);
    return [frame, box.left + owner.clientLeft, box.top + owner.clientTop];
  });
  return JSON.stringify({
    pieces,
    flow,
    parts,
    places,
    left: [...left],
    nodes,
    url: ofDocument("URL"),
    base: getter(Node.prototype, "baseURI")(document),
    title: ofDocument("title"),
    size: [innerWidth, innerHeight, devicePixelRatio],
    pointed: globalThis.permacitePoints ? globalThis.permacitePoints(texts, given.picture) : null,
  });
}
