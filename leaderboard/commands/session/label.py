"""`leaderboard session label`: what a person judges."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.session_options import STATUSES, pseudonym
from leaderboard.sessions import found, waits_blind
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from review.store import SessionStore

if TYPE_CHECKING:
    from pydantic import JsonValue

    from records.labels import LabelName


@click.command(
    "label",
    epilog=examples(
        "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
        'leaderboard session label 4p2bzjf5m6ur --notes "answers another question"',
        "leaderboard session label 4p2bzjf5m6ur --undo",
    ),
)
@click.argument("sessions", nargs=-1, required=True)
@click.option("--status", type=click.Choice(STATUSES), help="What it is worth for evals.")
@click.option(
    "--ready/--not-ready", default=None, help="Whether it is eval-ready: exports take these."
)
@click.option("--notes", help="Why, in words.")
@click.option(
    "--expected",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with what the last answer should have been.",
)
@click.option("--reason", default="", help="Kept with the change.")
@click.option("--reviewer", callback=pseudonym, help="A pseudonym of yours; never exported.")
@click.option("--undo", is_flag=True, help="Take the latest change back.")
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    sessions: tuple[str, ...],
    status: str | None,
    ready: bool | None,
    notes: str | None,
    expected: Path | None,
    reason: str,
    reviewer: str | None,
    undo: bool,
    data_root: Path,
    as_json: bool,
) -> int:
    """Judge SESSIONS, given by the beginnings of their ids, or as an audit calls them.

    golden: perfect, usable as ground truth. correct: acceptable. incorrect: wrong or harmful.
    needs_review: not judged. Every change is kept in the session's label log.
    """
    changes: dict[LabelName, JsonValue] = {
        "evalStatus": status,
        "evalReady": ready,
        "evalNotes": notes,
        "expectedOutput": None if expected is None else expected.read_text("utf-8"),
    }
    labels: dict[LabelName, JsonValue] = {
        name: value for name, value in changes.items() if value is not None
    }
    if undo is bool(labels):
        raise click.UsageError(
            "what changes? Give --status, --ready, --notes, --expected or --undo"
        )
    store = SessionStore(DataFolder(data_root))
    named = [(one, found(store, one), waits_blind(store, one, reviewer)) for one in sessions]
    for name in [name for name, _, blind in named if blind and status is None]:
        raise click.UsageError(
            f"{name} is to be judged blind: give --status first, and your --reviewer if you have "
            "judged it"
        )
    rows: list[dict[str, object]] = []
    for name, session_id, blind in named:
        if undo:
            done = store.undo(session_id, via="cli", reviewer=reviewer)
        else:
            done = store.label(
                session_id, labels, via="cli", reviewer=reviewer, reason=reason, blind=blind
            )
        if blind:  # what others said of it would sway the next judgement of the same eval
            rows.append({"session": name, "status": status, "ready": None})
        else:
            labelled = done.session
            row = {"status": labelled.eval_status.value, "ready": labelled.eval_ready}
            rows.append({"session": session_id, **row})
    if as_json:
        say_json(rows)
        return 0
    for row in rows:
        say(f"{row['session']} {row['status']}{' eval-ready' if row['ready'] else ''}")
    return 0
