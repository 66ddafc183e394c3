// The user's own server: asked with the token, without cookies, and never anybody else.

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

export const ask = async (server, token, path, parcel) => {
  const terms = {
    method: parcel ? "POST" : "GET",
    headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    cache: "no-store",
  };
  if (parcel) {
    terms.headers["Content-Type"] = parcel.type;
    terms.body = parcel;
  }
  let answer;
  try {
    answer = await fetch(server + path, terms);
  } catch {
    throw new Error("no-answer");
  }
  let told;
  try {
    told = await answer.json();
  } catch {
    throw new Error("not-ours");
  }
  if (answer.ok) return told;
  if (typeof told.code !== "string" || typeof told.detail !== "string") throw new Error("not-ours");
  throw Object.assign(new Error("refused"), { said: told.detail.slice(0, 500), status: answer.status });
};

// An error in the user's words: the name of a message, and what the server said.
export const explained = (error) => {
  const names = ["not-set-up", "no-page", "no-address", "not-secret", "no-answer", "not-ours", "refused", "stopped", "silent", "gone"];
  const name = names.includes(error.message) ? error.message : "unreadable";
  return { name: name.replaceAll("-", "_"), said: error.said || (name === "unreadable" ? String(error.message).slice(0, 300) : "") };
};
