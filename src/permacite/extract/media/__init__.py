"""Extraction from pictures, sound and video. Needs the extras `media` and `video`."""
