"""MIME as far as an aggregate document needs it: headings, parameters, transfer encodings.

model       Limits, Defect                      heading     fields, folding
octets      one way to read bytes, maps, files  parameters  comments and parameters (RFC 2231)
transfer    transfer encodings (RFC 2045 §6)    words       encoded words (RFC 2047)
"""
