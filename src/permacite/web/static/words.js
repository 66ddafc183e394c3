// The words of the page's language, as the page brings them (src/permacite/words).
const table = JSON.parse(document.querySelector("#words").textContent);
const plurals = new Intl.PluralRules(document.documentElement.lang);
const numbers = new Intl.NumberFormat(document.documentElement.lang);

// The sentence of a key, {places} filled; of several plural forms, the one for values.count.
export const t = (key, values = {}) => {
  const text = table[key];
  const pattern = typeof text === "string" ? text : (text[plurals.select(values.count)] ?? text.other);
  return pattern.replace(/\{(\w+)\}/g, (_, name) => (name === "count" ? numbers.format(values.count) : values[name]));
};

// An address of ours, under the path that the server stands at.
export const at = (address) => document.documentElement.dataset.base + address;

// An address of ours that goes on in the language that was chosen, where one was.
export const kept = (address) => {
  const language = new URLSearchParams(location.search).get("lang");
  return language ? `${address}${address.includes("?") ? "&" : "?"}lang=${encodeURIComponent(language)}` : address;
};
