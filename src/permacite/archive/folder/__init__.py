"""The folder of an archive: how it is made, and how a copy of it follows."""
