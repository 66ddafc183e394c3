"""Looks at live pages: what they found, and which pages are looked at again and again."""
