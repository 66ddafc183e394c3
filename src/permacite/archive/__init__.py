"""The archive: octets under permanent names, committed once, never changed.

`Repository.create` and `Repository.open` are the way in. From below:

| module | what it holds |
|---|---|
| model, names, entries, merkle, canonical_json | values, and the forms that are stored and hashed |
| objects | octets by their digest: put, and opened as a source |
| records | questions and changes in plain SQL, over a session |
| transport | copies, backups, mirrors and exchange formats, as one stream |
| engine | what catalogs on any engine share: the thread that writes, write-behind |
| schema | the tables of the catalog, as data that engines render |
| sqlite | the catalog in one file: connections, migrations |
| texts | which charset a text has; the index of a large one |
| log | the Merkle log: keys, checkpoints, tiles, proofs, and whether records agree with it |
| gate | what is given out, and to whom |
| lookup, contents, passages, statement_search, annotations, live_pages | questions to one archive |
| committing, statements, delegation, administration | changes of one archive |
| verification, copies | checks and proofs; backups, copies and mirrors |
| repository | one open archive, which holds an object for each of these |
"""
