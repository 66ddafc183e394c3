"""What other programs say of a passage: their selectors read, and the passage found by them."""
