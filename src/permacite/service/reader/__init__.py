"""The reader: an archived document as it is shown, marked, with what stands around it."""
