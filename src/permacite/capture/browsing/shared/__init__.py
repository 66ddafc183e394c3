"""One browser for many pages: who draws when, and how much memory that may take."""
