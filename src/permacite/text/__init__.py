"""Texts of any size: decoding of their bytes, and positions in them.

| module | contents |
|---|---|
| tally | counts before a place, and the place of a count |
| reading | the bytes: in memory, mapped, or in a file; an entity block by block, decoded |
| sweep | counts of long stretches, with NumPy if installed |
| index | checkpoints: any place is found by reading one block |
| entity | an entity and the places in it; DocumentText, the one text of a document |
| first_rules | the frozen rules by which the first documents are decoded |
"""
