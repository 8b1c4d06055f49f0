"""`leaderboard session publish`: redacted copies in data/sessions are written, or removed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click

from leaderboard.options import format_examples
from leaderboard.sessions.session_lookup import ChosenSessions, changes_sessions
from leaderboard.terminal.streams import say, say_result
from records.reader import read_session
from records.sessions.session import is_raw
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review.publishing import (
    Publication,
    find_publication,
    make_copy,
    publish,
    unpublish,
)
from review.redacted_copies import RedactedCopy
from review.store import SessionStore

_SHOWN: Final = 20
"""The most strings of a session that look like secrets which are listed."""


@click.command(
    "publish",
    epilog=format_examples(
        "leaderboard session publish 9f2c --yes",
        "leaderboard session publish --tag auth --status golden",
        "leaderboard session publish --undo --source chat --yes",
    ),
)
@click.option("--undo", is_flag=True, help="Remove the published copies.")
@changes_sessions("Do it without asking.")
def command(*, chosen: ChosenSessions, undo: bool = False) -> int:
    """Write redacted copies of SESSIONS to data/sessions, given by the beginnings of their ids.

    Before this, the numbers of removed texts are printed by kind, and the strings that look like
    secrets and stay. Ids, labels and pseudonyms of reviewers stay. Copies that are committed and
    pushed cannot be called back. A changed session is copied again.

    With --undo labels become local. If the raw session is missing, the copy becomes local, too.
    Git's history keeps committed copies.
    """
    if undo:
        return _unpublish(chosen)
    due = replace(chosen, ids=_select_due(chosen.store, chosen.ids))
    if not due.as_json:
        _show([make_copy(due.store, session_id) for session_id in due.ids])
    copies = due.change(f"Publish {format_count(len(due.ids), 'session')}?", publish)
    files = [due.store.folder.get_published_session_file(copy.session.id) for copy in copies]
    count = f"{format_count(len(copies), 'session')} published"
    say_result([_build_row(copy) for copy in copies], [*files, count], as_json=due.as_json)
    return 0


def _unpublish(chosen: ChosenSessions) -> int:
    store = chosen.store
    ids = [
        session_id
        for session_id in chosen.ids
        if find_publication(store.folder, store.read(session_id).session) is not Publication.LOCAL
    ]
    published = replace(chosen, ids=ids)
    copies = format_count(len(published.ids), "published copy", "published copies")
    published.change(f"Remove {copies}?", unpublish)
    lines = [*published.ids, f"{format_count(len(published.ids), 'session')} unpublished"]
    if published.ids:
        lines.append("the history of git keeps committed copies")
    say_result({"unpublished": [*published.ids]}, lines, as_json=chosen.as_json)
    return 0


def _select_due(store: SessionStore, session_ids: Sequence[str]) -> list[str]:
    """Return the sessions without an up-to-date copy.

    Raises:
        UsageError: a session in the folder of published copies is not redacted.
    """
    folder = store.folder
    local_runs = {path.stem for path in folder.local.list_run_files()}
    for session_id in session_ids:
        copy = folder.get_published_session_file(session_id)
        if copy.exists() and is_raw(read_session(copy), local_runs):
            raise click.UsageError(
                f"{session_id} lies in {copy.parent} unredacted: run `leaderboard session publish "
                f"--undo {session_id}` first"
            )
    due = [
        session_id
        for session_id in session_ids
        if find_publication(folder, store.read(session_id).session) is not Publication.PUBLISHED
    ]
    if len(due) < len(session_ids):
        count = format_count(len(session_ids) - len(due), "session")
        say(f"published already, and left as they are: {count}", err=True)
    return due


def _show(copies: list[RedactedCopy]) -> None:
    removed_counts: Counter[str] = Counter()
    for copy in copies:
        removed_counts.update(copy.taken_out)
        say(make_one_line(f"{copy.session.id}  {copy.session.title}", 160))
        for text in copy.looks_secret[:_SHOWN]:
            say(make_one_line(f"  looks like a secret, and stays: {text}", 160))
        if len(copy.looks_secret) > _SHOWN:
            say(f"  and {len(copy.looks_secret) - _SHOWN} more such strings")
    for kind, count in removed_counts.most_common():
        say(f"taken out: {count} x {kind}")
    if copies and not removed_counts:
        say("taken out: nothing")
    secret_count = sum(len(copy.looks_secret) for copy in copies)
    say(
        f"strings that look like secrets, and stay: {secret_count}"
        if secret_count
        else "no string looks secret"
    )


def _build_row(copy: RedactedCopy) -> dict[str, object]:
    return {
        "session": copy.session.id,
        "taken_out": dict(copy.taken_out),
        "looks_secret": copy.looks_secret,
    }
