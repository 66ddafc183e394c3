"""The doors of the server: who is let in to which route, and how they show who they are."""
