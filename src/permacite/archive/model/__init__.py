"""The values of the archive: what it answers, and what is handed in to be committed.

Whoever reads never imports what only those need who commit.
"""
