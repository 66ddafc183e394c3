"""Commands for much work at once."""
