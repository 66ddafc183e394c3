"""Aggregates: any octets open or are refused; what opens is resolved, decoded, rewritten."""

from __future__ import annotations

from permacite import mhtml
from permacite.errors import LimitError, ParseError

_NESTED = b"""From: a@b\r
Content-Type: multipart/related; type="text/html"; boundary="out"; start="<s@x>"\r
Content-Location: http://example.org/\r
\r
preamble\r
--out\r
Content-Type: multipart/alternative; boundary=out1\r
\r
--out1\r
Content-Type: text/plain; charset*0*=utf-8''a; charset*1=b\r
Content-Transfer-Encoding: quoted-printable\r
\r
a=3Db =\r
c=E9 \r
--out1\r
Content-Type: text/html; charset=utf-16\r
Content-ID: <s@x>\r
Content-Transfer-Encoding: base64\r
\r
PABwAD4A\r
--out1--\r
--out\r
Content-Type: message/rfc822\r
\r
Message-ID: <m@x>\r
Content-Type: multipart/related; boundary=in\r
\r
--in\r
Content-Type: text/html\r
Content-Location: http:p.html ; note\r
\r
<base href="d/"><img src="cid:i@x"><img src="../=?x?">\r
--in\r
Content-Type: image/gif\r
Content-ID: <i@x>\r
Content-Location: =?utf-8?Q?a_b?=\r
 =?utf-8?B?YQ==?=\r
Content-Base: http://b/\r
\r
GIF89a\r
--out--\r
epilogue\r
"""
_CHROMIUM = b"""From: <Saved by Blink>\r
Snapshot-Content-Location: http://example.org/p\r
Subject: =?utf-8?Q?caf=C3=A9?=\r
MIME-Version: 1.0\r
Content-Type: multipart/related;\r
\ttype="text/html";\r
\tboundary="----M--x----"\r
\r
\r
------M--x----\r
Content-Type: text/html\r
Content-ID: <frame-1@mhtml.blink>\r
Content-Transfer-Encoding: quoted-printable\r
Content-Location: http://example.org/p\r
\r
<link rel=3D"stylesheet" href=3D"cid:css-1@mhtml.blink"><iframe src=3D"cid:f=\r
rame-2@mhtml.blink">\r
------M--x----\r
Content-Type: text/css\r
Content-Transfer-Encoding: quoted-printable\r
Content-Location: cid:css-1@mhtml.blink\r
\r
@charset "utf-8";\r
------M--x------\r
"""
_OLD = b"Content-Type: text/html\rContent-Location: (a (b)) x (c)\r\r<video src=x#t>"

SEEDS: list[bytes] = [
    _NESTED,
    _NESTED.replace(b"\r\n", b"\n"),
    _CHROMIUM,
    _OLD,
    mhtml.build(
        mhtml.Resource(b"<meta http-equiv=content-security-policy><base href=x>", "text/html"),
        [mhtml.Resource(b"\x89PNG", "image/png", "a b.png")],
        profile="archive",
    ),
]

_LIMITS = mhtml.Limits(depth=8, parts=500, heading_bytes=4096, decoded_bytes=1 << 20)


def target(data: bytes) -> None:
    """Open, check, resolve, unpack, pack and write anew."""
    try:
        aggregate = mhtml.open(data, limits=_LIMITS)
    except (ParseError, LimitError):
        return
    leaves = {part.path: part.raw for part in aggregate.body_parts if not part.body_parts}
    if b"".join(aggregate.rebuilt(leaves)) != data:
        raise AssertionError("what is untouched does not come back")
    _ = aggregate.defects
    for part in aggregate.body_parts[:8]:
        content = part.content
        for link in list(mhtml.links.references(content, part.content_type, part.charset))[:8]:
            aggregate.resolve(link.value, within=part, profile="browser")
    for profile in ("archive", "mail", "chromium"):
        mhtml.open(mhtml.rewritten(data, profile=profile))
    files = {file.name: file.content for file in mhtml.extract(aggregate)}
    if any("/" in name or "\\" in name or name.startswith(".") for name in files):
        raise AssertionError("a name leaves the folder")
    mhtml.open(mhtml.pack(files).build())
