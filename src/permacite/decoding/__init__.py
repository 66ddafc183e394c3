"""Decoders of others (of pictures, sound and video) at work in processes that can open nothing.

| room | what it holds |
|---|---|
| confinement | what a process gives up for good: files, sockets, programs, most system calls |
| kinds | what a kind of worker loads before its doors close, what it does, and its limits |
| messages | JSON, octets and a descriptor, between the two sides |
| pages | the work of one kind: pages of PDFs as pictures |
| worker | the process that decodes |
| workers | warm workers of one kind: who gets one when, how much memory, how long |

Whoever serves, verifies or holds keys hands octets to `Workers` and gets a part of them, or an
error of ours. What comes back is never trusted with more than that: it is JSON and octets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.decoding.workers import Workers

__all__ = ["Workers"]

on_demand(
    __name__,
    {
        "permacite.decoding.workers": "Workers",
    },
)
