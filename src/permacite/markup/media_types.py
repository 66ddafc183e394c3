"""The media types of pages and of XML, by which a document is read."""

from __future__ import annotations

__all__ = ["PAGES", "is_xml"]

PAGES = ("text/html", "application/xhtml+xml")
"""What people call a page: its text is a rendition, its parts are elements."""


def is_xml(media_type: str) -> bool:
    """Whether the tags of this media type, without parameters, are those of XML."""
    return media_type.endswith(("+xml", "/xml"))
