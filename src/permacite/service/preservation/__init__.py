"""Preservation: copies of an archive, in its own form, OCFL and WARC, and its health."""
