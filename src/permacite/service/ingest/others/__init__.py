"""What people saved with other programs, one document at a time: what it is made of, and says."""
