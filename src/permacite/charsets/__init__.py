"""Charsets: one registry of their names, what decodes each, and two views of it.

The *decoding* view is that of the Encoding Standard: a label such as `latin1` names the codec that
browsers read it by. The *comparing* view is that of MIME and RFC 5147: two names stand for one
charset if IANA's registry says so. Texts are decoded whole or in pieces, by the same rules.

Standard library alone; `permacite.errors` and `permacite.scan` besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.charsets.decoders import Decoder
    from permacite.charsets.decoding import (
        LONGEST_MARK,
        Charset,
        Encoding,
        Family,
        decode,
        encode,
        family_of,
        incremental,
        of_codec,
        preload,
        resolve,
        same,
        settled,
    )
    from permacite.charsets.registry import (
        MARKS,
        RULES_VERSION,
        TOKENS,
        USER_DEFINED,
        codec_of,
        token_of,
    )

__all__ = [
    "LONGEST_MARK",
    "MARKS",
    "RULES_VERSION",
    "TOKENS",
    "USER_DEFINED",
    "Charset",
    "Decoder",
    "Encoding",
    "Family",
    "codec_of",
    "decode",
    "encode",
    "family_of",
    "incremental",
    "of_codec",
    "preload",
    "resolve",
    "same",
    "settled",
    "token_of",
]

on_demand(
    __name__,
    {
        "permacite.charsets.decoders": "Decoder",
        "permacite.charsets.decoding": (
            "LONGEST_MARK, Charset, Encoding, Family, decode, encode, family_of, incremental,"
            " of_codec, preload, resolve, same, settled"
        ),
        "permacite.charsets.registry": (
            "MARKS, RULES_VERSION, TOKENS, USER_DEFINED, codec_of, token_of"
        ),
    },
)
