"""Renditions of books, office files, notebooks and mail: EPUB, DOCX, ODT, Jupyter, RFC 5322.

| module | contents |
|---|---|
| packages | entries of a zip, bounded, references between them, and elements of XML in them |
| docx, docx_parts | `docx-text/1`: Word files, their styles, numbers and notes |
| odt | `odt-text/1`: OpenDocument texts |
| epub | `epub-text/1`: books, and the targets of their tables of contents |
| notebook | `notebook-text/1`: cells and their output |
| mail | `mail-text/1`: messages, their parts in order |

Each module has its rules in its docstring; the pages "The words of ..." of the documentation
explain them. The standard library is enough.
"""
