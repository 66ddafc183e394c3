"""Routes of the server, one module a subject: the table is `web.route_table`."""
