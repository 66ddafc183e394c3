"""What stands behind a citation: its words in other versions, told to people."""
