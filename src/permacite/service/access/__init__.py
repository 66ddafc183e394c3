"""Access: who may see a document, how long it is kept, and what is erased."""
