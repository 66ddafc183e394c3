"""Copies of an archive in the formats of others: OCFL for keeping, WARC for web archives."""
