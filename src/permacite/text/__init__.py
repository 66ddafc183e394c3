"""Texts of any size: decoding of their bytes, and positions in them.

| module | contents |
|---|---|
| source | the bytes: in memory, mapped, or in a file |
| tally | counts before a place, and the place of a count |
| reading | an entity block by block, decoded |
| stretch | the counts of one stretch of bytes, with the standard library |
| survey, sweep | the places of positions; counts of long stretches, with NumPy if installed |
| index | checkpoints: any place is found by reading one block |
| entity | an entity and the places in it, from all of these |
| document | DocumentText: the one text of a document, with the positions of a PDI |
| first_rules | the frozen rules by which the first documents are decoded |
"""
