"""Citations: a passage found, named and recorded; its forms; what became of it on the live page."""
