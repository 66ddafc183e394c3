"""Every error code has an exit status and an HTTP status, and problem details are whole."""

from __future__ import annotations

import pytest

from permacite import errors
from permacite.service.plain import STATUS, exit_status, http_status, problem

CLASSES = [
    getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)
]


def test_the_table_has_every_code_and_no_other() -> None:
    assert {kind.code for kind in CLASSES} == set(STATUS)


@pytest.mark.parametrize(
    ("error", "status", "http"),
    [
        (errors.ParseError("expected a digit", "a,1", 0, "RFC 5147 §3"), 2, 400),
        (errors.NotFoundError("unknown", "urn:pdi://a.us/1"), 1, 404),
        (errors.IntegrityError("changed", expected="a", actual="b"), 1, 409),
        (errors.ConflictError("taken", "urn:pdi://a.us/1"), 1, 409),
        (errors.LimitError("too deep", limit="depth", maximum=8), 1, 413),
        (errors.DecodingError("it is broken"), 1, 422),
        (errors.CaptureError("no answer", uri="http://a/", reason="connect"), 1, 502),
        (errors.StorageError("full", path="a", reason="full"), 1, 503),
    ],
    ids=lambda value: value.code if isinstance(value, errors.PermaciteError) else None,
)
def test_each_error_means_one_status_in_each_face(
    error: errors.PermaciteError, status: int, http: int
) -> None:
    assert (exit_status(error), http_status(error)) == (status, http)
    details = problem(error)
    assert details["code"] == error.code
    assert details["status"] == http
    assert details["detail"] == error.problem
    assert set(error.fields) <= set(details)
