"""Copies of an archive from any engine and store into any other, which go on where they stopped."""
