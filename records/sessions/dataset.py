"""A version of a dataset: which sessions it has, of which transcripts, with which labels.

It is written once and never changed. Transcripts stay where they are: a version has their digests.
"""

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from records.files.name_patterns import DATASET_NAME
from records.sessions.session import EvalStatus
from records.shapes.base import Digest, Moment, OutsideText, Record, SessionId

_ALIASED: Final = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


class MemberTurn(Record):
    """The labels of one turn of a member."""

    model_config = _ALIASED

    turn: Annotated[int, Field(ge=1)]
    """Number of the turn, from 1."""
    eval_status: Annotated[EvalStatus | None, Field(alias="evalStatus")] = None
    """Its own status; null where that of the session counts."""
    eval_notes: Annotated[OutsideText | None, Field(alias="evalNotes")] = None
    """Its own notes; null where those of the session count."""
    expected_output: Annotated[OutsideText | None, Field(alias="expectedOutput")] = None
    """Its own expected output; null where that of the session counts."""


class DatasetMember(Record):
    """One session of a version, with its labels of that moment."""

    model_config = _ALIASED

    session: SessionId
    """The session."""
    seen: Digest
    """Digest of its transcript."""
    eval_ready: Annotated[bool, Field(alias="evalReady")]
    """True where it was marked for export."""
    eval_status: Annotated[EvalStatus, Field(alias="evalStatus")]
    """Its status."""
    eval_notes: Annotated[OutsideText, Field(alias="evalNotes")] = ""
    """Its notes."""
    eval_tags: Annotated[tuple[OutsideText, ...], Field(alias="evalTags")] = ()
    """Its tags."""
    expected_output: Annotated[OutsideText | None, Field(alias="expectedOutput")] = None
    """Its expected output; null where there was none."""
    reviewed_at: Annotated[Moment | None, Field(alias="reviewedAt")] = None
    """When a person had changed its status last; null before that."""
    turns: tuple[MemberTurn, ...] = ()
    """Labels of single turns, by number."""


class DatasetVersion(Record):
    """One version of a dataset."""

    schema_version: Literal[1]
    """Version of this shape."""
    name: Annotated[str, Field(pattern=DATASET_NAME)]
    """Its identity and file name."""
    created_at: Moment
    """When it was made."""
    digest: Digest
    """The digest of its members: a version that was changed by hand does not fit."""
    members: tuple[DatasetMember, ...]
    """The sessions, by their ids."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        ids = [member.session for member in self.members]
        if any(first >= second for first, second in pairwise(ids)):
            raise ValueError("members are not in the order of their ids, or one stands twice")
        if self.digest != digest_of_members(self.members):
            raise ValueError("digest does not fit the members: a version is never changed")
        return self


def digest_of_members(members: Sequence[DatasetMember]) -> str:
    """Return the SHA-256 of the members as they are written."""
    texts = json.dumps([member.model_dump_json() for member in members])
    return hashlib.sha256(texts.encode()).hexdigest()
