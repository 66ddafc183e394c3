"""What a proof bundle tells people who check it by hand, with common tools and no permacite."""

from __future__ import annotations

import hashlib

__all__ = ["README", "is_readme"]

README = """\
This bundle proves that an archive held certain bytes under a permanent name when it signed its
log. It does not prove that anyone else ever published them. `permacite verify FILE.zip` checks all
of the following; here is how to check it without permacite.

  name.txt          the permanent name (a PDI): series/date/id.format.version
  content           the bytes it names
  leaf.json         the archive's log entry about them
  opening.json      what that entry commits to, of this format; see step 1
  proof.tlog-proof  the way from that entry to the root of the log (c2sp.org/tlog-proof)
  checkpoint.txt    the log's name, its size, and its root hash in base64
  checkpoint.sig    the Ed25519 signature of checkpoint.txt
  log-key.pem       the public key it was made with
  log-key.txt       the same as a note key, and below it the ML-DSA-44 key that signed too, if any
  citation.json     if there: the words that were cited, where they stand, what is around them;
  citation.tlog-proof  if there: citation.json is an entry of the log too, and this its way
  citation-opening.json  if there: the words stand here; citation.json commits to them
  names.txt         in the place of content, where the archive has no document of this name: all
                    unique ids that were minted on its day, sorted; see step 6
  timestamp.tsr     if there: when another authority saw the signed root (RFC 3161); see step 7

Nothing else belongs into the zip: any other file in it was added by someone else.

1. The bytes. `sha256sum content` is the "digest" in opening.json. `sha256sum opening.json` stands
   in leaf.json, among the "commitments": that of "format." and the format that name.txt names. The
   "name" and "version" in leaf.json are those of name.txt. What else the entry commits to, such as
   the address, is not disclosed here: the random letters in each opening keep it from being
   guessed. Words that were cited are found in the same way: `sha256sum citation-opening.json`
   stands in citation.json. (An entry without "commitments" is of earlier years. It says all this
   itself: the "digest" stands in the "formats" of leaf.json, the words in citation.json.)

2. The entry. Its hash is SHA-256 of one zero byte followed by leaf.json:
     { printf '\\000'; cat leaf.json; } | sha256sum

3. The way to the root (RFC 9162 section 2.1.3.2). proof.tlog-proof gives the entry's index and one
   hash a line, in base64. checkpoint.txt gives the log's size on its second line. Begin with
     fn = index, sn = size - 1, r = the entry's hash
   and for each hash p of the proof, in order:
     if fn is odd, or fn = sn:
       r = SHA-256(byte 1, p, r); if fn is even, halve fn and sn until fn is odd or 0
     else:
       r = SHA-256(byte 1, r, p)
     then halve fn and sn, dropping the remainder.
   At the end sn is 0 and r, in base64, is the third line of checkpoint.txt.

4. The signature:
     openssl pkeyutl -verify -pubin -inkey log-key.pem -rawin -in checkpoint.txt \\
       -sigfile checkpoint.sig
   A second line in log-key.txt is for the day when Ed25519 can be forged: the last line of
   proof.tlog-proof is then an ML-DSA-44 signature (FIPS 204), made as c2sp.org/tlog-cosignature
   says, with the time 0.

5. The key. Anyone can make a key: compare log-key.txt with the key that the archive publishes, or
   that you noted down earlier. Without this step the bundle proves nothing.

6. Absence. Where there is names.txt and no content, leaf.json is the entry that sealed a day once
   it had passed. `sha256sum names.txt` is the digest that it tells as "names", and the number of
   lines is that of its "documents". The unique id of name.txt is none of them. Steps 2 to 5 are
   the same.

7. The time-stamp. With the certificate of its authority, from elsewhere, in ca.pem:
     sed '1,/^$/d' proof.tlog-proof > checkpoint.note
     openssl ts -verify -data checkpoint.note -in timestamp.tsr -CAfile ca.pem
     openssl ts -reply -in timestamp.tsr -text
"""

_EARLIER = (
    "1d621608e700393d5eb22541be5cd3a5488c4c1930faa70eaaac07f2f9c04115",
    "8d20f231662e982c22c195e7aee4a28f79efac402439d3087af6ee6ee306b2fa",
)
"""SHA-256 of what this page said before: bundles with it are as good as ever."""


def is_readme(content: bytes | None) -> bool:
    """Say whether this is the page, as it is or was; None, where it is left out, counts too."""
    if content is None or content == README.encode():
        return True
    return hashlib.sha256(content).hexdigest() in _EARLIER
