"""Make charsets.tar.gz: texts in many charsets under many labels, and what each passage said then.

It runs with the code of commit 236669f, never with that of today:

    git archive 236669f | tar -x -C OLD
    cd tests/golden/archive; PYTHONPATH=OLD/src python make_charsets.py charsets.tar.gz

Beside the archive, in answers.json, stands what was answered for each passage: the words that
`resolve` gave (null where it refused), whether `cite` had recorded the same, whether a proof held.
"""
# mypy: ignore-errors
# ruff: noqa: I001 - modules of then

from __future__ import annotations

import io
import json
import sys
import tarfile
import tempfile
from pathlib import Path

from permacite.markup.labels import CODEC_OF_LABEL

from permacite.errors import PermaciteError
from permacite.service.cases import Service
from permacite.service.promises import proofs

CONTENTS = [
    b"one\r\ntwo\nthree\r\r\n",
    b"a \x93caf\xe9\x94 \x80 \x85 \x81 \xa4 end\n",
    b"\xef\xbb\xbfna\xc3\xafve \xe4\xb8\xad",
    b"\xff\xfen\0a\0\xef\0v\0\r\0\n\0-N",
    b"\xad\xa1\xb3\xf4\xbc\xb0 \x81\x40\x87\x40 a\xa4",
    b"\x1b$B0l\x1b(B \xff\xfe \xc3\n\x8f\xa2\xaf",
]
LABELS = [*sorted(set(CODEC_OF_LABEL) - {"replacement"}), "GB2312", "cp437", "utf-7", "utf-32"]


def main(target: str) -> None:
    """Write the archive and the answers into one file."""
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "archive"
        with Service.create(archive, series="lab.example.us") as service:
            for number, label in enumerate(LABELS):
                content = CONTENTS[number % len(CONTENTS)]
                answers |= _answers(service, content, label)
            large = b"".join(CONTENTS[:2]) * 3000
            for label in ("us-ascii", "windows-1251", "gb18030"):
                answers |= _answers(service, large, label)
        written = json.dumps(answers, indent=1, sort_keys=True).encode()
        with tarfile.open(target, "w:gz") as file:
            file.add(archive, "archive")
            member = tarfile.TarInfo("answers.json")
            member.size = len(written)
            file.addfile(member, io.BytesIO(written))


def _answers(service: Service, content: bytes, label: str) -> dict[str, object]:
    saved = service.import_document("a.txt", content, charset=label)
    found = {}
    for span in ("1,2", "0,4", "2,9", "5,6"):
        try:
            cited = service.cite(saved.pdi, char=span)
        except PermaciteError:
            continue
        try:
            said = service.resolve(cited.reference).text
            holds = proofs.check(service.prove(cited.reference).content).holds
        except PermaciteError:
            found[cited.reference] = [None, False, False]
            continue
        found[cited.reference] = [said, said == cited.quote, holds]
    return found


if __name__ == "__main__":
    main(sys.argv[1])
