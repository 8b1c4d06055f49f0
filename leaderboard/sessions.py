"""Sessions that commands name by the beginning of an id, or by their number in an audit."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import click

from leaderboard.streams import say
from records.folder import DataFolder
from records.session import Session
from records.showing import counted
from review.audit.progress import AuditTask, AuditTasks
from review.selection import SessionSelection
from review.store import LabeledSession, SessionProblem, SessionStore

Item = TypeVar("Item")
"""The prompt that is made of a session."""


def found(store: SessionStore, beginning: str) -> str:
    """Return the id of the session that begins so, or that an audit calls so.

    Raises:
        UsageError: there is none, or there are several.
    """
    task = audited(store, beginning)
    if task is not None:
        return task.session_id
    ids = [path.stem for path in store.folder.session_files() if path.stem.startswith(beginning)]
    if beginning in ids:
        return beginning
    if len(ids) != 1 or not beginning:
        raise click.UsageError(
            f"{beginning!r} begins {len(ids)} sessions: `leaderboard session list` has their ids"
        )
    return ids[0]


def audited(store: SessionStore, name: str) -> AuditTask | None:
    """Return the attempt that an audit calls so, such as `9fdfa625ac2f-1/7`; null for other names.

    Raises:
        UsageError: there is no such audit, or it has fewer attempts.
    """
    if "/" not in name:
        return None
    task = AuditTasks(store).named(name)
    if task is None:
        raise click.UsageError(f"{name!r}: `leaderboard session audit --status` lists the audits")
    return task


def waits_blind(store: SessionStore, name: str, reviewer: str | None) -> bool:
    """Say whether the session that is named so is one that ``reviewer`` is to judge blind.

    Raises:
        UsageError: as `audited`.
    """
    task = audited(store, name)
    return task is not None and task.is_blind_for(reviewer)


def without_waiting(
    store: SessionStore, chosen: SessionSelection, reviewer: str | None = None
) -> SessionSelection:
    """Return a selection without what ``reviewer`` is to judge blind, and say how many these are.

    They are counted whether or not they fit the selection, for that would tell of them.

    Raises:
        InvalidRecordError: an audit or a label log cannot be read.
    """
    waiting = frozenset(AuditTasks(store).waiting(reviewer))
    if waiting:
        drawn = counted(len(waiting), "session")
        status = "leaderboard session audit --status"
        say(f"without {drawn} that an audit is to have judged blind: {status}", err=True)
    return replace(chosen, without=waiting)


def promptable(
    data: DataFolder, chosen: SessionSelection, prepare: Callable[[Session], Item | str], none: str
) -> list[Item]:
    """Return the prompts of the selected sessions; print why sessions are left out.

    Args:
        data: has the sessions.
        chosen: selects them; those that an audit is to have judged blind are left out.
        prepare: makes the prompt of a session, or returns why it is left out.
        none: goes on with "none of 3 selected sessions ..." where nothing can be asked.

    Raises:
        UsageError: nothing can be asked.
    """
    store = SessionStore(data)
    selected = without_waiting(store, chosen).of(_readable(store))
    prepared = [prepare(session) for session in selected]
    left_out = Counter(reason for reason in prepared if isinstance(reason, str))
    for reason, number in sorted(left_out.items()):
        say(f"{number} left out: {reason}", err=True)
    items = [item for item in prepared if not isinstance(item, str)]
    if not items:
        raise click.UsageError(f"none of {len(prepared)} selected sessions {none}")
    return items


def _readable(store: SessionStore) -> Iterator[LabeledSession]:
    """Yield the sessions that can be read; print the problems of the others."""
    for entry in store.scan():
        if isinstance(entry, SessionProblem):
            say(f"left out: {entry}", err=True)
        else:
            yield entry
