"""Shape of a version of a dataset: its sessions, with digests of transcripts and with labels.

A version is written once and never changed. It has no transcripts, only their digests.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from records.files.name_patterns import DATASET_NAME
from records.sessions.session import ALIASED, EvalStatus
from records.shapes import base


class MemberTurn(base.Record):
    """The labels of one turn of a member."""

    model_config = ALIASED

    turn: base.Positive
    """Number of the turn, from 1."""
    eval_status: EvalStatus | None = None
    """The turn's own status; null if the session's status counts."""
    eval_notes: base.OutsideText | None = None
    """The turn's own notes; null if the session's notes count."""
    expected_output: base.OutsideText | None = None
    """The turn's own expected output; null if the session's expected output counts."""


class DatasetMember(base.Record):
    """A session of a version, with the labels that it had when the version was made."""

    model_config = ALIASED

    session: base.SessionId
    """The session."""
    seen: base.Digest
    """Digest of the session's transcript."""
    eval_ready: bool
    """Whether the session was marked for export."""
    eval_status: EvalStatus
    """The session's status."""
    eval_notes: base.OutsideText = ""
    """The session's notes."""
    eval_tags: tuple[base.OutsideText, ...] = ()
    """The session's tags."""
    expected_output: base.OutsideText | None = None
    """The session's expected output; null if there was none."""
    reviewed_at: base.Moment | None = None
    """When a person last changed the status; null if no person did."""
    turns: tuple[MemberTurn, ...] = ()
    """Labels of single turns, by number."""


class DatasetVersion(base.Record):
    """A version of a dataset."""

    schema_version: Literal[1]
    """Version of this shape."""
    name: Annotated[str, Field(pattern=DATASET_NAME)]
    """Name of the version, and its file name."""
    created_at: base.Moment
    """When the version was made."""
    digest: base.Digest
    """Digest of the members, which shows whether the version was changed by hand."""
    members: tuple[DatasetMember, ...]
    """The sessions, sorted by id."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        ids = [member.session for member in self.members]
        if any(first >= second for first, second in pairwise(ids)):
            raise ValueError("members are not sorted by id, or a member is repeated")
        if self.digest != compute_members_digest(self.members):
            raise ValueError("digest does not fit the members: a version is never changed")
        return self


def compute_members_digest(members: Sequence[DatasetMember]) -> str:
    """Return the SHA-256 of the members, as the list of their JSON texts."""
    return base.compute_list_digest(*(member.model_dump_json() for member in members))
