"""Makes the demonstration sessions of `docs/demo/`.

    python -m tests.programs.demo_sessions

Each of ten evals of the suite gives two sessions: its task with a right answer and its task with a
wrong answer, from the eval's own reference and calibrations. In three of them the wrong answer
comes first, the user objects with the reason of the calibration, and the right answer follows.
Reviewers `demo-1` and `demo-2` are invented. They label 17 sessions, and differ on two of them.

Times and identities are made of the contents, so that the same suite gives the same files.
"""

import hashlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from pydantic import JsonValue

from records.archives.archive import compute_list_digest
from records.checks.check_data import DEMO
from records.files.data_folder import DataFolder
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent, LabelName
from records.sessions.session import FromFile, Session, SessionMessage, SessionTotals
from records.shapes.attempt import Tokens
from records.suites.canary import LINE
from records.writer import write_atomically
from review.redaction import redact_text
from review.store import SessionStore
from review.turns import compute_transcript_digest
from runner.answers.reply import render_reply
from runner.evals.calibrations import Calibration
from runner.evals.discovery import Eval, discover
from tests.review.labelling import give_labels

ROOT: Final = Path(__file__).parents[2]
DEMO_FOLDER: Final = ROOT / "docs" / "demo"
EVALS: Final = 10
_BEGAN: Final = datetime(2026, 11, 2, 9, tzinfo=UTC)
_UNKNOWN: Final = Tokens(input=None, cached_input=None, output=None, reasoning=None)
_LONGEST: Final = 6000
"""Characters of a task with its answer."""
_CORRECTED: Final = (1, 4, 8)
"""Numbers of the evals whose right answer follows a wrong answer."""
_OPEN: Final = frozenset({(9, True), (8, False), (9, False)})
"""Evals whose right, or whose wrong, session gets no label."""

Labels = Mapping[LabelName, JsonValue]


@dataclass(frozen=True, slots=True)
class DemoSession:
    """A session, and its labels in order: each with its reviewer."""

    session: Session
    labels: Sequence[tuple[str, Labels]]


def make_demo_sessions() -> list[DemoSession]:
    """Return the sessions, two for each eval."""
    chosen = _choose_evals()
    return [
        made
        for number, evaluation in enumerate(chosen)
        for made in (
            _make_right_session(number, evaluation),
            _make_wrong_session(number, evaluation),
        )
    ]


def write_demo(folder: Path) -> None:
    """Write the sessions with their label logs into a data folder."""
    with tempfile.TemporaryDirectory() as scratch:
        store = SessionStore(DataFolder(Path(scratch)))
        for demo in make_demo_sessions():
            _write_session(store, demo, DataFolder(folder))


def _write_session(store: SessionStore, demo: DemoSession, target: DataFolder) -> None:
    """Label a session by the store's own rules, and write it with fixed times and ids."""
    identity = demo.session.id
    store.write(demo.session, published=True)
    for reviewer, labels in demo.labels:
        give_labels(
            store, identity, labels, via="desk", reviewer=reviewer, blind="evalStatus" in labels
        )
    events = read_log(LabelEvent, store.folder.get_label_file(identity))
    record = store.folder.sessions.get_file(identity).read_bytes()
    write_atomically(target.sessions.get_file(identity), record)
    if events:
        lines = "".join(f"{line}\n" for line in _fix_lines(demo.session, events))
        write_atomically(target.labels.get_file(identity), lines.encode())


def _fix_lines(session: Session, events: Sequence[LabelEvent]) -> Iterator[str]:
    """Yield the lines of a log, with times behind that of the session and ids made of them."""
    assert session.updated_at is not None
    ids: dict[str, str] = {}
    for number, event in enumerate(events):
        at = session.updated_at + timedelta(hours=1, minutes=number)
        ids[event.id] = _make_event_id(at, f"{session.id}/{number}")
        links = {
            name: ids[linked]
            for name in ("replaces", "undoes")
            if isinstance(linked := getattr(event, name), str) and linked in ids
        }
        fixed = event.model_copy(update={"at": at, "id": ids[event.id], **links})
        yield fixed.model_dump_json()


def _make_event_id(at: datetime, name: str) -> str:
    """Return a UUID of version 7 for this time whose random part is made of ``name``."""
    chance = int.from_bytes(hashlib.sha256(name.encode()).digest()[:10], "big")
    milliseconds = int(at.timestamp() * 1000)
    number = (milliseconds << 80) | (chance & ((1 << 80) - 1))
    number = number & ~(0xF << 76) | (0x7 << 76)
    number = number & ~(0x3 << 62) | (0x2 << 62)
    return str(UUID(int=number))


def _choose_evals() -> list[Eval]:
    """Return the shortest evals without texts that redaction changes."""
    suite = discover(ROOT / "evals")
    usable = [evaluation for evaluation in suite.evals if _is_plain(evaluation)]
    short = [evaluation for evaluation in usable if _compute_length(evaluation) <= _LONGEST]
    by_category: dict[str, list[Eval]] = {}
    for evaluation in sorted(short, key=_compute_length):
        by_category.setdefault(evaluation.category, []).append(evaluation)
    turns = [
        evaluations[index]
        for index in range(EVALS)
        for _, evaluations in sorted(by_category.items())
        if index < len(evaluations)
    ]
    return sorted(turns[:EVALS], key=lambda evaluation: evaluation.name)


def _compute_length(evaluation: Eval) -> int:
    return len(evaluation.task) + len(render_reply(evaluation.read_answer()))


def _is_plain(evaluation: Eval) -> bool:
    wrong = _find_wrong_answer(evaluation)
    if wrong is None:
        return False
    texts = (
        evaluation.task,
        render_reply(evaluation.read_answer()),
        render_reply(wrong.files),
        wrong.reason,
    )
    return all(redact_text(text) == text for text in texts)


def _find_wrong_answer(evaluation: Eval) -> Calibration | None:
    """Return the first wrong variant that fails at the tests; None where there is none."""
    variants = evaluation.load_calibrations()
    return next((v for v in variants if v.kind == "fail" and v.step == "tests"), None)


def _make_right_session(number: int, evaluation: Eval) -> DemoSession:
    right = render_reply(evaluation.read_answer())
    wrong = _find_wrong_answer(evaluation)
    assert wrong is not None
    texts = [("user", evaluation.task), ("assistant", right)]
    if number in _CORRECTED:
        objection = f"This is not right yet. {wrong.reason} Write all files again."
        before = [("user", evaluation.task), ("assistant", render_reply(wrong.files))]
        texts = [*before, ("user", objection), ("assistant", right)]
    session = _make_session(number, evaluation, "right", texts)
    return DemoSession(
        session, [*_make_tags(number, evaluation, right=True), *_make_right_labels(number)]
    )


def _make_wrong_session(number: int, evaluation: Eval) -> DemoSession:
    wrong = _find_wrong_answer(evaluation)
    assert wrong is not None
    texts = [("user", evaluation.task), ("assistant", render_reply(wrong.files))]
    session = _make_session(number, evaluation, "wrong", texts)
    labels = _make_wrong_labels(number, wrong.reason, render_reply(evaluation.read_answer()))
    return DemoSession(session, [*_make_tags(number, evaluation, right=False), *labels])


def _make_session(
    number: int, evaluation: Eval, variant: str, texts: Sequence[tuple[str, str]]
) -> Session:
    identity = f"{evaluation.name}/{variant}"
    name = hashlib.sha256(f"{DEMO}/{identity}".encode()).hexdigest()[:32]
    # Title, order, time and model do not show which of the two is right.
    first = int(name[0], 16) % 2
    began = _BEGAN + timedelta(days=number, hours=int(name[1], 16) % 8)
    model = f"demo/model-{'ab'[first]}"
    messages = tuple(
        SessionMessage.model_validate(
            {"role": role, "text": text, "model": model if role == "assistant" else None}
        )
        for role, text in texts
    )
    session = Session(
        schema_version=1,
        id=name,
        title=f"{evaluation.name}: {_get_first_sentence(evaluation.task)}",
        source=FromFile(
            kind="file",
            importer=DEMO,
            name="tests/programs/demo_sessions.py",
            digest=compute_list_digest(*(text for _, text in texts)),
            identity=name,
        ),
        model=model,
        project=f"demonstration; {LINE}",
        created_at=began,
        updated_at=began + timedelta(minutes=len(texts)),
        messages=messages,
        totals=SessionTotals(tokens=_UNKNOWN, cost_usd=None, duration_s=None),
    )
    # The session is published as it is: redaction had nothing to remove.
    return session.model_copy(update={"source_digest": compute_transcript_digest(session)})


def _get_first_sentence(task: str) -> str:
    return task.partition("\n")[0].partition(". ")[0][:60]


def _make_tags(number: int, evaluation: Eval, *, right: bool) -> list[tuple[str, Labels]]:
    if (number, right) in _OPEN:
        return []
    return [("demo-1", {"evalTags": [evaluation.category.partition("-")[2]]})]


def _make_right_labels(number: int) -> list[tuple[str, Labels]]:
    if number == 8:
        return [
            ("demo-1", {"evalStatus": "correct", "evalNotes": "Does all that the task asks."}),
            ("demo-2", {"evalStatus": "incorrect"}),
        ]
    if (number, True) in _OPEN:
        return []
    if number in {6, 7}:
        return [("demo-2", {"evalStatus": "correct"})]
    golden: list[tuple[str, Labels]] = [
        ("demo-1", {"evalStatus": "golden", "evalNotes": "Does all that the task asks."}),
        ("demo-1", {"evalReady": True}),
    ]
    return [*golden, ("demo-2", {"evalStatus": "golden"})] if number in {0, 1} else golden


def _make_wrong_labels(number: int, reason: str, expected: str) -> list[tuple[str, Labels]]:
    if number == 7:
        return [
            ("demo-1", {"evalStatus": "incorrect", "evalNotes": reason}),
            ("demo-2", {"evalStatus": "correct"}),
        ]
    if (number, False) in _OPEN:
        return []
    if number in {5, 6}:
        return [("demo-2", {"evalStatus": "incorrect", "evalNotes": reason})]
    labels: list[tuple[str, Labels]] = [
        ("demo-1", {"evalStatus": "incorrect", "evalNotes": reason, "expectedOutput": expected})
    ]
    return [*labels, ("demo-1", {"evalReady": True})] if number in {0, 1} else labels


def main() -> int:
    """Write the set anew; return the exit code."""
    for path in (DEMO_FOLDER / "sessions").glob("*.json*"):
        path.unlink()
    write_demo(DEMO_FOLDER)
    sys.stdout.write(f"{len(make_demo_sessions())} sessions in {DEMO_FOLDER.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
