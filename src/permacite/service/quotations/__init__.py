"""Quotations: found in what is committed, recorded as citations, compared, and filled in."""
