"""Exchange formats: exports, and imports of what other programs wrote."""
