"""Pages from a person's own browser: tokens that admit it, what it hands over, its extension."""
