"""Formats of exports by name, and the rows and text of an export, with one row in memory."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from records.sessions.session import Session
from review.errors import FilterError
from review.exports import row_builders
from review.exports.choice import SessionChoice, SessionRows, TurnRows, choose_rows
from review.exports.lookalikes import Lookalikes
from review.exports.parquet import encode_parquet
from review.exports.prepared import ExportedSession, WithTurnLabels, prepare_session
from review.exports.rows import ExportOptions, Row
from review.store import SessionProblem

Exportable = Session | WithTurnLabels | SessionProblem
"""A session, with or without labels of its turns, or the problem because of which it has none."""
_UNSEEN: Final = "\u200b"

DEEPEVAL: Final = ("[DEEPEVAL:",)
"""DeepEval opens the path after this marker as a picture or a PDF."""


def break_markers(text: str, markers: tuple[str, ...]) -> str:
    """Return ``text`` with a space of no width before the last character of each marker."""
    for marker in markers:
        text = text.replace(marker, f"{marker[:-1]}{_UNSEEN}{marker[-1:]}")
    return text


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format of files that another program loads."""

    summary: str
    layout: Literal["array", "lines", "text", "parquet"]
    """A JSON array, JSON on each line, plain text, or Parquet."""
    rows: TurnRows | SessionRows
    markers: tuple[str, ...] = ()
    """Markers on which the program would act; they are broken in all texts."""

    @property
    def suffix(self) -> str:
        """The ending of the names of such files."""
        suffixes = {"array": ".json", "lines": ".jsonl", "text": ".md", "parquet": ".parquet"}
        return suffixes[self.layout]

    @property
    def media_type(self) -> str:
        """The media type of such files in HTTP."""
        return {
            "array": "application/json; charset=utf-8",
            "lines": "application/jsonl; charset=utf-8",
            "text": "text/markdown; charset=utf-8",
            "parquet": "application/vnd.apache.parquet",
        }[self.layout]


FORMATS: Final[Mapping[str, ExportFormat]] = {
    "deepeval": ExportFormat(
        "DeepEval test cases, one a turn",
        "array",
        TurnRows(row_builders.build_test_case, context="texts"),
        DEEPEVAL,
    ),
    "deepeval-goldens": ExportFormat(
        "DeepEval multi-turn goldens",
        "array",
        SessionRows(row_builders.build_golden, row_builders.explain_missing_golden),
        DEEPEVAL,
    ),
    "openai": ExportFormat(
        "chat JSONL, for fine-tuning tools too",
        "lines",
        SessionRows(row_builders.build_chat, row_builders.explain_missing_chat, is_chat=True),
    ),
    "openai-evals": ExportFormat(
        "samples of openai/evals",
        "lines",
        TurnRows(row_builders.build_openai_sample, row_builders.explain_missing_openai_sample),
    ),
    "text": ExportFormat("plain text for people", "text", SessionRows(row_builders.build_text)),
    "inspect": ExportFormat(
        "Inspect dataset", "lines", TurnRows(row_builders.build_inspect_sample)
    ),
    "inspect-scores": ExportFormat(
        "labels as Inspect scores",
        "lines",
        SessionRows(row_builders.build_score, row_builders.explain_missing_score, expects=False),
    ),
    "promptfoo": ExportFormat(
        "promptfoo tests", "array", TurnRows(row_builders.build_promptfoo_test)
    ),
    "huggingface": ExportFormat(
        "rows for Hugging Face datasets", "lines", SessionRows(row_builders.build_text_row)
    ),
    "parquet": ExportFormat(
        "the same rows in Parquet", "parquet", SessionRows(row_builders.build_dataset_row)
    ),
    "braintrust": ExportFormat(
        "Braintrust dataset rows", "lines", TurnRows(row_builders.build_braintrust_row)
    ),
    "langsmith": ExportFormat(
        "LangSmith examples", "lines", TurnRows(row_builders.build_langsmith_row)
    ),
    "langfuse": ExportFormat(
        "Langfuse dataset items", "lines", TurnRows(row_builders.build_langfuse_row)
    ),
}


def format_named(name: str) -> ExportFormat:
    """Return the format with this name.

    Raises:
        FilterError: there is no such format; the message has the names.
    """
    form = FORMATS.get(name)
    if form is None:
        raise FilterError(f"format: {name!r} is none of {', '.join(FORMATS)}")
    return form


@dataclass(slots=True)
class ExportCounts:
    """Counts of an export so far."""

    sessions: int = 0
    rows: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Numbers of turns and sessions that are not rows, by reason."""
    cut: Counter[str] = field(default_factory=Counter[str])
    """Numbers of messages and calls that were removed from conversations, by reason."""
    lost: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Reasons why expected outputs are in no row, by session."""
    problems: list[SessionProblem] = field(default_factory=list[SessionProblem])
    """Sessions that cannot be read, or that differ from those of a version of a dataset."""
    lookalikes: Lookalikes = field(default_factory=Lookalikes)
    """Strings in the rows that look like secrets."""

    def add(self, session: ExportedSession, choice: SessionChoice) -> None:
        """Count a session, but not its rows, which are counted when they are made."""
        self.sessions += 1
        self.skipped.update(choice.left_out)
        self.cut.update(choice.cut)
        if choice.lost:
            self.lost[session.session.id] = list(choice.lost)

    def take_in(self, other: "ExportCounts") -> None:
        """Add the counts of later sessions."""
        self.sessions += other.sessions
        self.rows += other.rows
        self.skipped += other.skipped
        self.cut += other.cut
        self.lost |= other.lost
        self.problems += other.problems
        self.lookalikes.take_in(other.lookalikes)

    @property
    def is_whole(self) -> bool:
        """True if all sessions could be read and all expected outputs are in rows."""
        return not self.lost and not self.problems


def format_rows(rows: Iterable[Row], form: ExportFormat) -> Iterator[str]:
    """Yield the text of rows in pieces; the same rows give the same text.

    For Parquet, which is not text, the rows are JSON lines for people to read. `encode_rows` yields
    the file.
    """
    before, between, after = {
        "array": ("[\n", ",\n", "\n]\n"),
        "text": ("", "\n\n", "\n"),
    }.get(form.layout, ("", "\n", "\n"))
    yield before
    count = 0
    for row in rows:
        yield (between if count else "") + _format_row(row, form)
        count += 1
    if count or form.layout == "array":
        yield after


def encode_rows(rows: Iterable[Row], form: ExportFormat) -> Iterator[bytes]:
    """Return the bytes of a file of rows, in pieces.

    Raises:
        MissingPackageError: the format needs a package that is not installed. This is raised before
            the first piece.
    """
    if form.layout == "parquet":
        return encode_parquet(rows)
    return (piece.encode() for piece in format_rows(rows, form))


def make_rows(
    sessions: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[Row]:
    """Yield the rows of an export, each made when it is requested.

    The same sessions and options give the same rows.

    Args:
        sessions: the sessions in order, and the problems of unreadable sessions.
        form: the format.
        options: the options of the export.
        counts: the counts so far, to which these rows are added; the limit applies to their sum.
        repeated: numbers of turns that are rows of another session, by session.
    """
    for source in sessions:
        if counts.rows == options.limit:
            return
        if isinstance(source, SessionProblem):
            counts.problems.append(source)
            continue
        session = prepare_session(source, options)
        choice = choose_rows(session, form.rows, (repeated or {}).get(session.session.id, ()))
        counts.add(session, choice)
        if choice.is_row or choice.turns:
            counts.lookalikes.add(session)
        for row in _make_session_rows(session, form, choice):
            if counts.rows == options.limit:
                return
            counts.rows += 1
            yield row


def _make_session_rows(
    session: ExportedSession, form: ExportFormat, choice: SessionChoice
) -> Iterator[Row]:
    if isinstance(form.rows, TurnRows):
        for turn in choice.turns:
            yield form.rows.row(session, turn)
    elif choice.is_row:
        yield form.rows.row(session)


def _format_row(row: Row, form: ExportFormat) -> str:
    if form.layout == "text":
        return str(row["text"])
    # Some JSONL readers end a line at U+2028, U+2029 and U+0085, so these are escaped.
    text = json.dumps(row, ensure_ascii=False)
    for unseen, escape in (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\x85", "\\u0085")):
        text = text.replace(unseen, escape)
    return break_markers(text, form.markers)
