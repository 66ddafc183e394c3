"""HTTP server: a resolver for programs and a reader for people, over one archive.

`route_table` lists the routes, `routes` has their handlers by subject, `middleware` what every
request passes, `serving` the processes and sockets. `headers` keeps archived pages harmless.
"""
