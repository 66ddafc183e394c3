"""Ingest: pages, files and what is sent over HTTP become committed versions."""
