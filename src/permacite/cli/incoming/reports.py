"""Report of a saved or imported document, and the options that all importing commands have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.assertions import told_apart
from permacite.cli.output import emit, note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.service.ingest.saved import LostResource, Saved

__all__ = ["confirm_date", "tell"]

_NAMED = 3
"""How many of what was lost for one reason are named."""

confirm_date = click.option(
    "--confirm-date",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=lambda _ctx, _option, moment: None if moment is None else moment.date(),
    metavar="YYYY-MM-DD",
    help="Today in UTC, where a long pause and a clock that nothing bears out make it doubtful.",
)


def tell(saved: Saved, *, as_json: bool) -> None:
    """Print what was committed, and what of the page is missing and why."""
    if as_json:
        emit(saved)
        return
    click.echo(saved.pdi)
    others = [item.pdi for item in saved.document.formats if item.pdi != saved.pdi]
    for name in others:
        click.echo(f"  also {name}")
    state = "unchanged since it was saved" if saved.unchanged else "committed"
    note(f"{state}: {saved.document.title or 'untitled'}")
    parts = "1 part" if saved.parts == 1 else f"{saved.parts} parts"
    note(f"{parts}, {saved.size_bytes:,} bytes received, {len(saved.lost)} not kept")
    if saved.citable:
        note(f"cite {', '.join(way.told for way in saved.citable)}")
    for warning in saved.warnings:
        note(f"  warning: {warning}")
    for quotation in saved.quotations:
        note(f"  quotes {quotation.cited}: {quotation.status} {quotation.problem}".rstrip())
        if quotation.status == "differs":
            note(told_apart(quotation))
    _tell_missing(saved)


def _tell_missing(saved: Saved) -> None:
    """Say what of the page is not kept, or not run."""
    apart = _by_reason(saved.left_out)
    scripts = len(apart.pop("script", ()))
    if scripts or saved.inline_scripts:
        note(
            f"{scripts} scripts left out, {saved.inline_scripts} in the page are kept"
            " with it; none is run"
        )
    for many in apart.values():
        note(f"  {len(many)} left out: {many[0].problem}")
    for reason, many in _by_reason(saved.lost).items():
        for lost in many[:_NAMED]:
            note(f"  {reason}: {lost.uri} ({lost.problem})")
        if len(many) > _NAMED:
            note(f"  {reason}: {len(many) - _NAMED} more, which --json names")


def _by_reason(lost: Iterable[LostResource]) -> dict[str, list[LostResource]]:
    """What was lost, by why, in the order of the page."""
    folded: dict[str, list[LostResource]] = {}
    for each in lost:
        folded.setdefault(each.reason, []).append(each)
    return folded
