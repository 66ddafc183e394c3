"""Who asks: what the rest of the face knows of them."""
