"""The version of permacite, below every room that tells it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
