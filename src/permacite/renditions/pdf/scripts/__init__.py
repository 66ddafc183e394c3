"""Rules that belong to scripts: accents, what runs leftwards or downwards, Indic vowels, Korean."""
