"""Pages that are looked at again and again, and what became of the passages cited from them."""
