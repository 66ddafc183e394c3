"""What commands are told beforehand: a file in TOML, and the environment over it."""
