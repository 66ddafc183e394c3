// The one script in the frame of a picture, a sound or a video: draws a rectangle, reads the clock
// of the player, and tells the reader the numbers. The elements around it are ours, none archived.
(() => {
  const media = document.querySelector("#media");
  const surface = document.querySelector("#surface"); // around what is seen
  const drawn = document.querySelector("#drawn"); // where a rectangle can be drawn
  const cited = document.querySelector("mark.region");
  if (!media) return;
  const part = { rect: null, start: null, end: null }; // pixels; milliseconds
  let failed = false;

  // Browsers tell sizes as they show them: a density (EXIF), or pixels that are no squares, change
  // them. The numbers of a name count the pixels of the file.
  let pixels = null;
  const measure = async () => {
    try {
      const seen = media.matches("img") ? await createImageBitmap(media) : new VideoFrame(media);
      const { width, height } = seen.visibleRect ?? seen;
      pixels = seen.rotation % 180 ? [height, width] : [width, height];
      seen.close();
    } catch {
      const [width, height] = [media.naturalWidth || media.videoWidth, media.naturalHeight || media.videoHeight];
      pixels = width ? [width, height] : null;
    }
  };
  const duration = () => (Number.isFinite(media.duration) ? Math.floor(media.duration * 1000) : null);
  const say = (permacite, rest = {}) => parent.postMessage({ permacite, ...rest }, "*");
  const tell = () => say("part", part);
  const tellKnown = () => say("known", { size: pixels, duration: duration(), failed });

  // Shares of the whole, so that what is marked stays in its place at any scale.
  const place = (box, [left, top, right, bottom]) => {
    const [width, height] = pixels;
    const share = (length, all) => `${(length / all) * 100}%`;
    box.style.left = share(left, width);
    box.style.top = share(top, height);
    box.style.width = share(right - left, width);
    box.style.height = share(bottom - top, height);
  };
  const show = () => {
    if (!pixels) return;
    surface?.classList.add("fitting");
    if (cited) place(cited, cited.dataset.rect.split(",").map(Number));
    if (!drawn) return;
    drawn.hidden = !part.rect || String(part.rect) === cited?.dataset.rect;
    if (part.rect) place(drawn, part.rect);
  };
  const draw = (rect) => {
    part.rect = rect;
    show();
    tell();
  };

  // By pointer: the edge between two pixels that is nearest. Inside the rectangle it is moved, at a
  // corner (as near as a finger tells) it is resized, elsewhere a new one is drawn.
  const NEAR = 12;
  const limit = (value, most) => Math.min(most, Math.max(0, value));
  const point = (event) => {
    const box = media.getBoundingClientRect();
    const [width, height] = pixels;
    const nearest = (distance, length, most) => limit(Math.round((distance / length) * most), most);
    return [nearest(event.clientX - box.left, box.width, width), nearest(event.clientY - box.top, box.height, height)];
  };
  const between = ([a, b], [c, d]) =>
    a === c || b === d ? null : [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  const moved = ([left, top, right, bottom], across, down) => {
    const [width, height] = pixels;
    const x = limit(left + across, width - right + left);
    const y = limit(top + down, height - bottom + top);
    return [x, y, x + right - left, y + bottom - top];
  };
  const opposite = (event) => {
    const box = drawn.getBoundingClientRect();
    const [left, top, right, bottom] = part.rect;
    const near = (a, b) => Math.abs(a - b) <= NEAR;
    const across = near(event.clientX, box.left) ? right : near(event.clientX, box.right) ? left : null;
    const down = near(event.clientY, box.top) ? bottom : near(event.clientY, box.bottom) ? top : null;
    return across === null || down === null ? null : [across, down];
  };
  const inside = ([x, y]) => part.rect && x > part.rect[0] && x < part.rect[2] && y > part.rect[1] && y < part.rect[3];

  const fullSize = document.querySelector("#full");
  const begin = (event) => {
    const scrolls = event.pointerType === "touch" && fullSize?.checked; // one finger scrolls then
    if (event.button || !event.isPrimary || scrolls || !pixels) return;
    const before = part.rect;
    const from = point(event);
    const corner = before && opposite(event);
    const grasped = !corner && inside(from);
    const follow = (next) => {
      const to = point(next);
      draw(grasped ? moved(before, to[0] - from[0], to[1] - from[1]) : between(corner ?? from, to));
    };
    const stop = (next) => {
      if (next.type === "pointercancel") draw(before);
      else follow(next);
      surface.removeEventListener("pointermove", follow);
      for (const name of ["pointerup", "pointercancel"]) surface.removeEventListener(name, stop);
    };
    event.preventDefault();
    surface.focus();
    surface.setPointerCapture(event.pointerId);
    surface.addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) surface.addEventListener(name, stop);
  };

  // By keyboard: arrows move it by a pixel, with Shift its lower right corner; held down, by ten.
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const middle = () => {
    const [width, height] = pixels;
    const [x, y] = [Math.floor(width / 4), Math.floor(height / 4)];
    return [x, y, Math.max(x + 1, width - x), Math.max(y + 1, height - y)];
  };
  const resized = ([left, top, right, bottom], across, down) => {
    const [width, height] = pixels;
    return [left, top, Math.max(left + 1, limit(right + across, width)), Math.max(top + 1, limit(bottom + down, height))];
  };
  const press = (event) => {
    const arrow = ARROWS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || !pixels) return;
    if (event.key === "Escape") draw(null);
    else if (event.key === "Enter") say("cite");
    else if (!arrow) return;
    else if (!part.rect) draw(middle());
    else {
      const [across, down] = arrow.map((step) => step * (event.repeat ? 10 : 1));
      draw((event.shiftKey ? resized : moved)(part.rect, across, down));
    }
    event.preventDefault();
  };

  const drawing = (wanted) => {
    if (!drawn) return;
    surface.classList.toggle("drawing", wanted);
    const change = wanted ? surface.addEventListener : surface.removeEventListener;
    change.call(surface, "pointerdown", begin);
    change.call(surface, "keydown", press);
    if (media.tagName === "VIDEO") media.controls = !wanted; // they lie over the picture
    if (!wanted) return ["role", "tabindex", "aria-label"].forEach((name) => surface.removeAttribute(name));
    surface.tabIndex = 0;
    surface.setAttribute("role", "application");
    surface.setAttribute("aria-label", surface.dataset.label);
  };

  // By the clock of the player.
  const now = () => Math.min(Math.round(media.currentTime * 1000), duration() ?? Infinity);
  const mark = (which) => {
    part[which] = now();
    tell();
  };
  const play = () => {
    if (part.start === null || part.end === null) return;
    const watch = () => {
      if (media.paused) return;
      if (media.currentTime * 1000 >= part.end) media.pause();
      else requestAnimationFrame(watch);
    };
    media.addEventListener("playing", watch, { once: true });
    media.currentTime = part.start / 1000;
    media.play();
  };
  const playFrom = (time) => {
    media.pause(); // what watches for the end of a part lets go first
    media.currentTime = time / 1000;
    requestAnimationFrame(() => media.play());
  };
  const tellTime = () => say("now", { time: now(), playing: !media.paused });
  const actions = {
    start: () => mark("start"),
    end: () => mark("end"),
    play,
    draw: async () => {
      media.pause();
      await measure();
      drawing(!surface.classList.contains("drawing"));
      surface.focus();
    },
    ask: tellKnown,
  };
  document.addEventListener("keydown", (event) => {
    const action = { i: "start", o: "end" }[event.key.toLowerCase()];
    const alone = !event.ctrlKey && !event.altKey && !event.metaKey;
    if (action && alone && media.matches("audio, video")) actions[action]();
  });
  for (const name of ["timeupdate", "seeked", "pause"]) media.addEventListener(name, tellTime);

  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    const { permacite, rect, start, end, time } = event.data ?? {};
    if (permacite === "part") {
      Object.assign(part, { rect, start, end });
      show();
    } else if (permacite === "from" && Number.isSafeInteger(time)) {
      playFrom(time);
    } else if (Object.hasOwn(actions, permacite)) actions[permacite]();
  });
  const ready = async () => {
    await measure();
    if (media.matches("img")) drawing(true);
    show();
    cited?.scrollIntoView({ block: "center", inline: "nearest", container: "nearest" });
    tellKnown();
  };
  for (const name of ["load", "loadeddata"]) media.addEventListener(name, ready);
  media.requestVideoFrameCallback?.(ready); // once one is shown, it can be measured
  media.addEventListener("durationchange", tellKnown);
  const fail = () => {
    failed = true;
    tellKnown();
  };
  media.addEventListener("error", fail);
  if (media.naturalWidth || media.readyState > 1) ready();
  else if (media.complete || media.error) fail();
})();
