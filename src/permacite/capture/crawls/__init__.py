"""Import of pages that other programs captured, from files that hold many of them.

formats     which files these are
records     WARC and ARC records, one by one, in constant memory, packed by gzip or not
messages    the HTTP message in a record: head, content without codings, stated digests
packages    WACZ: record files with a list of pages and a signature
signatures  who signed a WACZ package, and whether the user trusts them
har         HAR: the requests that a browser reports, as records
mementos    whether an answer is a web archive's copy of another address
index       the position and claimed time of each capture
crawl       files opened as one crawl, and pages read from it
"""
