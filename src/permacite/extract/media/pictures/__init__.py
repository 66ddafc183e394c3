"""Pictures: rectangles of them, samples as deep as they are, no more decoded than is needed."""
