"""Formats of exports by name, the rows of an export, and its file, with few rows in memory."""

import io
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, Literal, NamedTuple

from records.errors import InvalidRecordError
from records.sessions.session import Session
from records.text.numbers import format_count
from review.datasets import VersionedSession
from review.errors import FilterError, MissingPackageError
from review.exports import row_builders
from review.exports.prepared import (
    NO_REQUEST,
    ExportedSession,
    ExportOptions,
    Row,
    explain_unusable,
    prepare_session,
)
from review.labeled_session import LabeledSession
from review.redaction import list_session_texts, redact_text
from review.secret_rules.entropy import find_random_strings
from review.turns import Turn

REPEATED = "the turn repeats one of another session, from which it was forked"
EARLIER = "an expected output of an earlier turn, where only the judged turn is a row"


class TurnRows(NamedTuple):
    """The functions of a format whose rows are turns: one request and one answer."""

    row: Callable[[ExportedSession, Turn], Row]
    reason: Callable[[Turn], str | None] = explain_unusable
    """Returns why a turn is not a row; None if it is a row."""
    context: Literal["chat", "texts"] = "chat"
    """The form of the messages before a request: a checked chat, or only texts."""


class SessionRows(NamedTuple):
    """The functions of a format whose rows are whole sessions."""

    row: Callable[[ExportedSession], Row]
    reason: Callable[[ExportedSession], str | None] = lambda _: None
    """Returns why a session is not a row; None if it is a row."""
    is_chat: bool = False
    """True if the row has the checked conversation that consumers of chats need."""
    expects: bool = True
    """True if rows have expected outputs, so that a session without a row loses its own. False for
    formats of scores."""


def _explain_lost_outputs(session: ExportedSession) -> Iterator[str]:
    """Yield a reason for each expected output whose turn is missing or repeats another session."""
    numbers = {turn.number for turn in session.turns}
    requests = sum(message.role == "user" for message in session.session.messages)
    for number, labels in sorted(session.own.items()):
        if number in numbers or not labels.get("expectedOutput"):
            continue
        if number <= requests:
            yield f"turn {number}: it repeats a turn of the session from which this one was forked"
        else:
            yield f"turn {number}: the session has {format_count(requests, 'turn')}"


Exportable = LabeledSession | VersionedSession | InvalidRecordError
"""A session with labels of its turns, or the problem because of which it cannot be exported."""

DEEPEVAL = ("[DEEPEVAL:",)
"""DeepEval opens the path after this marker as a picture or a PDF."""


class ExportFormat(NamedTuple):
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
        return _LAYOUTS[self.layout][0]

    @property
    def media_type(self) -> str:
        """The media type of such files in HTTP."""
        return _LAYOUTS[self.layout][1]


_LAYOUTS = {
    "array": (".json", "application/json; charset=utf-8"),
    "lines": (".jsonl", "application/jsonl; charset=utf-8"),
    "text": (".md", "text/markdown; charset=utf-8"),
    "parquet": (".parquet", "application/vnd.apache.parquet"),
}
"""The ending of names and the media type of files, by layout."""


FORMATS: Mapping[str, ExportFormat] = {
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


MOST_LISTED = 50
_LONGEST_REMEMBERED = 50_000
"""Characters of a prompt; a longer prompt is not cached."""


@dataclass(slots=True)
class Lookalikes:
    """Strings that look like secrets, each counted once in a session."""

    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The id of the session and the string, for the first `MOST_LISTED` strings."""

    def add(self, session: ExportedSession, *, redact: bool = False) -> None:
        """Add the strings of a session.

        Args:
            session: the session.
            redact: whether to redact its texts first; false if they are redacted already.
        """
        messages = session.session.messages
        prompts = {message.text for message in messages if message.role in {"system", "user"}}
        labels = (value for own in session.own.values() for value in own.values())
        texts = (value for value in labels if isinstance(value, str))
        strings: dict[str, None] = {}
        for text in (*list_session_texts(session.session), *texts):
            # Only prompts are cached, because they are repeated and answers are not.
            is_cached = text in prompts and len(text) <= _LONGEST_REMEMBERED
            likely = _find_cached(text) if is_cached else find_random_strings(text)
            if likely and redact:
                likely = find_random_strings(redact_text(text))
            strings |= dict.fromkeys(likely)
        self.count += len(strings)
        room = MOST_LISTED - len(self.first)
        self.first += [(session.session.id, string) for string in [*strings][:room]]

    def take_in(self, other: "Lookalikes") -> None:
        """Add the strings of later sessions."""
        self.count += other.count
        self.first += other.first[: MOST_LISTED - len(self.first)]


_find_cached = lru_cache(256)(find_random_strings)
"""`find_random_strings` for prompts, which the sessions of a run repeat."""


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
    problems: list[InvalidRecordError] = field(default_factory=list[InvalidRecordError])
    """Sessions that cannot be read, or that differ from those of a version of a dataset."""
    lookalikes: Lookalikes = field(default_factory=Lookalikes)
    """Strings in the rows that look like secrets."""

    def take_in(self, other: "ExportCounts") -> None:
        """Add the counts of later sessions."""
        self.sessions += other.sessions
        self.rows += other.rows
        self.skipped += other.skipped
        self.cut += other.cut
        self.lost |= other.lost
        self.problems += other.problems
        self.lookalikes.take_in(other.lookalikes)

    def describe_lost(self) -> str:
        """Return in which sessions expected outputs are lost, for a refusal."""
        return f"an expected output reaches no row: {', '.join(self.lost)}"

    @property
    def is_whole(self) -> bool:
        """True if all sessions could be read and all expected outputs are in rows."""
        return not self.lost and not self.problems


def choose_all_rows(
    sources: Iterable[Exportable],
    form: ExportFormat,
    options: ExportOptions,
    counts: ExportCounts,
    repeated: Mapping[str, Collection[int]] | None = None,
) -> Iterator[tuple[Session, ExportedSession, Sequence[Turn], bool]]:
    """Yield each session that can be read, its prepared form, and the parts that become rows.

    These are turns, or the whole session if the last value is true. All are counted, but not their
    rows. It ends when the rows reach the limit. Arguments are as of `make_rows`.
    """
    for source in sources:
        if counts.rows == options.limit:
            return
        if isinstance(source, InvalidRecordError):
            counts.problems.append(source)
            continue
        session = prepare_session(source, options)
        record = source.session
        counts.sessions += 1
        if isinstance(form.rows, TurnRows):
            numbers = (repeated or {}).get(record.id, ())
            yield record, session, _choose_turns(session, form.rows, numbers, counts), False
        else:
            reason = form.rows.reason(session)
            expected = [labels.get("expectedOutput") for labels in session.own.values()]
            if reason is not None:
                counts.skipped[reason] += 1
                if form.rows.expects and any((session.session.expected_output, *expected)):
                    counts.lost[record.id] = [reason]
            if form.rows.is_chat and not isinstance(session.chat, str):
                counts.cut.update(session.chat.cut)
            yield record, session, (), reason is None


def _choose_turns(
    session: ExportedSession, rows: TurnRows, repeated: Collection[int], counts: ExportCounts
) -> Sequence[Turn]:
    """Return the turns that become rows; add the losses to ``counts``.

    Args:
        session: the session.
        rows: the functions of the format.
        repeated: numbers of turns that are rows of another session in the export.
        counts: the counts of the export.
    """
    usable: list[Turn] = []
    lost: list[str] = []
    for turn in session.turns:
        if session.options.parts == "last" and not turn.is_judged:
            counts.skipped.update([EARLIER] if turn.expected else [])
            continue
        reason = rows.reason(turn)
        if reason is None and turn.number in repeated:
            reason = REPEATED
        elif reason is not None and turn.expected:
            lost.append(f"turn {turn.number}: {reason}")
        if reason is None:
            usable.append(turn)
        else:
            counts.skipped[reason] += 1
    if not session.turns:
        counts.skipped[NO_REQUEST] += 1
        lost += [NO_REQUEST] if session.session.expected_output else []
    lost += _explain_lost_outputs(session)
    if lost:
        counts.lost[session.session.id] = lost
    if rows.context == "chat" and usable:
        counts.cut.update(session.context.cut)
    return usable


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
    for _, session, turns, is_row in choose_all_rows(sessions, form, options, counts, repeated):
        if is_row or turns:
            counts.lookalikes.add(session)
        rows: Iterable[Row] = ()
        if isinstance(form.rows, TurnRows):
            rows = map(partial(form.rows.row, session), turns)
        elif is_row:
            rows = [form.rows.row(session)]
        for row in rows:
            if counts.rows == options.limit:
                return
            counts.rows += 1
            yield row


_UNSEEN = "\u200b"
ROWS_AT_ONCE = 100
"""The most rows of a row group."""
LETTERS_AT_ONCE = 8_000_000
"""Characters of messages at which a row group ends, to limit memory."""


def _encode_parquet(arrow: Any, parquet: Any, rows: Iterable[Row]) -> Iterator[bytes]:  # noqa: ANN401
    schema, passing_file = _build_schema(arrow), _PassingFile()
    with parquet.ParquetWriter(passing_file, schema) as writer:
        for group in _group_rows(rows):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
            yield passing_file.take()
    yield passing_file.take()


def _group_rows(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    letters = 0
    for row in rows:
        group.append(dict(row))
        letters += sum(len(message["content"]) for message in row["messages"])
        if len(group) == ROWS_AT_ONCE or letters >= LETTERS_AT_ONCE:
            yield group
            group, letters = [], 0
    if group:
        yield group


class _PassingFile(io.RawIOBase):
    """A file from which the written bytes are taken; Parquet never goes back in a file."""

    def __init__(self) -> None:
        super().__init__()
        self._pieces: list[bytes] = []
        self._length = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        piece = bytes(data)
        self._pieces.append(piece)
        self._length += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._length

    def take(self) -> bytes:
        """Return and forget the bytes written since the last call."""
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


def _build_schema(arrow: Any) -> Any:  # noqa: ANN401 - a package without types
    text = arrow.string()
    message = arrow.struct(
        [(name, text) for name in ("role", "content", "tool_calls", "tool_call_id")]
    )
    label = arrow.struct(
        [("turn", arrow.int64()), ("status", text), ("notes", text), ("expected_output", text)]
    )
    kinds = {
        "messages": arrow.list_(message),
        "ready": arrow.bool_(),
        "tags": arrow.list_(text),
        "turn_labels": arrow.list_(label),
    }
    names = (
        *("id", "title", "model", "created_at", "messages", "ready", "status", "tags", "notes"),
        *("expected_output", "reviewed_at", "turn_labels"),
    )
    return arrow.schema([(name, kinds.get(name, text)) for name in names])


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
        text = str(row["text"]) if form.layout == "text" else json.dumps(row, ensure_ascii=False)
        if form.layout != "text":
            # Some JSONL readers end a line at U+2028, U+2029 and U+0085, so these are escaped.
            for unseen in "\u2028\u2029\x85":
                text = text.replace(unseen, f"\\u{ord(unseen):04x}")
            for marker in form.markers:  # a space of no width before the last character
                text = text.replace(marker, f"{marker[:-1]}{_UNSEEN}{marker[-1:]}")
        yield (between if count else "") + text
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
        try:
            # pyarrow is in an extra, takes half a second to import, and has no types.
            arrow: Any = import_module("pyarrow")
            parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            raise MissingPackageError from error
        return _encode_parquet(arrow, parquet, rows)
    return (piece.encode() for piece in format_rows(rows, form))
