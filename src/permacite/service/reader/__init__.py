"""Reader: an archived document as it is shown, with the cited parts marked."""
