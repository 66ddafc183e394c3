"""How the server is: whether it answers, what it counts, and a line for each request."""
