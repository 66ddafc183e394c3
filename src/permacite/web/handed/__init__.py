"""What comes from a person's own browser: pages that its extension hands over, and addresses."""
