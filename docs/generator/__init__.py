"""What writes the generated pages of docs/: one module a kind of page, one function a page."""
