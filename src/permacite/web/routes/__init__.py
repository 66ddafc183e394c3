"""Handlers of routes, one module a subject; `web.route_table` lists the routes."""
