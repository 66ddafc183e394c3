"""Server processes: connections and their limits, sockets, workers, monitoring."""
