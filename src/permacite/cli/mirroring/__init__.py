"""Commands of mirrors."""
