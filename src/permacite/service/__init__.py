"""The use cases: what the command line and the web do, each one call, free of either face.

`archive` holds the archive's use cases; `texts` and `aggregates` serve the specification packages
alone, and import no archive.
"""
