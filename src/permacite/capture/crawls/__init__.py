"""What others captured: pages and all they show, out of files in which many are kept.

octets      the octets of a file, packed by gzip or not, from any place on
records     WARC and ARC records, one by one, whatever is wrong with them
digests     what a record says that its octets hash to
messages    the HTTP answer in a record: its head, and its content without codings
index       where each capture stands, and when it claims to be from
reading     a page out of an index, as `capture` would have fetched it
"""
