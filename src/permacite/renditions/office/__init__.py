"""The words of books, office files, notebooks and mail: EPUB, DOCX, ODT, Jupyter, RFC 5322.

| room | what it holds |
|---|---|
| zipped | the entries of a zip, bounded, and references between them |
| elements | the elements of XML that stands in a zip, without declarations |
| docx, docx_numbers | `docx-text/1`: Word's files, and the numbers that Word counts |
| odt | `odt-text/1`: texts of OpenDocument |
| epub, epub_places | `epub-text/1`: books, and the places that their tables of contents name |
| notebook | `notebook-text/1`: cells, and what they gave |
| mail | `mail-text/1`: messages, their parts in order |

Each room has its rules in its docstring; the pages "The words of ..." of the documentation explain
them. They need the standard library alone.
"""
