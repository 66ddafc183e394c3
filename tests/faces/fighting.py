"""Pages that fight whoever reads them, for tests: their words are read as they are."""

from __future__ import annotations

__all__ = ["FIELDS", "FIGHTING"]

_MARKED = b"""
const range = document.createRange();
range.setStart(words.firstChild, 6);
range.setEnd(words.firstChild, 20);
getSelection().addRange(range);
"""
_LYING = (
    b"""<!doctype html><link rel=icon href=data:,>
<title>Fights</title><p id=words>Still the same words.</p>
<form><input name=documentElement><input name=attributes></form><script>
const heard = [];
for (const kind of ["message", "securitypolicyviolation", "error", "unhandledrejection"])
  addEventListener(kind, () => { heard.push(kind); document.body.dataset.heard = heard; });
"""
    + _MARKED
    + b"""
for (const name of ["Array", "Map", "Set", "Promise", "fetch", "getSelection", "Blob", "crypto"])
  Object.defineProperty(window, name, { get() { throw new Error("no"); } });
JSON.stringify = () => '{"pieces":["lies"]}';
Response.prototype.blob = FileReader.prototype.readAsDataURL = () => { throw 1; };
Node.prototype.getRootNode = Element.prototype.getBoundingClientRect = () => { throw 1; };
performance.getEntries = () => { throw 1; };
for (const each of [Object, Function, String, RegExp, Node, Element, Document, Text])
  Object.freeze(each.prototype);
document.addEventListener("visibilitychange", () => document.documentElement.remove());
</script>"""
)
_ENDLESS = (
    b"""<!doctype html><link rel=icon href=data:,>
<title>Endless</title><p id=words>Still the same words.</p><script>
"""
    + _MARKED
    + b"""
setInterval(() => {
  for (let more = 0; more < 40; more++) document.body.append(document.createElement("p"));
  document.title = document.body.childElementCount;
}, 1);
</script>"""
)
_FROZEN = b"""<!doctype html><link rel=icon href=data:,>
<title>Frozen</title><p id=words>Still the same words.</p><script>
document.title = "Freezes";
setTimeout(() => { for (;;) ; }, 300);
</script>"""
_LEAVING = (
    b"""<!doctype html><link rel=icon href=data:,>
<title>Leaves</title><p id=words>Still the same words.</p>
<img src=/never.gif><script>
"""
    + _MARKED
    + b"""
</script>"""
)

FIGHTING = {
    "/fights": ("text/html", _LYING),
    "/fights-by-policy": ("text/html", _LYING),
    "/fights-in-a-sandbox": ("text/html", _LYING),
    "/endless": ("text/html", _ENDLESS),
    "/frozen": ("text/html", _FROZEN),
    "/leaving": ("text/html", _LEAVING),
}
"""Each by its path: media type and content."""

_POLICY = "default-src data: 'unsafe-inline'; connect-src 'none'; report-uri /report"
FIELDS = {
    "/fights-by-policy": (("Content-Security-Policy", _POLICY),),
    "/fights-in-a-sandbox": (("Content-Security-Policy", "sandbox allow-scripts"),),
    "/unstored": (("Cache-Control", "no-store"),),
    "/counted.gif": (("Cache-Control", "no-store"),),
}
"""More header fields of a path."""
