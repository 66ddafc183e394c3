// The user's own server: asked with the token, without cookies, and never anybody else.

import { BOUNDS } from "./bounds.js";

const PLAIN = /^http:\/\/(localhost|127(\.[0-9]+){3}|\[::1\])(:[0-9]+)?$/;

// A server as the user names it: its origin and path, or an error's name.
export const serverOf = (typed) => {
  let url;
  try {
    url = new URL(/^[a-z]+:\/\//i.test(typed) ? typed.trim() : `https://${typed.trim()}`);
  } catch {
    throw new Error("no-address");
  }
  if (url.username || url.password || url.search || url.hash) throw new Error("no-address");
  if (url.protocol !== "https:" && !PLAIN.test(url.origin)) throw new Error("not-secret");
  return url.origin + url.pathname.replace(/\/+$/, "");
};

const once = async (server, token, path, parcel) => {
  const terms = {
    method: parcel ? "POST" : "GET",
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    signal: AbortSignal.timeout(parcel ? BOUNDS.sendingMs : BOUNDS.askingMs),
  };
  if (parcel) {
    terms.headers["Content-Type"] = parcel.type;
    terms.body = parcel;
  }
  const answer = await fetch(server + path, terms);
  return { answer, text: await beginning(answer) };
};

// The text of an answer; "" where it is longer than any of ours.
const beginning = async (answer) => {
  const decoder = new TextDecoder();
  let text = "";
  if (!answer.body) return text;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > BOUNDS.told) {
      await reader.cancel();
      return "";
    }
  }
};

// What the server tells. A parcel whose answer is lost is sent again: its key names it, so that it is
// saved once.
export const ask = async (server, token, path, parcel) => {
  let had;
  try {
    had = await once(server, token, path, parcel);
  } catch {
    if (!parcel) throw new Error("no-answer");
    await new Promise((done) => setTimeout(done, BOUNDS.pauseMs));
    had = await once(server, token, path, parcel).catch(() => {
      throw new Error("lost");
    });
  }
  let told;
  try {
    told = JSON.parse(had.text);
  } catch {
    throw new Error("not-ours");
  }
  if (told === null || typeof told !== "object") throw new Error("not-ours");
  if (had.answer.ok) return told;
  if (typeof told.code !== "string" || typeof told.detail !== "string") throw new Error("not-ours");
  throw Object.assign(new Error("refused"), { said: told.detail.slice(0, 500), status: had.answer.status });
};

// An error in the user's words: the name of a message, and what the server said.
export const explained = (error) => {
  const names = ["not-set-up", "no-page", "no-address", "not-secret", "no-answer", "lost", "not-ours", "refused", "stopped", "silent", "gone"];
  const name = names.includes(error.message) ? error.message : "unreadable";
  return { name: name.replaceAll("-", "_"), said: error.said || (name === "unreadable" ? String(error.message).slice(0, 300) : "") };
};
