"""What is handed out to mirrors."""
