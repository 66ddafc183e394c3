"""The use cases about passages: find and cite them, say what became of them."""
