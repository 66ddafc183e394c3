"""What PDFium tells of one page: its glyphs, how they are drawn, and how they are tagged.

| room | what it holds |
|---|---|
| page | characters, origins and boxes of all glyphs |
| manners | how the glyphs of each object of a page are drawn |
| fonts | how high their letters are, as they say |
| advances | how far the next glyph stands from each |
| structure | the order in which tags have the parts of a page |
"""
