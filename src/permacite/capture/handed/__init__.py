"""Pages that a person's own browser hands over, as its extension packs them."""
