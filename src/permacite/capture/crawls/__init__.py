"""What others captured: pages and all they show, out of files in which many are kept.

kinds       which files these are
octets      the octets of a file, packed by gzip or not, from any place on
records     WARC and ARC records, one by one, whatever is wrong with them
digests     what a record says that its octets hash to
messages    the HTTP answer in a record: its head, and its content without codings
packages    WACZ: files of records, with a list of pages and what vouches for them
har         HAR: what a browser reports, as records
mementos    that an answer is a web archive's copy of another address
index       where each capture stands, and when it claims to be from
reading     a page out of an index, as `capture` would have fetched it
crawl       all of it: files opened as one crawl
"""
