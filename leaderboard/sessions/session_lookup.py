"""The sessions that a command works on: named by ids or numbers in an audit, or selected."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import click

from leaderboard.options import Decorator, data_option, join_options, json_option
from leaderboard.sessions.session_options import add_selection_options, build_selection
from leaderboard.terminal.streams import say
from records.files.data_folder import DataFolder
from records.files.problems import Problem
from records.text.numbers import format_count
from review.audits import AuditedIds, AuditTasks
from review.index.session_index import select_sessions
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.session_heads import read_session_heads
from review.store import SessionStore

Item = TypeVar("Item")
"""The prompt that is made of a session."""


def find_session_id(store: SessionStore, beginning: str) -> str:
    """Return the id of the session that has this beginning of an id, or this name in an audit.

    A name in an audit is such as `9fdfa625ac2f-1/7`.

    Raises:
        UsageError: there is no such session, or several sessions match.
    """
    if "/" in beginning:
        task = AuditTasks(store).find_task(beginning)
        if task is None:
            listing = "`leaderboard session audit --status` lists the audits"
            raise click.UsageError(f"{beginning!r}: {listing}")
        return task.item.session
    ids = [
        path.stem for path in store.folder.list_session_files() if path.stem.startswith(beginning)
    ]
    if beginning in ids:
        return beginning
    if not ids and beginning:
        ids = [
            head.id
            for head in read_session_heads(store.folder)
            if any(former.startswith(beginning) for former in head.former_ids)
        ]
    if len(ids) != 1 or not beginning:
        raise click.UsageError(
            f"{beginning!r} begins {len(ids)} sessions: `leaderboard session list` has their ids"
        )
    return ids[0]


def without_waiting(store: SessionStore, chosen: SessionSelection) -> SessionSelection:
    """Return a selection without the sessions that must still be judged blind.

    Raises:
        InvalidRecordError: an audit cannot be read.
    """
    return read_audited_ids(store).restrict_selection(chosen)


def read_audited_ids(store: SessionStore, reviewer: str | None = None) -> AuditedIds:
    """Return the ids of sessions of audits; print how many the reviewer must still judge blind.

    The number includes sessions outside of a selection, because otherwise it would reveal labels.

    Raises:
        InvalidRecordError: an audit cannot be read.
    """
    ids = AuditTasks(store).group_ids(reviewer)
    if ids.hidden:
        count = format_count(len(ids.hidden), "session")
        status = "leaderboard session audit --status"
        say(f"without {count} that must be judged blind for an audit: {status}", err=True)
    return ids


def choose_session_ids(
    store: SessionStore, names: Sequence[str], given: Mapping[str, Any]
) -> list[str]:
    """Return the ids of the sessions that are named, or that the options select; sorted.

    Sessions that must still be judged blind are left out of a selection.

    Raises:
        UsageError: there are neither names nor options, or a name fits no session or several.
        InvalidRecordError: a session, an audit or a label log cannot be read.
    """
    if names:
        return sorted({find_session_id(store, name) for name in names})
    if not any(given.values()):
        raise click.UsageError("which sessions? Give ids, or options such as --tag or --source")
    chosen = without_waiting(store, build_selection(given))
    selected = (labeled.session.id for labeled in store if chosen.selects(labeled))
    return list(islice(selected, chosen.limit))


def make_prompts(
    data: DataFolder,
    chosen: SessionSelection,
    prepare: Callable[[LabeledSession], Item | str],
    none: str,
) -> list[Item]:
    """Return the prompts of the selected sessions; print why sessions are left out.

    Args:
        data: the data folder.
        chosen: the selection; sessions that must still be judged blind are left out.
        prepare: returns the prompt of a session, or as text why the session is left out.
        none: the end of the error "none of 3 selected sessions ...".

    Raises:
        UsageError: no session has a prompt.
    """
    store = SessionStore(data)
    selection = without_waiting(store, chosen)
    prepared: list[Item | str] = []
    for entry in select_sessions(store, selection):
        if isinstance(entry, Problem):
            say(f"left out: {entry}", err=True)
            continue
        prepared.append(prepare(entry))
        if len(prepared) == selection.limit:
            break
    left_out = Counter(reason for reason in prepared if isinstance(reason, str))
    for reason, number in sorted(left_out.items()):
        say(f"{number} left out: {reason}", err=True)
    items = [item for item in prepared if not isinstance(item, str)]
    if not items:
        raise click.UsageError(f"none of {len(prepared)} selected sessions {none}")
    return items


def add_change_options(agreed: str) -> Decorator:
    """Return the options of a command that changes sessions, as `choose_session_ids` takes them.

    Args:
        agreed: the help text of `--yes`.
    """
    return join_options(
        click.argument("sessions", nargs=-1),
        add_selection_options,
        click.option("--yes", "agreed", is_flag=True, help=agreed),
        json_option,
        data_option,
    )
