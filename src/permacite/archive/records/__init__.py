"""The records of an archive in plain SQL: questions and changes over a bare connection."""
