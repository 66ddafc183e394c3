"""Catalog on any engine: shared sessions, one thread that writes, write-behind.

`Catalog` says what each engine has to bring: `permacite.archive.sqlite` is one.
"""
