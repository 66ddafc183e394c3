"""permacite: cite any part of any document, for good.

The packages below serve alone: `uri` (RFC 2396), `fragments` (RFC 5147), `mhtml` (RFC 2557),
`pdi` (Persistent Document Identifiers) and `extract`. The program stands on `service`.
"""

__version__ = "0.1.0"
__all__ = ["__version__"]
