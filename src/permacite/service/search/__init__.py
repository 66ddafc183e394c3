"""Words are found again: an index beside the archive, and the way from a question to a place."""
