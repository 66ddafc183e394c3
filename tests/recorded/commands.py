"""Commands of a scripted archive: each use case once, in an order that fills an archive."""

from __future__ import annotations

import shlex

__all__ = ["AFTER_SERVING", "BEFORE_SERVING", "Command"]

HOST = "http://127.83.0.1:8327"
N = "urn:pdi://lab.example.us/2026/11/22"

_BEFORE = f"""
--version
--help
--no-such-option
no-such-command
init archive --series lab.example.us
init archive
init other --series elsewhere.example.us --resolver https://names.example.org
init bad --series 'no series'
list
log
import corpus/site/storm.html
import corpus/site/storm.html
import corpus/site/letters.html corpus/site/instruments.html --json
import corpus/office/pandoc.docx corpus/office/libreoffice.odt corpus/office/pandoc.epub
import corpus/office/pandoc.ipynb
import corpus/office/libreoffice.docx --reviewed --json
import corpus/pdf/german.pdf corpus/pdf/columns.pdf corpus/pdf/arabic.pdf
import corpus/rfc2557/9.2.eml corpus/rfc2557/9.5.eml --json
import corpus/made/interlaced.png corpus/made/interlaced.gif corpus/site/sound/bell.wav
import corpus/plain.txt corpus/latin.txt --charset iso-8859-1
import corpus/table.csv corpus/values.json corpus/feed.xml corpus/large.txt
import corpus/captions.vtt --transcript-of {N}/16.audio+x-wav.1 --language en
import corpus/unknown.bin corpus/empty.txt
import corpus/absent.txt
import - --name typed.txt --uri https://example.org/typed.txt < corpus/plain.txt
import corpus/quoting.html
import corpus/misquoting.html
import corpus/misquoting.html --misquoted --json
import corpus/crawl.warc
import corpus/crawl.warc --list-pages
import corpus/crawl.har
import corpus/complete.html
import corpus/library.rdf
import corpus/plain.txt --new --access closed --retain-until 2026-11-30
import corpus/table.csv --new --embargo 2026-12-24
import corpus/table.csv --new --access building --ground consent
save {HOST}/index.html --allow-private --via http
save {HOST}/storm.html --allow-private --via http --json
save {HOST}/storm.html --allow-private
save {HOST}/storm.html --allow-private --new
save {HOST}/tides/ --allow-private --via http --max-parts 1
save {HOST}/letters.html
save {HOST}/absent.html --allow-private
save ftp://example.org/
save 'not an address'
save --allow-private --from corpus/list.txt --pause 0 --via http --jobs 1
save {HOST}/index.html --allow-private --via http --depth 1 --pause 0 --jobs 1 --new
list
list --json --limit 3
list lab.example.us/2026/11 --after {N}/3
list 'urn:pdi://lab.example.us/2026/*/*/*'
list other.example.us
show {N}/1
show {N}/1 --json
show {N}/4 --json
show {N}/7.pdf.1
show {N}/9999
show {HOST}/storm.html
show {HOST}/storm.html --at 2026-11-22
cite {N}/1.html.1 --quote 'the harbour' --list --json
cite {N}/1.html.1 --quote 'the harbour' --list
cite {N}/1.html.1 --quote 'the harbour' --nth 1
cite {N}/1.html.1 --quote 'the harbour'
cite {N}/1.html.1 --quote 'words that are not there'
cite {N}/1.html.1 --char 10,40 --json
cite {N}/1.html.1 --char 40,10
cite {N}/1.html.1 --elt 5,6
cite {N}/1.utf-8.1 --line 2,4 --note 'A note'
cite {N}/1.html.1 --byte 0,100 --form markdown
cite {N}/3.html.1 --quote Instruments --nth 1 --form csl_json
cite {N}/10.pdf.1 --page 1 --json
cite {N}/9.pdf.1 --viewrect 10,10,200,100,1
cite {N}/9.pdf.1 --quote und --nth 1 --form bibtex
cite {N}/14.png.1 --rect 1,1,5,5 --json
cite {N}/15.gif.1 --rect 0,0,2,2 --frame 0
cite {N}/16.audio+x-wav.1 --sec 0,0.2
cite {N}/16.audio+x-wav.1 --msec 0,100 --form wiki
cite {N}/19.csv.1 --row 2 --json
cite {N}/19.csv.1 --col 1-2
cite {N}/19.csv.1 --cell 2,1
cite {N}/20.json.1 --pointer /places/0/name
cite {N}/4.utf-8.1 --quote light --nth 1 --form ris
cite {N}/4.utf-8.1 --quote light --nth 1 --form annotation
cite {N}/4.utf-8.1 --quote light --nth 1 --form html
cite {HOST}/storm.html#:~:text=harbour
cite {N}/1.html.1 --selector corpus/selector.json
cite {N}/9999.html.1 --quote x
cite 'urn:pdi://bad' --quote x
reference {N}/1.html.1
reference {N}/1.html.1 --json
reference {N}/1.html.1 --style apa
reference {N}/1.html.1 --style no-such-style
reference {N}/1.utf-8.1#char=10,40 --for hypothesis
reference {N}/1.utf-8.1#char=10,40 --for zotero
resolve {N}/1.html.1
resolve {N}/1
resolve {N}/1.utf-8.1#char=10,40
resolve {N}/1.utf-8.1#char=10,40 --context 20
resolve {N}/1.utf-8.1#char=10,40 --json
resolve {N}/1.utf-8.1#char=10,40000
resolve {N}/1.html.1#elt=5,6
resolve {N}/19.csv.1#col=1
resolve {N}/1.utf-8.1#line=1,3
resolve {N}/1.utf-8.1#char=x
resolve {N}/9.pdf.1#page=1
resolve {N}/14.png.1#rect=(1,1),(5,5)
resolve {N}/16.audio+x-wav.1#sec=0,0.2
resolve {N}/19.csv.1#row=2
resolve {N}/20.json.1#pointer=/places/0/name
resolve {N}/22.utf-8.1#char=100000,100050 --quick
resolve {HOST}/storm.html#:~:text=harbour
resolve {HOST}/log/december-1959.txt#line=1,2 --live --allow-private
resolve http://127.0.0.1:8420/{N}/1.html.1
resolve {N}/999
look-up {N}/1 {N}/999 {HOST}/storm.html urn:pdi://other.example.us/2026/1/1/1 nonsense
look-up {N}/1.utf-8.1#char=1,2 --json
search harbour
search 'storm surge' --json
search harbour --site 127.83.0.1
search '"no such phrase"'
search {HOST}/storm.html
sites
sites 127.83.0.1:8327 --json
calendar {HOST}/storm.html
calendar {HOST}/storm.html --json
quotes {N}/27.html.1
quotes {N}/28.html.1 --json
quoted-by {N}/17.text.1 --json
quoted-by {N}/17.text.1#char=0,10
quoted-by {N}/1.utf-8.1#char=0,60
compose corpus/template.html -o composed.html
tag {N}/1 weather sea
tag {N}/1
tag {N}/2 letters --publish --who Ann
tag {N}/2 absent --remove
collection Storms {N}/1 {N}/2
collection Storms --json
collection Storms {N}/2 --remove
note {N}/1.utf-8.1#char=10,40 'A private note'
note {N}/1 --json
jottings
jottings --export jottings.json
jottings --import jottings.json
annotations --export annotations.json
annotations --import corpus/annotations.json
assert {N}/1 creator 'Ann Lee' --who 'Bo Ek'
assert {N}/1 cito:disputes {N}/2 --json
assert {N}/1 'bad predicate' x
assert nonsense creator x
assertions
assertions {N}/1 --parts --json
assertions {N}/1 --jsonld
series add press.lab.example.us
series list --json
import corpus/plain.txt --series press.lab.example.us --new
delegate there.example.us https://there.example.org/ https://copy.example.org/
delegate old.example.us https://old.example.org/uri-res --until 2025-12-31 --json
delegations
delegations there.example.us --json
check {N}/1
check {HOST}/storm.html --allow-private
check {HOST}/storm.html --allow-private --json
watch add {HOST}/storm.html --every 12h
watch add {HOST}/visitors.html
watch list
watch list --json
watch remove {HOST}/visitors.html
"""
"""Filled while the site is as it was first."""

_CHANGED = f"""
save {HOST}/storm.html --allow-private --via http
check {HOST}/storm.html --allow-private --json
watch run --allow-private --pause 0 --jobs 1 --all --feed news.atom
versions {N}/38.utf-8.1#char=10,40
changes {N}/39 --json
changes {N}/1
derive --all
derive {N}/1 --json
withdraw {N}/5 --reason copyright --who Ann --note 'Private words' --status 451
withdraw {N}/6 --reason own-error --json
reinstate {N}/6
withdraw {N}/999 --reason safety
access {N}/3
access {N}/3 closed --json
access default
retention --json
erase {N}/11 --ground data-protection --yes --json
erase {N}/11 --ground data-protection --yes
resolve {N}/11
resolve {N}/5
token add --scope read --note reading --json
token add --scope save --person Ann --json
token add --scope admin --note all --json
token list
token written
log --json
log --seal
log --since 3
stamp http://127.83.0.1:9/
stamp http://127.83.0.1:9/ --allow-private
prove {N}/1.utf-8.1#char=10,40 -o proof.zip
prove {N}/1.utf-8.1#char=10,40 -o proof.zip
prove {N}/1.utf-8.1#char=10,40 --html -o proof.html
prove urn:pdi://lab.example.us/2026/11/20/1 -o absence.zip
verify proof.zip
verify absence.zip --json
verify corpus/proof/cited-1.zip --key corpus/proof/key-1.txt
verify {N}/1.utf-8.1#char=10,40 --json
verify --all
export {N}/1.html.1 -o exported.html
export {N}/38 -o page.mht
export {N}/38 -o browsers.mht --for-browsers
export --warc all.warc
export --wacz all.wacz
export {N}/1 --bag bag
export --bag bag-of-all
export --ocfl ocfl
backup backup
copy archive copied
fsck
fsck --new --json
mhtml ls corpus/rfc2557/9.5.eml
mhtml check corpus/rfc2557/9.3-as-printed.eml
mhtml links corpus/rfc2557/9.5.eml
mhtml cat corpus/rfc2557/9.2.eml 1
uri parse 'http://u@a.example/b?c#d' --json
uri resolve http://a/b/c/d '?y'
uri find corpus/plain.txt
uri normalize 'HTTP://A.example/%7eb/../c' --json
text locate corpus/plain.txt char=0,5
text cite corpus/plain.txt char=0,5
text cite corpus/plain.txt --quote gale
text convert corpus/plain.txt 'char=0,5' --from rfc5147 --to pdi
bulk derive
bulk fixity --entries 20
work --once --json
work --status
config check corpus/config.toml
config check corpus/wrong.toml
extension extension
where urn:pdi://there.example.us/2026/1/1/1
mirror http://127.83.0.1:9/ mirrored --once --allow-private
copy archive taken-over --with-key
promote taken-over
promote copied
"""
"""Asked once the site has another page about the storm."""

_AFTER = f"""
list --json
log --json
show {N}/1 --json
token written --json
fsck --json
--archive copied list
--archive copied log --json
--archive backup log --json
--archive restored restore backup
--archive restored log --json
--archive restored verify --all
--archive from-ocfl restore ocfl
--archive from-ocfl list
--archive other import all.warc
--archive other import bag
--archive other list --json
"""
"""Asked once the server, which commits too, has ended."""


class Command:
    """One command: its words, and a file for standard input."""

    def __init__(self, line: str) -> None:
        """Split a line as a shell does; `< FILE` comes last."""
        line, _, self.input = line.partition(" < ")
        self.line = line
        self.words = shlex.split(line)
        if self.words[0] == "init":
            self.words[:1] = ["--archive", self.words[1], "init"]
        elif self.words[0] != "--archive":
            self.words[:0] = ["--archive", "archive"]


def _commands(lines: str) -> list[Command]:
    return [Command(line) for line in lines.strip().splitlines()]


BEFORE_SERVING = (_commands(_BEFORE), _commands(_CHANGED))
AFTER_SERVING = _commands(_AFTER)
