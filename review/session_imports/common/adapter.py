"""The interface of an adapter, which is a module that reads the files of one program.

An adapter recognises a file by its parsed records. It yields each session of the file as a
`ReadSession`, and each part that it could not read as a `BadLine`. `build_session` makes the record
of a session.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from records.sessions.session import FromFile, Session, SessionMessage, SessionTotals
from records.shapes.attempt import Tokens
from review.session_imports.common.loose_fields import shorten_kind, sum_known
from review.session_imports.common.reading import (
    UNREADABLE,
    BadLine,
    UnknownShapeError,
    describe_error,
)
from review.session_imports.common.source_file import Fields, SourceFile

_LONGEST_TITLE: Final = 120
"""Characters of a title."""


@dataclass(frozen=True, slots=True)
class ReadSession:
    """A session that an adapter read from a file."""

    messages: Sequence[SessionMessage]
    """The messages, in order."""
    identity: str | None = None
    """The name that the source gives to the session; None if it gives none. The id is made of this
    name, so that a longer version of a session has the same id."""
    place: int = 0
    """The number of the record in the file. Without an identity, the id is made of it."""
    session_id: str | None = None
    """The id of the session of this program from which the file was exported; None for others."""
    forked_from: str | None = None
    """The name of the session whose beginning is repeated; None if none is repeated."""
    title: str | None = None
    """The title in the source; None to use the first request."""
    model: str | None = None
    """The model of the session, if no message names one."""
    project: str | None = None
    part: str | None = None
    """The file's name for its part that is the session; None if there is no name."""
    epoch: int | None = None
    created_at: datetime | None = None
    """The time of the beginning; None to use the earliest time of a message."""
    updated_at: datetime | None = None
    """The time of the last change; None to use the latest time of a message."""
    tokens: Tokens | None = None
    """The usage of the whole session; None to use the sum over the messages."""
    cost_usd: float | None = None
    """The cost of the whole session; None to use the sum over the messages."""
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    """Numbers of parts that were not kept, by kind, such as image or reasoning."""
    labels: Mapping[str, object] = field(default_factory=dict[str, object])
    """Labels in the source, by the names of fields of `Session`."""


class Adapter(Protocol):
    """A module that reads the files of one program."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """The name for `--format` and for records of sessions."""
        ...

    def recognises(self, source: SourceFile) -> bool:
        """Return whether the parsed records have the shape that the adapter reads."""
        ...

    def read(self, source: SourceFile) -> Iterator[ReadSession | BadLine]:
        """Yield each session of a file, and each part that could not be read."""
        ...


def take_records(source: SourceFile, take: Callable[[Fields], None]) -> Iterator[BadLine]:
    """Call ``take`` with each record of a file, and yield a problem for each unreadable record."""
    for number, record in source.read_records():
        if isinstance(record, BadLine):
            yield record
            continue
        try:
            take(record)
        except UNREADABLE as error:
            yield source.report_problem(number, describe_error(error))


def report_left_out_sub_agent(source: SourceFile, number: int, session: str | None) -> BadLine:
    """Return the notice that a sub-agent's transcript is left out; it belongs to ``session``."""
    owner = f"session {session}" if session else "another session"
    reason = f"left out: it is a sub-agent's part of {owner}"
    return source.report_problem(number, reason, wrong=False, left_out="sub-agent transcript")


def build_session(read: ReadSession, source: SourceFile, importer: str) -> Session:
    """Return the record of a session.

    Raises:
        UnknownShapeError: there is no message.
        ValidationError: the value of a field is not valid in a record.
    """
    if not read.messages:
        raise UnknownShapeError("holds no message")
    moments = [message.at for message in read.messages if message.at is not None]
    session = Session(
        schema_version=1,
        id=read.session_id or make_imported_session_id(importer, _make_identity(read, source)),
        title=choose_title(read, source),
        source=FromFile(
            kind="file",
            importer=importer,
            name=source.path.name,
            digest=source.digest,
            part=read.part,
            epoch=read.epoch,
            identity=read.identity,
            forked_from=read.forked_from,
        ),
        model=_find_last_model(read.messages) or read.model,
        project=read.project,
        created_at=read.created_at or min(moments, default=None),
        updated_at=read.updated_at or max(moments, default=None),
        messages=tuple(read.messages),
        totals=_compute_totals(read),
        left_out=_count_kinds(read.left_out),
    )
    return Session.model_validate(dict(session) | dict(read.labels)) if read.labels else session


def make_imported_session_id(importer: str, known_as: str) -> str:
    """Return the id of a session, made of its importer and the name ``known_as``."""
    text = f"{importer}/{known_as}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def choose_title(read: ReadSession, source: SourceFile) -> str:
    """Return the title in the source, or the first request, or the file's name, as a title."""
    users = (message.text for message in read.messages if message.role == "user")
    requests = (text for text in users if text.strip())
    return shorten_title(read.title or next(requests, "") or source.path.stem)


def shorten_title(text: str) -> str:
    """Return a text as a title: one line of at most `_LONGEST_TITLE` characters."""
    return " ".join(text.split())[:_LONGEST_TITLE].rstrip()


def _make_identity(read: ReadSession, source: SourceFile) -> str:
    return read.identity or f"{source.digest}/{read.place}"


def _count_kinds(left_out: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts by visible names of kinds, without zeros."""
    counts = Counter[str]()
    for kind, number in left_out.items():
        counts[shorten_kind(kind)] += number
    return {name: number for name, number in counts.items() if number}


def _find_last_model(messages: Iterable[SessionMessage]) -> str | None:
    models = [message.model for message in messages if message.model is not None]
    return models[-1] if models else None


def _compute_totals(read: ReadSession) -> SessionTotals:
    usages = [message.tokens for message in read.messages if message.tokens is not None]
    cost = sum_known(message.cost_usd for message in read.messages)
    return SessionTotals(
        tokens=read.tokens or sum_usages(usages),
        cost_usd=cost if read.cost_usd is None else read.cost_usd,
        duration_s=sum_known(message.duration_s for message in read.messages),
    )


def sum_usages(usages: Iterable[Tokens]) -> Tokens:
    """Return the sum over usages; each count is a sum over the usages in which it is known."""
    parts = list(usages)
    counts = {name: [getattr(usage, name) for usage in parts] for name in Tokens.model_fields}
    return Tokens.model_validate({name: sum_known(listed) for name, listed in counts.items()})
