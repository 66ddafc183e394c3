"""Import of pages that other programs captured, from files that hold many of them.

formats     which files these are
records     WARC and ARC records, one by one, in constant memory, packed by gzip or not
messages    the HTTP message in a record: head, content without codings, stated digests
containers  WARC, WACZ and HAR files, opened as files of records
signatures  who signed a WACZ package, and whether the user trusts them
mementos    whether an answer is a web archive's copy of another address
index       the position and claimed time of each capture
crawl       containers as one crawl, and pages read from it
"""
