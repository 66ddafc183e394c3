// Check the proof in this page, by WebCrypto alone, and say what holds. Nothing is asked of any network.
// The files of the proof, and how to check them by hand, are told in README.txt in it.
"use strict";

class Fault extends Error {} // what is wrong with the proof
class Unable extends Error {} // what this browser cannot check

const shownAt = (id) => document.getElementById(id);
const need = (good, otherwise) => { if (!good) throw new Fault(otherwise); };
const same = (left, right) => left.length === right.length && left.every((octet, place) => octet === right[place]);
const hex = (octets) => Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
const utf8 = (octets) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets);
const octetsOf = (text) => new TextEncoder().encode(text);
const fromBase64 = (text) => {
  const binary = atob(text);
  need(btoa(binary) === text, "something is not written in plain base64");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
};
const toBase64 = (octets) => btoa(String.fromCharCode(...octets));
const joined = async (...parts) => new Uint8Array(await new Blob(parts).arrayBuffer());
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", await joined(...parts)));
const digestOf = async (octets) => `sha-256:${hex(await sha256(octets))}`;

// -- The zip: as permacite writes it, without extra fields (PKWARE APPNOTE §4.3.12, §4.3.16)

const inflated = (packed) =>
  new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer();

const unzipped = async (zip) => {
  const view = new DataView(zip.buffer);
  const end = zip.length - 22;
  need(end >= 0 && view.getUint32(end, true) === 0x06054b50, "the proof is no zip file");
  const files = {};
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    need(at + 46 <= end && view.getUint32(at, true) === 0x02014b50, "the proof is a damaged zip file");
    const length = view.getUint16(at + 28, true);
    const name = utf8(zip.subarray(at + 46, at + 46 + length));
    const start = view.getUint32(at + 42, true) + 30 + length;
    const packed = zip.subarray(start, start + view.getUint32(at + 20, true));
    need(!Object.hasOwn(files, name), `${name} stands in the proof twice`);
    files[name] = view.getUint16(at + 10, true) ? new Uint8Array(await inflated(packed)) : packed;
    at += 46 + length;
  }
  return files;
};

// -- What the files say

const canonicalJSON = (octets) => {
  const text = utf8(octets);
  const value = JSON.parse(text);
  need(JSON.stringify(value) === text, "an entry is not in canonical JSON"); // a name twice, for one
  return value;
};

// A note: its text, and the lines that sign it (c2sp.org/signed-note)
const noteOf = (text) => {
  const blank = text.lastIndexOf("\n\n");
  need(blank > 0 && text.endsWith("\n"), "the checkpoint is no signed note");
  const signatures = text.slice(blank + 2, -1).split("\n").map((line) => {
    const [dash, name, data] = line.split(" ");
    need(dash === "\u2014" && data, "the checkpoint has a line that is no signature");
    const octets = fromBase64(data);
    return { line, name, id: hex(octets.subarray(0, 4)), signature: octets.subarray(4) };
  });
  const [origin, size, root] = text.split("\n");
  need(/^[1-9][0-9]{0,14}$/.test(size), "the checkpoint tells no size");
  return { text: text.slice(0, blank + 1), origin, size: Number(size), root: fromBase64(root), signatures };
};

// A way to the root, and the note below it (c2sp.org/tlog-proof)
const wayOf = (octets) => {
  const text = utf8(octets);
  const blank = text.indexOf("\n\n");
  const [kind, place, ...hashes] = text.slice(0, blank).split("\n");
  const index = /^index (0|[1-9][0-9]{0,14})$/.exec(place);
  need(blank > 0 && kind === "c2sp.org/tlog-proof@v1" && index, "this is no way to the root of a log");
  return { index: Number(index[1]), hashes: hashes.map(fromBase64), note: text.slice(blank + 2) };
};

// "<name>+<id>+<base64>" of an octet 1 and the 32 octets of an Ed25519 key
const keyOf = async (text) => {
  const [, name, id, data] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
  need(name, "log-key.txt holds no key");
  const octets = fromBase64(data);
  const named = hex(await sha256(octetsOf(`${name}\n`), octets)).slice(0, 8);
  need(octets.length === 33 && octets[0] === 1 && named === id, "the key is not the one that its id names");
  const der = await joined(Uint8Array.from([0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0]), octets.subarray(1));
  return { text, name, id, octets: octets.subarray(1), der, fingerprint: hex(await sha256(der)) };
};

// What an opening tells, if the entry commits to it
const opened = async (entry, part, opening) => {
  need(opening, `what the entry commits to as ${part} is missing`);
  need(entry.schema === 2 && entry.commitments?.[part] === (await digestOf(opening)), `the entry does not commit to this ${part}`);
  const [tag, , told] = canonicalJSON(opening);
  need(tag === "permacite-opening/1" && told, "an opening is none");
  return told;
};

// The elements of a sequence in DER
const elements = (octets) => {
  const found = [];
  for (let at = 0; at < octets.length; ) {
    const tag = octets[at];
    let size = octets[at + 1];
    at += 2;
    if (size & 0x80) {
      let digits = size & 0x7f;
      for (size = 0; digits > 0; digits -= 1) size = size * 256 + octets[at++];
    }
    need(at + size <= octets.length, "the time-stamp is damaged");
    found.push({ tag, body: octets.subarray(at, at + size) });
    at += size;
  }
  return found;
};

// -- The checks: each returns what it found, or throws

// From a leaf to the root of a tree (RFC 9162 §2.1.3.2); null where the way has another length
const rootFrom = async (leaf, index, size, hashes) => {
  let [place, last, found] = [index, size - 1, await sha256(Uint8Array.of(0), leaf)];
  if (!(place <= last)) return null;
  for (const beside of hashes) {
    if (last === 0) return null;
    if (place % 2 || place === last) {
      found = await sha256(Uint8Array.of(1), beside, found);
      while (place && place % 2 === 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      found = await sha256(Uint8Array.of(1), found, beside);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 ? found : null;
};

const checkInclusion = async (leaf, way, note) => {
  const root = await rootFrom(leaf, way.index, note.size, way.hashes);
  need(root && same(root, note.root), "the entry does not lead to the root that was signed");
  return `entry ${way.index} of ${note.size}`;
};

const checkSignature = async (note, key) => {
  need(key.name === note.origin, "the key is that of another log");
  const own = note.signatures.filter((one) => one.name === key.name && one.id === key.id);
  need(own.length, "the key has not signed the checkpoint");
  let imported;
  try {
    imported = await crypto.subtle.importKey("raw", key.octets, "Ed25519", false, ["verify"]);
  } catch (error) {
    throw new Unable(`this browser cannot check Ed25519 (${error.name}): use a newer one, or permacite verify`);
  }
  for (const { signature } of own) {
    need(await crypto.subtle.verify("Ed25519", imported, signature, octetsOf(note.text)), "the key did not sign this checkpoint");
  }
  return `Ed25519, of ${note.origin}, by the key above`;
};

// What the entry says of the format that is named, and whether the octets are those
const checkContent = async (files, entry, name) => {
  const [, document_, format, version] = /^(.*?)\.([^./]+)\.([0-9]+)$/.exec(name) ?? [];
  need(document_ && entry.name === document_ && String(entry.version) === version, "the entry is about something else");
  const plain = entry.formats?.find((one) => one.format === format);
  const told = plain ?? (await opened(entry, `format.${format}`, files["opening.json"]));
  need(told.format === format, "the opening is about another format");
  const digest = await digestOf(files.content);
  need(told.digest === digest && told.size_bytes === files.content.length, `the octets are others: ${digest}`);
  return told;
};

// Documents in the tree of a sealed day, each led to the root that the entry tells
const placesOf = async (octets, entry) => {
  const places = canonicalJSON(octets);
  for (const { index, unique_id, versions, hashes } of places) {
    need(Number.isSafeInteger(index) && index >= 0 && Number.isSafeInteger(versions), "a place in the tree is none");
    const leaf = octetsOf(JSON.stringify([unique_id, versions]));
    const root = await rootFrom(leaf, index, entry.documents, hashes.map(fromBase64));
    need(root && entry.tree === `sha-256:${hex(root)}`, `${unique_id} does not lead to the root of the day`);
  }
  return places;
};

// The names beside one that is not there, or its document where only the version is not
const checkPlaces = async (files, entry, id, version) => {
  const places = await placesOf(files["places.json"], entry);
  const size = entry.documents;
  const [first, second] = places;
  if (places.length === 1 && first.unique_id === id) {
    need(Number(version) > first.versions, "a document of this name was minted");
    return `no version ${version} of ${id} when the day was sealed: it had ${first.versions}`;
  }
  const between = places.length === 2 && second.index === first.index + 1 && first.unique_id < id && id < second.unique_id;
  const before = places.length === 1 && first.index === 0 && id < first.unique_id;
  const behind = places.length === 1 && first.index === size - 1 && first.unique_id < id;
  const empty = places.length === 0 && size === 0 && entry.tree === (await digestOf(new Uint8Array()));
  need(between || before || behind || empty, "other names may stand where this one would");
  return `no ${id} among ${size} names of that day`;
};

const checkAbsence = async (files, entry, name) => {
  const [, day, id, version] = /^(.*)\/([^/.]+)(?:[^/]*\.([0-9]+)|[^/]*)$/.exec(name) ?? [];
  need(day && entry.kind === "day" && entry.name === day, "the entry does not seal the day of this name");
  if (files["places.json"]) return checkPlaces(files, entry, id, version);
  const ids = utf8(files["names.txt"]).split("\n").slice(0, -1);
  need(entry.names === (await digestOf(files["names.txt"])) && entry.documents === ids.length, "the list of names is not that of the day");
  need(!ids.includes(id), "a document of this name was minted");
  return `no ${id} among ${ids.length} names of the day`;
};

const checkStamp = async (response, note, key) => {
  const [status, token] = elements(elements(response)[0].body);
  need(elements(status.body)[0].body[0] === 0, "the time-stamp was not granted");
  const signed = elements(elements(elements(token.body)[1].body)[0].body);
  const content = elements(elements(elements(signed[2].body)[1].body)[0].body)[0];
  const [, , imprint, , time] = elements(content.body);
  const [algorithm, digest] = elements(imprint.body);
  const own = note.signatures.filter((one) => one.name === key.name).map((one) => `${one.line}\n`);
  const stamped = await sha256(octetsOf(`${note.text}\n${own.join("")}`));
  need(hex(elements(algorithm.body)[0].body) === "608648016503040201" && same(digest.body, stamped), "the time-stamp is on something else");
  return `${utf8(time.body)}, on this checkpoint; whose time-stamp it is, and its signature, were not checked: use permacite verify --tsa-ca`;
};

// The files that say the same again, for those who check by hand
const readmes = [
  "f1edc3da0547b938c3dfe00a27d4c026d0e099a250bffa22ef29df63e8c9fd88",
  "1d621608e700393d5eb22541be5cd3a5488c4c1930faa70eaaac07f2f9c04115",
  "8d20f231662e982c22c195e7aee4a28f79efac402439d3087af6ee6ee306b2fa",
  "4b1144e0d6d0964124bc9af6d1a95fe7d70aaffd1651b035fe3c91ac060e04da",
  "80e2c8e22ff21e62814d800ded97b0de6181d4c34ba0433db1678e78e425edb6",
];
const known = /^(README|name|checkpoint|log-key|names)\.txt$|^content$|^(leaf|opening|citation|citation-opening|places)\.json$|^(proof|citation)\.tlog-proof$|^checkpoint\.sig$|^log-key\.pem$|^timestamp\.tsr$/;

const checkFiles = async (files, name, note, key, keys) => {
  const own = note.signatures.find((one) => one.name === key.name && one.id === key.id);
  const again = {
    "name.txt": octetsOf(`${name}\n`),
    "checkpoint.txt": octetsOf(note.text),
    "checkpoint.sig": own?.signature ?? [],
    "log-key.txt": octetsOf(`${keys.join("\n")}\n`),
    "log-key.pem": octetsOf(`-----BEGIN PUBLIC KEY-----\n${toBase64(key.der)}\n-----END PUBLIC KEY-----\n`),
  };
  for (const [file, content] of Object.entries(again)) need(same(files[file] ?? [], content), `${file} says something else`);
  need(readmes.includes(hex(await sha256(files["README.txt"] ?? []))), "README.txt was changed");
  for (const file of Object.keys(files)) need(known.test(file), `${file} is no file of a proof`);
  return `${Object.keys(files).length} files, none else`;
};

// -- The words: cut out of the octets that were checked

const aside = 400; // characters shown before and after the words

const asShown = (text) => text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");

// The place in `text` of a position, which counts characters
const placeOf = (text, position) => {
  let at = 0;
  for (let left = position; left > 0 && at < text.length; left -= 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
};

// Before, words, after; null where this page does not cut such parts
const cut = (content, told, reference) => {
  const [, start, end] = /#char=([0-9]{1,15}),([0-9]{1,15})$/.exec(reference) ?? [];
  const charset = /^(utf-8|windows-1252)\/2$/.exec(told.charset ?? "");
  if (!start || !charset || !told.media_type.startsWith("text/")) return null;
  const text = new TextDecoder(charset[1]).decode(content).replace(/\r\n|\r|\n/g, "\r\n");
  const [from, to] = [placeOf(text, Number(start)), placeOf(text, Number(end))];
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
};

// What is shown of them
const shownOf = ([before, words, after]) => {
  const [lead, tail] = [Array.from(before.slice(-2 * aside)), Array.from(after.slice(0, 2 * aside))];
  const [left, right] = [lead.slice(-aside).join(""), tail.slice(0, aside).join("")];
  return [(left.length < before.length ? "…" : "") + asShown(left), asShown(words), asShown(right) + (right.length < after.length ? "…" : "")];
};

const checkCitation = async (files, way, note, pieces, name) => {
  const citation = files["citation.json"];
  const logged = files["citation.tlog-proof"];
  let said = logged ? canonicalJSON(citation) : JSON.parse(utf8(citation));
  if (files["citation-opening.json"]) said = { ...(await opened(said, "citation", files["citation-opening.json"])), ...said };
  if (logged) {
    const own = wayOf(logged);
    need(own.note === way.note && said.kind === "citation", "the citation is no entry of this log");
    await checkInclusion(citation, own, note);
  } else {
    const more = Object.keys(said).filter((key) => said[key] && !["reference", "quote", "before", "after"].includes(key));
    need(!more.length, `the citation says what nothing vouches for: ${more}`);
  }
  need(said.reference.startsWith(`${name}#`), "the citation is of another document");
  if (!pieces) return logged ? "the log has this citation" : "of this document";
  need(pieces[1] === said.quote, "other words stand there than the citation says");
  const around = pieces[0].endsWith(said.before ?? "") && pieces[2].startsWith(said.after ?? "");
  need(around, "other words stand around them than the citation says");
  return logged ? "the words stand there, and the log has this citation" : "the words stand there";
};

// -- The page: what it shows is compared with what was checked

const claims = {
  absent: "The archive says that it never minted a document of this name, and never will.",
  noVersion: "The archive says that this document had no such version when its day was sealed. It may have it now.",
  words: "The archive says that it held the marked words, in this place, under this name.",
  octets: "The archive says that it held the octets of this digest under this name.",
};

const checkShown = (shown) => {
  for (const [id, value] of Object.entries(shown)) {
    need(shownAt(id).textContent === value, `the page shows another ${id} than the proof has`);
    shownAt(id).textContent = value;
  }
  need(document.title === `Proof: ${shown.reference}`, "the title names something else");
  need(shownAt("words").hidden === !(shown.before + shown.quote + shown.after), "the page shows words where the proof has none");
  return "shows what the proof has";
};

const showPicture = (content, mediaType, reference) => {
  if (!/^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType)) return;
  const picture = new Image();
  picture.alt = "The picture whose octets were checked";
  picture.src = URL.createObjectURL(new Blob([content], { type: mediaType }));
  picture.addEventListener("load", () => {
    const [, left, top, right, bottom] = /#rect=\(([0-9]+),([0-9]+)\),\(([0-9]+),([0-9]+)\)$/.exec(reference) ?? [];
    if (left === undefined) return;
    picture.alt += `, with a frame around the part from ${left},${top} to ${right},${bottom}`;
    const [x, y] = [100 / picture.naturalWidth, 100 / picture.naturalHeight];
    const frame = document.createElement("i");
    Object.assign(frame.style, { left: `${left * x}%`, top: `${top * y}%`, width: `${(right - left) * x}%`, height: `${(bottom - top) * y}%` });
    shownAt("picture").append(frame);
  });
  shownAt("picture").append(picture);
  shownAt("picture").hidden = false;
};

const done = []; // [state, name, detail] of each check

const check = async (name, work) => {
  try {
    done.push(["ok", name, await work()]);
  } catch (error) {
    const state = error instanceof Unable ? "unable" : "fails";
    done.push([state, name, error instanceof Fault || error instanceof Unable ? error.message : `cannot be read: ${error.message}`]);
  }
};

const checkProof = async () => {
  const zip = fromBase64(shownAt("proof").textContent.replaceAll("\n", ""));
  const bundle = hex(await sha256(zip));
  Object.assign(shownAt("save"), { href: URL.createObjectURL(new Blob([zip], { type: "application/zip" })), hidden: false });
  await check("the zip", () => need(shownAt("bundle").textContent === bundle, `its digest is ${bundle}, and the page tells another`) ?? bundle);
  const files = await unzipped(zip);
  const name = utf8(files["name.txt"]).slice(0, -1);
  const way = wayOf(files["proof.tlog-proof"]);
  const note = noteOf(way.note);
  const keys = utf8(files["log-key.txt"]).trimEnd().split("\n");
  const key = await keyOf(keys[0]);
  const entry = canonicalJSON(files["leaf.json"]);
  const absent = !files.content;
  const cited = files["citation.json"];
  let told = {};
  let pieces = null;
  let reference = name;
  if (absent) await check("absence", () => checkAbsence(files, entry, name));
  else await check("content", async () => (told = await checkContent(files, entry, name)).digest);
  if (cited && told.digest) {
    const said = JSON.parse(utf8(files["citation-opening.json"] ?? cited));
    reference = (said[2] ?? said).reference;
    pieces = cut(files.content, told, reference);
    await check("citation", () => checkCitation(files, way, note, pieces, name));
    if (!pieces) done.push(["left", "part", "this page does not cut such parts: permacite verify does"]);
  }
  await check("inclusion", () => checkInclusion(files["leaf.json"], way, note));
  await check("signature", () => checkSignature(note, key));
  await check("files", () => checkFiles(files, name, note, key, keys));
  if (files["timestamp.tsr"]) await check("time-stamp", () => checkStamp(files["timestamp.tsr"], note, key));
  if (keys.length > 1) done.push(["left", "ML-DSA-44", "browsers cannot check the second signature: permacite verify does"]);
  const [before, quote, after] = pieces ? shownOf(pieces) : ["", "", ""];
  const places = absent && files["places.json"] ? canonicalJSON(files["places.json"]) : [];
  const there = places.some((one) => one.unique_id === /([^/.]+)[^/]*$/.exec(name)?.[1]);
  const claim = claims[there ? "noVersion" : absent ? "absent" : quote ? "words" : "octets"];
  const digest = await digestOf(files[!absent ? "content" : files["places.json"] ? "places.json" : "names.txt"]);
  const time = entry.committed_at ?? entry.sealed_at;
  await check("page", () => checkShown({ reference, before, quote, after, claim, digest, log: note.origin, time, key: key.text, fingerprint: key.fingerprint }));
  if (told.digest && done.every(([state]) => state !== "fails")) showPicture(files.content, told.media_type, reference);
};

// -- The answer

const names = (state) => done.filter(([each]) => each === state).map(([, name]) => name).join(", ");

const answer = () => {
  if (names("fails")) return ["fails", `This proof does not hold: ${names("fails")}. Do not rely on what it shows.`];
  if (names("unable")) return ["unable", `Not checked: ${names("unable")}. What could be checked agrees, but that shows nothing without it.`];
  return ["agrees", "This proof agrees with itself: your browser has checked it just now. It is worth as much as the key it is signed with."];
};

const line = ([state, name, detail]) => {
  const item = document.createElement("li");
  const label = document.createElement("b");
  label.textContent = `${{ ok: "ok", fails: "FAILS", unable: "not checked", left: "not checked" }[state]}: ${name}`;
  item.dataset.state = state;
  item.append(label, ` ${detail}`);
  return item;
};

const run = async () => {
  shownAt("verdict").textContent = "Checking; nothing is settled so far.";
  if (globalThis.crypto?.subtle && globalThis.DecompressionStream) await check("proof", checkProof);
  else done.push(["unable", "everything", "this browser has no WebCrypto here, or cannot unpack zip files"]);
  const [state, sentence] = answer();
  shownAt("checks").replaceChildren(...done.filter(([, , detail]) => detail !== undefined).map(line));
  shownAt("passage").hidden = state === "fails";
  shownAt("verdict").textContent = sentence;
  shownAt("verdict").dataset.state = state;
};

run();
