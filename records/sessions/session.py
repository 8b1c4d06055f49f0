"""A recorded conversation, with a person's judgement."""

from collections.abc import Container, Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from records.shapes.attempt import Tokens
from records.shapes.base import (
    Count,
    Digest,
    Dollars,
    EvalName,
    Moment,
    Name,
    OutsideText,
    Record,
    RunId,
    Seconds,
    SessionId,
)


class EvalStatus(StrEnum):
    """The value of a session for evals."""

    GOLDEN = "golden"
    """Perfect: usable as ground truth."""
    CORRECT = "correct"
    """Acceptable."""
    INCORRECT = "incorrect"
    """Wrong or harmful."""
    NEEDS_REVIEW = "needs_review"
    """Not judged yet."""


class ToolCall(Record):
    """One call of a tool that the assistant asked for."""

    id: str
    """Answered by the tool message with the same tool_call_id."""
    name: str
    """The tool's name."""
    arguments: OutsideText
    """A JSON text, as the assistant wrote it."""


class SessionMessage(Record):
    """One message of a session."""

    role: Literal["system", "user", "assistant", "tool", "program"]
    """Who speaks; program is the tool that recorded the session, speaking for itself."""
    text: OutsideText
    """The text; empty where an assistant only called tools."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that an assistant message asks for."""
    tool_call_id: str | None = None
    """The call that a tool message answers."""
    at: Moment | None = None
    """When it was sent."""
    model: str | None = None
    """Which model wrote an assistant message, where it was recorded."""
    tokens: Tokens | None = None
    """Usage of an assistant message."""
    cost_usd: Dollars | None = None
    """Cost of an assistant message, in US dollars."""
    duration_s: Seconds | None = None
    """How long an assistant message took, in seconds."""
    repeated: bool = False
    """True where it repeats a message of the session that this session was forked from."""


class FromAttempt(Record):
    """The session is an attempt of a run."""

    kind: Literal["attempt"]
    """Always attempt."""
    run_id: RunId
    """The run."""
    eval: EvalName
    """The eval attempted."""
    sample: Annotated[int, Field(ge=1)]
    """Which sample of it."""


class FromFile(Record):
    """The session was imported from a file of another program."""

    kind: Literal["file"]
    """Always file."""
    importer: str
    """Which importer read it: claude_code, codex, ..."""
    name: str
    """The file's name, without its folder."""
    digest: Digest
    """The digest of the file's bytes."""
    part: OutsideText | None = None
    """The file's name for the part that is the session; null where it has no name for it."""
    epoch: Annotated[int, Field(ge=1)] | None = None
    """Which repetition of the part; null where the file does not count any."""
    identity: OutsideText | None = None
    """The name that the source gives the session; null where it gives none."""
    forked_from: OutsideText | None = None
    """The name of the session whose beginning this session repeats; null where it repeats none."""


class SessionTotals(Record):
    """Sums over the messages, each over the known values."""

    tokens: Tokens
    """Tokens of all assistant messages."""
    cost_usd: Dollars | None
    """Cost in US dollars; null where nothing is known."""
    duration_s: Seconds | None
    """Seconds the assistant took; null where nothing is known."""


class Session(Record):
    """One conversation and its labels. The labels keep the names they have in every export.

    A record holds the labels that came with the conversation, from its file or its grader; later
    labels stand in the label log.
    """

    model_config = ConfigDict(
        validate_by_name=True, validate_by_alias=True, serialize_by_alias=True
    )

    schema_version: Literal[1]
    """Version of this shape."""
    id: SessionId
    """The session's identity and file name."""
    former_ids: tuple[SessionId, ...] = ()
    """Ids under which the session was known before: exports made then have them."""
    source_digest: Digest | None = None
    """Of a redacted copy, the digest of the transcript that it was made of; null for any other."""
    title: OutsideText
    """For a reader: the first request, or the attempt's eval."""
    source: Annotated[FromAttempt | FromFile, Field(discriminator="kind")]
    """Where the session comes from."""
    model: str | None
    """The model that answered; null where it was not recorded."""
    project: str | None
    """The project of the work; null where it was not recorded."""
    created_at: Moment | None
    """When the conversation began."""
    updated_at: Moment | None
    """When its last message was sent."""
    messages: tuple[SessionMessage, ...]
    """In order."""
    totals: SessionTotals
    """Sums over the messages."""
    left_out: Mapping[Name, Count] = {}
    """Parts of the source that were not kept, by kind: image, reasoning, ..."""
    eval_ready: Annotated[bool, Field(alias="evalReady")] = False
    """Eval-ready: exports take it."""
    eval_status: Annotated[EvalStatus, Field(alias="evalStatus")] = EvalStatus.NEEDS_REVIEW
    """The judgement of a person, or of a grader until there is one of a person."""
    eval_notes: Annotated[OutsideText, Field(alias="evalNotes")] = ""
    """Why, in words."""
    eval_tags: Annotated[tuple[OutsideText, ...], Field(alias="evalTags")] = ()
    """Free words to select by."""
    expected_output: Annotated[OutsideText | None, Field(alias="expectedOutput")] = None
    """The expected last answer; null where nobody said."""
    reviewed_at: Annotated[Moment | None, Field(alias="reviewedAt")] = None
    """When a person last changed the status; null before that."""


LABELS: Final = (
    *("eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"),
    "reviewed_at",
)
"""The fields of a session that are labels, with the date that belongs to the status."""


def is_raw(session: Session, local_runs: Container[str]) -> bool:
    """Return whether a record is private: no redacted copy, and no attempt of a published run."""
    if session.source_digest is not None:
        return False
    return isinstance(session.source, FromFile) or session.source.run_id in local_runs
