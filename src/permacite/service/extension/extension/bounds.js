// How much is taken of a page; the server has bounds of its own.

const MIB = 1024 * 1024;

export const BOUNDS = {
  document: { nodes: 400000, characters: 32 * MIB, css: 8 * MIB, octets: 48 * MIB, pixels: 32000000 },
  lookedInto: 30000,
  handles: 2000,
  clips: 50,
  frames: 100,
  documentMs: 20000,
  answers: 500,
  answerOctets: 50 * MIB,
  octets: 150 * MIB,
  octetsMs: 20000,
  atOnce: 8,
  askingMs: 20000,
  sendingMs: 300000,
  pauseMs: 1000,
  told: 4 * MIB,
};

export const DOMAIN = "drawn";

// Fields of answers that never leave the browser.
const SECRET = new Set([
  "set-cookie",
  "set-cookie2",
  "cookie",
  "authorization",
  "proxy-authorization",
  "authentication-info",
  "proxy-authentication-info",
]);

export const openFields = (fields) =>
  fields.filter(([name, value]) => !SECRET.has(name.toLowerCase()) && !/[\0\r\n]/.test(value) && value.length <= 16384);

// What a promise gives, unless it takes too long.
export const within = (ms, promise, problem) => {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(problem)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

// Work through a list, a few at once, in the order of the list.
export const inTurns = async (items, work) => {
  let next = 0;
  const turn = async () => {
    while (next < items.length) await work(items[next++]);
  };
  await Promise.all(Array.from({ length: BOUNDS.atOnce }, turn));
};
