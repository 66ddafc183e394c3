"""The HTTP face: a resolver for programs and a reader for people, over one service.

`server` listens, `app` routes, `names` answers names, `reader` draws pages, `api` answers the
reader's scripts and other programs, `headers` keeps archived pages harmless.
"""
