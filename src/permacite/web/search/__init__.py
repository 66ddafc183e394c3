"""The box: what is typed is words, an address or a name, and leads to places ready to cite."""
