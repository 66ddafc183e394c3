"""The words of PDFs: PDFium gives glyphs with their places, rules of ours make a text of them.

| room | what it holds |
|---|---|
| library, decoder | PDFium by its C interface; the glyphs of all pages; title, authors, DOI |
| glyphs | the values in between |
| lines, scripts, paragraphs, render | the rules `pdf-text/1` |
| places | the map: of each character its page and its box |
"""
