"""Texts of any size: how their bytes become characters, and where positions are in them.

| room | what it holds |
|---|---|
| source | where the bytes are: memory, a mapping, a file |
| tally | counts before a place, and finding a place by a count |
| reading | an entity block by block, decoded |
| stretch, vectors | the counts of one stretch of bytes: with the standard library, with NumPy |
| survey, sweep | places found by their position; the counts of long stretches, fast |
| index | checkpoints, so that any place is found by reading one block |
| entity | all of these together: an entity, and the places in it |
| document | DocumentText: the one text of a document, with the positions of a PDI |
| first, labels | the frozen rules by which the first documents are decoded |
"""
