"""The octets of an archive, by their digest: put once, and read from a ContentReader."""
