"""The command line: one command per use case, each in a room named after what it is about.

`commands` holds the group; `uri` answers without it, since click comes with an extra.
"""
