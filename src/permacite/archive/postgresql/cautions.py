"""What of a server's settings may lose what was acknowledged: one statement asks, words tell.

A role without pg_monitor sees that somebody follows the server, by what name, and no more: whoever
is known to be no standby (a backup, a copy of the log, a subscription) is not counted as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permacite.archive.records.session import Session

__all__ = ["cautions"]

_ASKED = """
SELECT current_setting('fsync') = 'off', current_setting('full_page_writes') = 'off',
  current_setting('synchronous_standby_names'), count(s.pid),
  count(s.pid) FILTER (WHERE coalesce(s.sync_state, 'hidden') IN ('sync', 'quorum', 'hidden')),
  quote_literal('ANY 1 (' || string_agg(DISTINCT quote_ident(s.application_name), ', ') || ')'),
  bool_and(s.state IS NULL), pg_is_in_recovery()
FROM (SELECT 1) AS one LEFT JOIN pg_stat_replication AS s
  ON s.application_name NOT IN ('pg_basebackup', 'pg_receivewal')
  AND (s.state IS NULL OR s.replay_lsn IS NOT NULL)
  AND NOT EXISTS (
    SELECT 1 FROM pg_replication_slots WHERE active_pid = s.pid AND slot_type = 'logical'
  )
"""
"""Of a walsender that is hidden all is null but its pid and name; what only keeps the log, or takes
a backup, tells of no `replay_lsn`."""

_CHANGE = "Say ALTER SYSTEM SET {} = {}, and SELECT pg_reload_conf()"
_UNFLUSHED = (
    "fsync is off: where the machine of the database crashes, what was acknowledged is lost, or the"
    " whole database broken. " + _CHANGE.format("fsync", "on")
)
_TORN = (
    "full_page_writes is off: where the machine of the database crashes, pages of it may be torn,"
    " unless its file system writes them whole. " + _CHANGE.format("full_page_writes", "on")
)
_UNAWAITED = (
    "{} follows the database, and no commit waits for it: a failover loses what was acknowledged"
    " last, and gives names that people have seen to others. "
    + _CHANGE.format("synchronous_standby_names", "{}")
)
_SEEN, _HIDDEN = "a standby", "a standby, or what looks like one to a role without pg_monitor,"
_AWAITED = (
    "commits wait for a standby, and none that synchronous_standby_names = {!r} names is connected:"
    " nothing is acknowledged until one is"
)


def cautions(session: Session) -> tuple[str, ...]:
    """What may lose or hold up commits, and what to do.

    A standby tells what is so once it takes over; that it is behind, only its primary can tell.
    """
    ((unflushed, torn, names, standbys, awaited, those, hidden, is_standby),) = session.execute(
        _ASKED
    )
    told = [words for is_so, words in ((unflushed, _UNFLUSHED), (torn, _TORN)) if is_so]
    if is_standby:
        return tuple(told)
    if standbys and not names:
        told.append(_UNAWAITED.format(_HIDDEN if hidden else _SEEN, those))
    if names and not awaited:
        told.append(_AWAITED.format(names))
    return tuple(told)
