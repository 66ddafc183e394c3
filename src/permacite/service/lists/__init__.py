"""Many addresses at once: lists of them in the forms that people have, saved and gone on with."""
