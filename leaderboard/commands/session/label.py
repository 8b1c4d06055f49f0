"""`leaderboard session label`: a person judges sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click
from pydantic import JsonValue

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.sessions.selection_options import STATUSES, check_pseudonym
from leaderboard.sessions.session_lookup import find_session_id
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.sessions.labels import LabelEvent, LabelName, find_last_own_event
from records.text.numbers import format_count
from review.audit.gate import ReviewGate, guard
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import list_turns


@click.command(
    "label",
    epilog=format_examples(
        "leaderboard session label 4p2bzjf5m6ur --status golden --ready",
        'leaderboard session label 4p2bzjf5m6ur --notes "answers another question"',
        "leaderboard session label 4p2bzjf5m6ur --undo",
    ),
)
@click.argument("sessions", nargs=-1, required=True)
@click.option("--status", type=click.Choice(STATUSES), help="The value of the session for evals.")
@click.option(
    "--ready/--not-ready", default=None, help="Whether the session is eval-ready, for exports."
)
@click.option("--notes", help="The reason, in words.")
@click.option(
    "--expected",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with the right last answer.",
)
@click.option("--turn", type=click.IntRange(min=1), help="Label only this turn; the first is 1.")
@click.option("--reason", default="", help="Kept with the change.")
@click.option("--reviewer", callback=check_pseudonym, help="A pseudonym of yours; never exported.")
@click.option(
    "--undo",
    is_flag=True,
    help="Take your latest change back; a change of somebody else needs a --reason.",
)
@click.option(
    "--of",
    callback=check_pseudonym,
    help="With --undo and --reason: the latest change of this reviewer.",
)
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    sessions: tuple[str, ...],
    status: str | None,
    ready: bool | None,
    notes: str | None,
    expected: Path | None,
    turn: int | None,
    reason: str,
    reviewer: str | None,
    undo: bool,
    of: str | None,
    data_root: Path,
    as_json: bool,
) -> int:
    """Judge SESSIONS, given by the beginnings of their ids, or by their names in an audit.

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
    if turn is not None and (undo or ready is not None):
        raise click.UsageError("--turn goes with --status, --notes and --expected")
    if of is not None and not undo:
        raise click.UsageError("--of goes with --undo")
    store = SessionStore(DataFolder(data_root))
    gate = guard(store)
    label_request = _AskedLabels(None if undo else labels, reviewer, reason, turn, of)
    session_ids = dict.fromkeys(find_session_id(store, name) for name in sessions)
    # All are checked before anything is written. A session that somebody else changes meanwhile
    # has another version, so that this command does not overwrite the change unseen.
    versions = {session: _check(gate, session, label_request) for session in session_ids}
    rows = [
        _change_labels(store, gate, session, label_request, version)
        for session, version in versions.items()
    ]
    say_result(rows, map(_format_line, rows), as_json=as_json)
    return 0


@dataclass(frozen=True, slots=True)
class _AskedLabels:
    """The change that the options describe."""

    labels: Mapping[LabelName, JsonValue] | None
    """The labels to set; null to take a change back."""
    reviewer: str | None
    reason: str
    turn: int | None
    of: str | None
    """The reviewer whose change is taken back; null for the reviewer's own."""


def _check(gate: ReviewGate, session_id: str, asked: _AskedLabels) -> str:
    """Check that the reviewer may make a change, and that its turn exists; return the version.

    Raises:
        GateError: the reviewer may not make the change.
        UsageError: there is no such turn, or no change to take back.
    """
    labeled, rights = gate.read(session_id, asked.reviewer, whole=asked.turn is not None)
    rights.check_change(asked.labels, asked.turn)
    if asked.of is not None:
        _find_last_change(labeled, asked.of)
    if asked.turn is not None and asked.turn > (count := len(list_turns(labeled.session))):
        raise click.UsageError(
            f"--turn {asked.turn}: {session_id} has {format_count(count, 'turn')}"
        )
    return labeled.version


def _change_labels(
    store: SessionStore, gate: ReviewGate, session_id: str, asked: _AskedLabels, version: str
) -> dict[str, object]:
    """Change the labels of a session; return the values to print.

    Raises:
        ChangedMeanwhileError: the session no longer has the ``version`` that was checked.
    """
    labeled, before = gate.read(session_id, asked.reviewer, whole=False)
    if asked.labels is None:
        done = store.undo(
            session_id,
            via="cli",
            reviewer=asked.reviewer,
            reason=asked.reason,
            event_id=None if asked.of is None else _find_last_change(labeled, asked.of).id,
            version=version,
        )
        hidden = gate.get_rights(done, asked.reviewer).is_blind
    else:
        done = store.label(
            session_id,
            asked.labels,
            via="cli",
            reviewer=asked.reviewer,
            reason=asked.reason,
            turn=asked.turn,
            version=version,
        )
        hidden = before.is_blind  # other labels could influence later judgements of the eval
    if hidden:
        own = None if asked.labels is None else asked.labels.get("evalStatus")
        return {"session": before.blind_name, "status": own, "ready": None}
    if asked.turn is not None:
        own = done.turns.get(asked.turn, {}).get("evalStatus")
        return {"session": session_id, "turn": asked.turn, "status": own, "ready": None}
    labelled = done.session
    return {
        "session": session_id,
        "status": labelled.eval_status.value,
        "ready": labelled.eval_ready,
    }


def _find_last_change(labeled: LabeledSession, reviewer: str) -> LabelEvent:
    """Return the latest change of a reviewer.

    Raises:
        UsageError: the reviewer made no change, or all are taken back.
    """
    event = find_last_own_event(labeled.events, reviewer)
    if event is None:
        raise click.UsageError(f"--of {reviewer}: no change of {labeled.session.id} is left")
    return event


def _format_line(row: Mapping[str, object]) -> str:
    if "turn" in row:
        return f"{row['session']} turn {row['turn']} {row['status'] or 'labelled'}"
    status = row["status"] or "is to be judged blind again"
    return f"{row['session']} {status}{' eval-ready' if row['ready'] else ''}"
