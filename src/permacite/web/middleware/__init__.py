"""Middleware that every request passes: access control, caching, compression, networks."""
