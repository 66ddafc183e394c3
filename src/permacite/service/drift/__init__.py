"""Drift: cited passages compared with another text. Nothing here fetches a page."""
