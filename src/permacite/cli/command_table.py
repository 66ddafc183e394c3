"""Table of our commands: where each is, and its line in the list of `permacite --help`.

The order is that of the list. A test proves that each line is the first sentence of its command's
own help. Modules are named, not imported: `serve` is in the web server, which `cli` never imports.
"""

__all__ = ["COMMANDS"]

_TABLE = """\
init permacite.cli.archive:init
  Make a new archive in DIRECTORY (default: a folder of your user data).
save permacite.cli.incoming.save:save
  Save the page at URI and all it shows, under a permanent name.
import permacite.cli.incoming.files:import_
  Archive local FILES, and all files in folders: pages, texts, XML, or anything else as it is.
derive permacite.cli.incoming.derive:derive
  Give PDI, or all documents, the text that they lack: of formats that are read since.
cite permacite.cli.cite:cite
  Cite a part of PDI: by its words, or by one of the options from --char to --byte.
reference permacite.cli.cite:reference
  Say what the document PDI states of itself: who wrote it, when, where it appeared.
resolve permacite.cli.resolve:resolve
  Print exactly the part of a document that REFERENCE names.
look-up permacite.cli.resolve:look_up
  Say of each REFERENCE what answers to it, a line each: what was asked, the full name, type.
prove permacite.cli.proof:prove
  Write a proof that this archive holds what REFERENCE names, or never minted it.
verify permacite.cli.proof:verify
  Check what is stored against its digests, or a proof offline.
log permacite.cli.proof:log
  Show the log of all commits: its size, its root, the signed checkpoint, the public key.
stamp permacite.cli.proof:stamp
  Have the log, as it is now, stamped with the time by the RFC 3161 authority at URL.
witness permacite.cli.proof:witness
  Have the log, as it is now, cosigned by the witnesses at each URL, with the public KEY of it.
check permacite.cli.cite:check
  Fetch the live page of PDI and say whether each cited passage is still there.
watch permacite.cli.watch:watch
  Look at pages again and again: new versions where they change, news of what is cited.
versions permacite.cli.cite:versions
  Say what became of the cited passage PDI in the other versions of its document.
changes permacite.cli.finding.sites:changes
  Say what was changed in the words of the document PDI since the version before.
quotes permacite.cli.assertions:quotes
  List what the document PDI quotes by permanent names, and compare it with its sources.
quoted-by permacite.cli.assertions:quoted_by
  List the documents of this archive that quote PDI, or a passage that overlaps it.
compose permacite.cli.assertions:compose
  Fill in the quotations of TEMPLATE from their permanent names.
search permacite.cli.finding.search:search
  Find WORDS in all that is archived, or the document that an address or a name means.
sites permacite.cli.finding.sites:sites
  List the sites that pages were saved from, or the addresses of SITE, such as example.org.
calendar permacite.cli.finding.sites:calendar
  Say when ADDRESS was saved, each version by its time (UTC) and its name.
tag permacite.cli.finding.jottings:tag
  Tag the document REFERENCE, a name or a web address; without TAG, list its tags.
collection permacite.cli.finding.jottings:collection
  Put documents into the collection NAME; without REFERENCE, list what is in it.
note permacite.cli.finding.jottings:note_
  Write a note on REFERENCE, a document or a part of it; without TEXT, list its notes.
jottings permacite.cli.finding.jottings:jottings
  List the tags, collections and notes of REFERENCE, or of all; or write or read them as JSON.
annotations permacite.cli.finding.annotations:annotations_
  Write what was cited, noted and tagged as Web Annotations; or take in those of others.
list permacite.cli.archive:list_
  List what is archived, oldest first.
show permacite.cli.archive:show
  Show all that is known of PDI: versions, formats, digests, source, citations.
export permacite.cli.archive:export
  Write PDI to a file: exactly the stored octets of the format that PDI names.
serve permacite.web.command:serve
  Serve the archive: the resolver for programs, the reader for people.
assert permacite.cli.assertions:assert_
  State that SUBJECT has the PREDICATE OBJECT, for good.
assertions permacite.cli.assertions:assertions
  List the statements about SUBJECT, oldest first; all of the archive without it.
series permacite.cli.keep:series
  Show or add the series that mint names in this archive.
delegate permacite.cli.keep:delegate
  Record that TARGET answers for SERIES and all series below it.
delegations permacite.cli.keep:delegations
  List who answers for SERIES or mints in it, by delegations of it and of those above it.
where permacite.cli.keep:where
  Tell which resolver answers for NAME: each that leads on, a line each, until one answers.
withdraw permacite.cli.keep:withdraw
  Give out PDI no more: a document, or one format of one version.
reinstate permacite.cli.keep:reinstate
  Lift the withdrawal of PDI.
erase permacite.cli.access:erase
  Destroy each PDI, a document or one version of it; this cannot be undone.
access permacite.cli.access:access
  Show or change who may see the document PDI, why it is kept and how long.
retention permacite.cli.access:retention
  List the documents that were to be kept until a day that has passed.
backup permacite.cli.keep:backup
  Make DIRECTORY a second archive with all that is committed now, or bring it up to date.
copy permacite.cli.keep:copy
  Copy the archive SOURCE to TARGET, or bring an earlier copy there up to date.
promote permacite.cli.keep:promote
  Let TARGET, a copy without the log's key, take the place of its archive: mint and sign.
restore permacite.cli.keep:restore
  Make the archive (--archive, or the default one) anew from the backup SOURCE.
fsck permacite.cli.keep:fsck
  Run a fixity check of the whole archive: every digest, the log, the catalog and its rules.
bulk permacite.cli.bulk:bulk
  Put much work into the queue of the archive, as jobs for `permacite work`.
work permacite.cli.bulk:work
  Do the jobs that `permacite bulk` put into the queue of the archive, on this machine.
mirror permacite.cli.mirror:mirror
  Make INTO a mirror of the archive whose server answers at URL, or bring it up.
config permacite.cli.config:config
  Check what commands are told by a file and by the environment, and list all limits.
token permacite.cli.incoming.tokens:token
  Say who may read what is closed, cite and save here from other machines.
extension permacite.cli.incoming.extension:extension
  Write the extension for Chromium and Firefox to the folder DIR, to be loaded from there.
uri permacite.cli.commands:uri
  Parse, resolve, normalise and find URI references (RFC 2396, RFC 3986).
text permacite.cli.text:text
  Locate, cite and convert fragments of plain texts (RFC 5147 and its first draft).
mhtml permacite.cli.mhtml:mhtml
  Read, check, unpack and write aggregate documents (MHTML, RFC 2557).
"""


def _read(table: str) -> dict[str, tuple[str, str]]:
    """Source and line of each command; lines of a sentence are indented."""
    rows = table.replace("\n  ", " ").splitlines()
    return {name: (source, line) for name, source, line in (row.split(" ", 2) for row in rows)}


COMMANDS = _read(_TABLE)
