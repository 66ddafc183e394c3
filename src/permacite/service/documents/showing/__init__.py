"""The reader's view of a document: made, marked, and kept for the next who asks."""
