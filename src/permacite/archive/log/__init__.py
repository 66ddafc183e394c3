"""The Merkle log of an archive: what was committed, in which order, signed and provable."""
