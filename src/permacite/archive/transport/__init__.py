"""Transport of an archive into copies, backups, mirrors and exchange formats, as one stream."""
