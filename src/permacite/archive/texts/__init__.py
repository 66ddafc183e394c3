"""Large texts: kept with an index, read by the piece, each piece checked."""
