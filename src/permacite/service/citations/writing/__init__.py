"""A citation in the formats of others, a file each: each escapes by the rules of its own format."""
