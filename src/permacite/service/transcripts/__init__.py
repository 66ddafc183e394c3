"""Transcripts: which captions are of which recording, from words to seconds and back."""
