// A part of a picture, a sound or a video: what is drawn and marked in the frame, and the numbers
// of the form, say the same. The form alone cites a part too, without this script (POST /-/cite).
import { t } from "./words.js";

const CORNERS = ["left", "top", "right", "bottom"];
const TIME = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,9})(?:\.(\d{1,3}))?$/;

const milliseconds = (text) => {
  const [, hours = 0, minutes = 0, seconds, rest = ""] = TIME.exec(text.trim()) ?? [];
  return seconds === undefined ? NaN : (hours * 3600 + minutes * 60 + Number(seconds)) * 1000 + Number(rest.padEnd(3, "0"));
};

const clock = (time) => {
  const [minutes, rest] = [Math.floor(time / 60000), (time % 60000) / 1000];
  const [hours, left] = [Math.floor(minutes / 60), minutes % 60];
  const seconds = (rest < 10 ? "0" : "") + String(rest);
  return hours ? `${hours}:${String(left).padStart(2, "0")}:${seconds}` : `${left}:${seconds}`;
};

const numberOf = (text) => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : NaN);

// What the fields hold: null where all of a kind are empty, NaN where one is none.
const partOf = (form) => {
  const text = (name) => form.elements.namedItem(name)?.value ?? "";
  const corners = CORNERS.map(text);
  const time = (name) => (text(name).trim() ? milliseconds(text(name)) : null);
  return { rect: corners.some((corner) => corner.trim()) ? corners.map(numberOf) : null, start: time("start"), end: time("end") };
};

// Why a part cannot be cited, in the reader's words; "" where it can.
const problemOf = (part, known, kind) => {
  const { rect, start, end } = part;
  if (kind !== "image") {
    if (start === null || end === null) return t(rect ? "script.needs_time_too" : "script.needs_time");
    if (Number.isNaN(start) || Number.isNaN(end)) return t("script.time_form");
    if (end <= start) return t("script.end_first");
    if (known.duration !== null && end > known.duration) return t("script.time_beyond", { time: clock(known.duration) });
  } else if (!rect) return t("script.needs_rectangle");
  if (!rect) return "";
  if (rect.some(Number.isNaN)) return t("script.four_numbers");
  const [left, top, right, bottom] = rect;
  if (right <= left || bottom <= top) return t("script.edges");
  const [width, height] = known.size ?? [Infinity, Infinity];
  return right > width || bottom > height ? t("script.beyond", { width, height }) : "";
};

const told = ({ rect, start, end }, kind) => {
  const lasts = () => t("script.time_told", { start: clock(start), end: clock(end), count: (end - start) / 1000 });
  const sentences = kind === "image" ? [] : [lasts()];
  if (rect) {
    const [left, top, right, bottom] = rect;
    sentences.push(t("script.rectangle_told", { left, top, right, bottom, width: right - left, height: bottom - top }));
  }
  return sentences.join(" ");
};

// The same for the archive: one member, by the scheme of the fragment (PDI 3.4.4, 3.4.5).
const asked = ({ rect, start, end }, kind) => {
  const time = `${clock(start ?? 0)}-${clock(end ?? 0)}`;
  if (kind === "image") return { rect: rect.join() };
  return rect ? { crop: `sec,${time},${rect}` } : { sec: time };
};

export const markParts = (form, frame, cite) => {
  const { kind } = form.dataset;
  const status = form.querySelector("output");
  const send = (permacite, rest = {}) => frame.contentWindow.postMessage({ permacite, ...rest }, "*");
  const known = { size: null, duration: null, failed: false };
  let part = partOf(form);

  const tell = () => {
    const problem = problemOf(part, known, kind);
    const empty = !part.rect && part.start === null && part.end === null;
    form.querySelector("[data-cite]").ariaDisabled = String(problem !== "");
    status.className = problem && !empty ? "wrong" : "";
    status.value = empty && known.failed ? t("script.cannot_show") : problem || told(part, kind);
    return problem;
  };
  const fill = () => {
    CORNERS.forEach((name, at) => set(name, part.rect?.[at]));
    for (const name of ["start", "end"]) set(name, part[name] === null ? undefined : clock(part[name]));
  };
  const set = (name, value) => {
    const field = form.elements.namedItem(name);
    if (field) field.value = value ?? "";
  };
  const post = () => {
    if (tell() !== "") return form.querySelector("input:not([type=hidden])").focus();
    const { reference, frame: number } = form.elements;
    cite({ reference: reference.value, ...asked(part, kind), ...(number && { frame: Number(number.value) }) });
  };

  // The frame is trusted with numbers alone, and cites nothing unless somebody pressed a key.
  const whole = (value) => (Number.isSafeInteger(value) && value >= 0 ? value : null);
  const wholes = (values, count) => (Array.isArray(values) && values.length === count && values.every((value) => whole(value) !== null) ? values : null);
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.permacite === "known") {
      Object.assign(known, { size: wholes(data.size, 2), duration: whole(data.duration), failed: data.failed === true });
      for (const button of form.querySelectorAll("[data-action]")) button.hidden = known.failed; // it has a player
      tell();
    } else if (data?.permacite === "part") {
      part = { rect: wholes(data.rect, 4), start: whole(data.start), end: whole(data.end) };
      fill();
      tell();
    } else if (data?.permacite === "cite" && navigator.userActivation?.isActive !== false) post();
  });

  const share = () => send("part", { ...part, rect: part.rect?.some(Number.isNaN) ? null : part.rect });
  form.addEventListener("input", () => {
    part = partOf(form);
    tell();
    share();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    part = { rect: null, start: null, end: null };
    fill();
    tell();
    share();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    post();
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-action]");
    if (!button) return;
    send(button.dataset.action);
    if (button.ariaPressed) button.ariaPressed = String(button.ariaPressed !== "true");
  });
  document.addEventListener("keydown", (event) => {
    const action = { i: "start", o: "end" }[event.key.toLowerCase()];
    const typing = event.target.matches("input, textarea") || event.ctrlKey || event.altKey || event.metaKey;
    if (action && kind !== "image" && !typing) send(action);
  });
  const begin = () => {
    send("ask");
    share();
  };
  frame.addEventListener("load", begin);
  begin();
  form.querySelector("[type=reset]").hidden = false;
  tell();
};
