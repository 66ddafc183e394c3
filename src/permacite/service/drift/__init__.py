"""What became of cited passages: on the live page, and in other versions."""
