"""The use cases about documents: bring them in, list them, resolve them, show them."""
