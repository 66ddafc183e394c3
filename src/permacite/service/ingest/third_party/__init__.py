"""Import of single documents that people saved with other programs."""
