"""Links of archived pages followed: where they lead here, and saving what is not here yet."""
