"""What answers under a permanent name: documents, their parts, sets, and the THTTP of RFC 2169."""
