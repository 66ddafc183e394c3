"""The server: connections that cannot wear it down, and an end that is an end."""
