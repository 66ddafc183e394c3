"""Resolution: from a reference to what it names, checked; lists, sets and descriptions of names."""
