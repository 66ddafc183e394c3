"""MIME as far as an aggregate document needs it: headings, transfer encodings, offsets of parts.

model       Limits, Defect                      heading     fields, folding
octets      one way to read bytes, maps, files  parameters  comments and parameters (RFC 2231)
index       where every part stands             words       encoded words (RFC 2047)
transfer    transfer encodings (RFC 2045 §6)
"""
