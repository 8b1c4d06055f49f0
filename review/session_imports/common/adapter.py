"""The interface of an adapter, which is a module that reads the files of one program.

An adapter recognises a file by its parsed records. It yields each session of the file as a `Draft`,
and reports to the `SourceFile` each part that it could not read. `build_session` makes the record
of a session.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from records.foreign.fields import sum_known
from records.sessions.session import FromFile, Session, SessionMessage, SessionTotals
from records.shapes.attempt import Tokens
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

_LONGEST_TITLE: Final = 120
"""Characters of a title."""


class Adapter(Protocol):
    """A module that reads the files of one program."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """The name for `--format` and for records of sessions."""
        ...

    def recognises(self, source: SourceFile) -> bool:
        """Return whether the parsed records have the shape that the adapter reads."""
        ...

    def read(self, source: SourceFile) -> Iterator[Draft]:
        """Yield each session of a file, and report each part that could not be read."""
        ...


def build_session(draft: Draft, source: SourceFile, importer: str) -> Session:
    """Return the record of a session.

    Raises:
        ValidationError: the value of a field is not valid in a record.
    """
    moments = [message.at for message in draft.messages if message.at is not None]
    known_as = draft.identity or f"{source.digest}/{draft.place}"
    session = Session(
        schema_version=1,
        id=draft.session_id or make_imported_session_id(importer, known_as),
        title=_choose_title(draft, source),
        source=FromFile(
            kind="file",
            importer=importer,
            name=source.path.name,
            digest=source.digest,
            part=draft.part,
            epoch=draft.epoch,
            identity=draft.identity,
            forked_from=draft.forked_from,
        ),
        model=_find_last_model(draft.messages) or draft.model,
        project=draft.project,
        created_at=draft.created_at or min(moments, default=None),
        updated_at=draft.updated_at or max(moments, default=None),
        messages=tuple(draft.messages),
        totals=_compute_totals(draft),
        left_out=draft.left_out,
    )
    return Session.model_validate(dict(session) | dict(draft.labels)) if draft.labels else session


def make_imported_session_id(importer: str, known_as: str) -> str:
    """Return the id of a session, made of its importer and the name ``known_as``."""
    text = f"{importer}/{known_as}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _choose_title(draft: Draft, source: SourceFile) -> str:
    """Return the title in the source, or the first request, or the file's name, as a title."""
    users = (message.text for message in draft.messages if message.role == "user")
    requests = (text for text in users if text.strip())
    return shorten_title(draft.title or next(requests, "") or source.path.stem)


def shorten_title(text: str) -> str:
    """Return a text as a title: one line of at most `_LONGEST_TITLE` characters."""
    return " ".join(text.split())[:_LONGEST_TITLE].rstrip()


def _find_last_model(messages: Iterable[SessionMessage]) -> str | None:
    models = [message.model for message in messages if message.model is not None]
    return models[-1] if models else None


def _compute_totals(draft: Draft) -> SessionTotals:
    usages = [message.tokens for message in draft.messages if message.tokens is not None]
    cost = sum_known(message.cost_usd for message in draft.messages)
    return SessionTotals(
        tokens=draft.tokens or sum_usages(usages),
        cost_usd=cost if draft.cost_usd is None else draft.cost_usd,
        duration_s=sum_known(message.duration_s for message in draft.messages),
    )


def sum_usages(usages: Iterable[Tokens]) -> Tokens:
    """Return the sum over usages; each count is a sum over the usages in which it is known."""
    parts = list(usages)
    counts = {name: [getattr(usage, name) for usage in parts] for name in Tokens.model_fields}
    return Tokens.model_validate({name: sum_known(listed) for name, listed in counts.items()})
