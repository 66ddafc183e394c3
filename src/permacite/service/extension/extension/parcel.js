// The parcel that is posted: one line of JSON with the size and digest of each piece, then these.

export const MEDIA_TYPE = "application/vnd.permacite.capture";
const FORM = "permacite-capture/1\n";

const hexadecimal = (octets) => Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");

export const digestOf = async (octets) =>
  `sha-256:${hexadecimal(new Uint8Array(await crypto.subtle.digest("SHA-256", octets)))}`;

// Pieces as they come: each is numbered, and the same octets are one piece.
export class Pieces {
  #all = [];
  #listed = [];
  #numbers = new Map();
  size = 0;

  async add(octets) {
    const digest = await digestOf(octets);
    if (!this.#numbers.has(digest)) {
      this.#numbers.set(digest, this.#all.length);
      this.#all.push(octets);
      this.#listed.push([octets.length, digest]);
      this.size += octets.length;
    }
    return this.#numbers.get(digest);
  }

  parcel(told) {
    const line = JSON.stringify({ octets: this.#listed, ...told });
    return new Blob([FORM, line, "\n", ...this.#all], { type: MEDIA_TYPE });
  }
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

export const toBase64 = (octets) => {
  let binary = "";
  for (let at = 0; at < octets.length; at += 32768) binary += String.fromCharCode(...octets.subarray(at, at + 32768));
  return btoa(binary);
};
