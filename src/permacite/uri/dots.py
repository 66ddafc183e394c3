"""Removal of the path segments "." and "..", as in RFC 2396 and as in RFC 3986.

| section | function |
|---|---|
| RFC 2396 §5.2(6) | `merge_2396`, `remove_2396` |
| RFC 3986 §5.2.4 | `remove_dot_segments` |

Both are the stack form of algorithms that the RFCs give as replacements in a buffer, which would
take quadratic time.
"""

from __future__ import annotations

__all__ = ["ExcessiveDotsError", "remove_2396", "remove_dot_segments"]


class ExcessiveDotsError(Exception):
    """A ".." with no segment left to remove; `args[0]` is its offset in the path."""


def remove_2396(path: str, excess: str = "keep") -> str:
    """Remove dot segments as RFC 2396 §5.2(6c) to (6g) do.

    `excess` says what becomes of ".." above the root (6g): "keep" it, "remove" it, or "error",
    which raises ExcessiveDotsError.
    """
    root = "/" if path.startswith("/") else ""
    offset = len(root)
    kept: list[str] = []
    above = 0  # how many ".." stand at the beginning of `kept`, with no segment to remove
    ends_in_slash = False
    for segment in path[offset:].split("/"):
        ends_in_slash = segment in {".", ".."}
        if segment == "..":
            if len(kept) > above:  # (6e), (6f)
                kept.pop()
            elif excess == "error":
                raise ExcessiveDotsError(offset)
            elif excess == "keep":
                above += 1
                kept.append(segment)
                ends_in_slash = False
        elif segment != ".":  # (6c), (6d)
            kept.append(segment)
        offset += len(segment) + 1
    return root + "/".join(kept) + ("/" if ends_in_slash and kept else "")


def remove_dot_segments(path: str, excess: str = "remove") -> str:
    """Remove dot segments as RFC 3986 §5.2.4 does: ".." above the root is dropped.

    With `excess` "error", such a ".." raises ExcessiveDotsError instead.
    """
    offset = _leading_dots(path, excess)
    if offset >= len(path):
        return ""
    first, *rest = path[offset:].split("/")
    kept = [first]  # what stands before the first slash: "" in an absolute path (2E)
    offset += len(first) + 1
    ends_in_slash = False
    for segment in rest:
        ends_in_slash = segment in {".", ".."}
        if segment == "..":  # (2C): takes the first segment too, which has no slash before it
            if len(kept) > 1:
                kept.pop()
            elif excess == "error" and not kept[0]:
                raise ExcessiveDotsError(offset)
            else:
                kept[0] = ""
        elif segment != ".":  # (2B)
            kept.append(segment)
        offset += len(segment) + 1
    return "/".join(kept) + ("/" if ends_in_slash else "")


def _leading_dots(path: str, excess: str) -> int:
    """Return the length of the dot segments that a rootless path begins with (2A, 2D)."""
    offset = 0
    while path.startswith(("./", "../"), offset):
        if excess == "error" and path.startswith("..", offset):
            raise ExcessiveDotsError(offset)
        offset = path.index("/", offset) + 1
    if path.startswith(".", offset) and len(path) - offset <= len(".."):
        last = path[offset:]
        if excess == "error" and last == "..":
            raise ExcessiveDotsError(offset)
        offset += len(last) if last in {".", ".."} else 0
    return offset
