"""Commands that find documents again, and that keep for their owner how."""
