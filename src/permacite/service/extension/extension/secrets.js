// Addresses that may hold a secret: found, shown, and cut wherever they stand.

const NAMED =
  /^(.*[-_.])?(access[-_]?token|api[-_]?key|auth|authorization|code|credential|hash|jwt|key|nonce|otp|pass(word|wd)?|pwd|secret|session([-_]?id)?|sid|sig(nature)?|state|ticket|token)$/i;
const JWT = /^ey[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/;
const SHORTEST = 6;
const RANDOM = 24;

const looksRandom = (text) =>
  text.length >= RANDOM && /^[\w.~+/=%-]+$/.test(text) && /[0-9]/.test(text) && /[a-z]/i.test(text);

// The values in an address that may be secrets, as they are written there.
export const secretsOf = (address, own) => {
  const query = (address.split("#", 1)[0].split("?").slice(1).join("?") || "").split("&");
  const found = [];
  for (const field of query) {
    const at = field.indexOf("=");
    if (at < 0) continue;
    const [name, value] = [field.slice(0, at), field.slice(at + 1)];
    if (value.length < SHORTEST) continue;
    if (NAMED.test(name) || JWT.test(value) || (own && looksRandom(value))) found.push(value);
  }
  if (own) {
    const path = address.replace(/^[a-z]+:\/\/[^/]*/i, "").split(/[?#]/, 1)[0];
    for (const part of path.split("/")) if (JWT.test(part) || (part.length >= 32 && looksRandom(part))) found.push(part);
  }
  return found;
};

// What is before "//" and "@" is a password: it leaves in no case.
export const withoutPassword = (address) => address.replace(/^([a-z]+:\/\/)[^/?#@]*@/i, "$1");

const written = (value) => [...new Set([value, value.replace(/&/g, "&amp;"), decoded(value), JSON.stringify(value).slice(1, -1)])];
const decoded = (value) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

export const cutOut = (text, values) => {
  for (const value of values) for (const form of written(value)) text = text.replaceAll(form, "");
  return text;
};

export const holds = (octets, values) => {
  if (!values.length) return false;
  const text = new TextDecoder("latin1").decode(octets);
  return values.some((value) => written(value).some((form) => text.includes(form)));
};
