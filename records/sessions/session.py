"""Shape of a session: a recorded conversation and its labels."""

from collections.abc import Container, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from records.shapes.attempt import Tokens
from records.shapes.base import (
    Count,
    Digest,
    Dollars,
    EvalName,
    Moment,
    Name,
    OutsideText,
    Positive,
    Record,
    RunId,
    Seconds,
    SessionId,
)

LABELS = (
    *("eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"),
    "reviewed_at",
)
"""The fields of a session that are labels, with the date that belongs to the status."""


def _name_in_files(field: str) -> str:
    """Return the name of a field in files; labels have the names that exports have."""
    return to_camel(field) if field in LABELS else field


ALIASED = ConfigDict(
    alias_generator=_name_in_files,
    validate_by_name=True,
    validate_by_alias=True,
    serialize_by_alias=True,
)


class EvalStatus(StrEnum):
    """The value of a session for evals."""

    GOLDEN = "golden"
    """Perfect, and usable as ground truth."""
    CORRECT = "correct"
    """Acceptable."""
    INCORRECT = "incorrect"
    """Wrong or harmful."""
    NEEDS_REVIEW = "needs_review"
    """Not judged yet."""


class ToolCall(Record):
    """A call of a tool by the assistant."""

    id: str
    """Id of the call; the tool message with the same tool_call_id answers the call."""
    name: str
    """The tool's name."""
    arguments: OutsideText
    """A JSON text, as the assistant wrote it."""


class SessionMessage(Record):
    """A message of a session."""

    role: Literal["system", "user", "assistant", "tool", "program"]
    """The author of the message; `program` is the program that recorded the session."""
    text: OutsideText
    """The text; empty if the assistant only called tools."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls of tools in an assistant message."""
    tool_call_id: str | None = None
    """The call that a tool message answers."""
    at: Moment | None = None
    """When the message was sent."""
    model: str | None = None
    """The model that wrote an assistant message; null if it was not recorded."""
    tokens: Tokens | None = None
    """Tokens of an assistant message."""
    cost_usd: Dollars | None = None
    """Cost of an assistant message, in US dollars."""
    duration_s: Seconds | None = None
    """Duration of an assistant message, in seconds."""
    repeated: bool = False
    """True if the message repeats a message of the session from which this session was forked."""


class FromAttempt(Record):
    """The source of a session that is an attempt of a run."""

    kind: Literal["attempt"]
    """Always attempt."""
    run_id: RunId
    """The run."""
    eval: EvalName
    """The eval of the attempt."""
    sample: Positive
    """Number of the sample of the eval."""


class FromFile(Record):
    """The source of a session that was imported from a file of another program."""

    kind: Literal["file"]
    """Always file."""
    importer: str
    """The importer that read the file, such as claude_code or codex."""
    name: str
    """The file's name, without its folder."""
    digest: Digest
    """The digest of the file's bytes."""
    part: OutsideText | None = None
    """The file's name for its part that is the session; null if it has no such name."""
    epoch: Positive | None = None
    """Number of the repetition of the part; null if the file has no repetitions."""
    identity: OutsideText | None = None
    """The name that the source gives to the session; null if it gives none."""
    forked_from: OutsideText | None = None
    """The name of the session whose beginning this session repeats; null if it repeats none."""


class SessionTotals(Record):
    """Sums over the messages of a session; each sum has only the known values."""

    tokens: Tokens
    """Tokens of all assistant messages."""
    cost_usd: Dollars | None
    """Cost in US dollars; null if no cost is known."""
    duration_s: Seconds | None
    """Duration of all assistant messages in seconds; null if none is known."""


class Session(Record):
    """A conversation and its labels, which have the same names in all exports.

    The record has the labels that came with the conversation, from its file or its grader. Later
    labels are in the label log.
    """

    model_config = ALIASED

    schema_version: Literal[1]
    """Version of this shape."""
    id: SessionId
    """Id of the session, and its file name."""
    former_ids: tuple[SessionId, ...] = ()
    """Earlier ids of the session, which earlier exports have."""
    source_digest: Digest | None = None
    """For a redacted copy: the digest of the original transcript. Null for other sessions."""
    title: OutsideText
    """A title for readers: the first request, or the attempt's eval."""
    source: Annotated[FromAttempt | FromFile, Field(discriminator="kind")]
    """The source of the session."""
    model: str | None
    """The model that answered; null if it was not recorded."""
    project: str | None
    """The project of the work; null if it was not recorded."""
    created_at: Moment | None
    """When the conversation began."""
    updated_at: Moment | None
    """When its last message was sent."""
    messages: tuple[SessionMessage, ...]
    """The messages, in their order."""
    totals: SessionTotals
    """Sums over the messages."""
    left_out: Mapping[Name, Count] = {}
    """Numbers of parts of the source that were not kept, by kind, such as image or reasoning."""
    eval_ready: bool = False
    """Whether the session is marked for export."""
    eval_status: EvalStatus = EvalStatus.NEEDS_REVIEW
    """The judgement of a person, or of a grader if no person has judged yet."""
    eval_notes: OutsideText = ""
    """The reasons for the judgement, in words."""
    eval_tags: tuple[OutsideText, ...] = ()
    """Free words, by which sessions can be selected."""
    expected_output: OutsideText | None = None
    """The expected last answer; null if nobody gave it."""
    reviewed_at: Moment | None = None
    """When a person last changed the status; null if no person did."""


def is_raw(session: Session, local_runs: Container[str]) -> bool:
    """Return whether a record is private: no redacted copy, and no attempt of a published run.

    Args:
        session: the record.
        local_runs: ids of the runs that are not published.
    """
    if session.source_digest is not None:
        return False
    return isinstance(session.source, FromFile) or session.source.run_id in local_runs


def encode_session(session: Session) -> bytes:
    """Return a session as indented JSON, without labels that have their default value."""
    fields = type(session).model_fields
    unset = {name for name in LABELS if getattr(session, name) == fields[name].default}
    return session.model_dump_json(indent=2, exclude=unset).encode() + b"\n"
