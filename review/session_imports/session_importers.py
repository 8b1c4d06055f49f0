"""Importers of sessions by name, and the choice of the importer of a file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from records.errors import InvalidRecordError
from records.reader import read_bytes
from records.sessions.session import Session
from review.session_imports import comparisons, inspect_logs
from review.session_imports.coding_tools import (
    aider,
    claude_code,
    codex,
    copilot_chat,
    cursor,
    gemini_cli,
    opencode,
)
from review.session_imports.common.drafts import Adapter, Draft, build_session
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.row_formats import batches, message_lists
from review.session_imports.row_formats.row_files import ROW_ADAPTERS

_ADAPTERS: Final[tuple[Adapter, ...]] = (
    *(inspect_logs, comparisons, cursor, claude_code, codex, opencode),
    *(gemini_cli, copilot_chat, aider, batches, message_lists),
    *ROW_ADAPTERS,
)
IMPORTERS: Final[Mapping[str, Adapter]] = {adapter.NAME: adapter for adapter in _ADAPTERS}
"""Importers by name, in the order in which they are tried: the most special shape first."""


class UnknownFileError(InvalidRecordError):
    """No importer recognises the shape of a file."""


def import_sessions(path: Path, importer: str | None = None) -> Iterator[Session | BadLine]:
    """Yield the sessions of a file, and the problems of parts that could not be read.

    Args:
        path: the file.
        importer: the name of the importer; None to recognise it by the file.

    Raises:
        MissingRecordError: there is no such file.
        UnknownFileError: no importer recognises the file.
        InvalidRecordError: the path is no plain file, or the file is too large.
    """
    yield from read_sessions(SourceFile(path, read_bytes(path)), importer)


def read_sessions(source: SourceFile, importer: str | None = None) -> Iterator[Session | BadLine]:
    """Yield the sessions of a file, as `import_sessions`, from the bytes in ``source``.

    Raises:
        UnknownFileError: no importer recognises the file.
        InvalidRecordError: the file is too large.
    """
    adapter = IMPORTERS[importer] if importer else _find_adapter(source)
    source.take_problems()  # those of the recognition
    identities: set[str] = set()
    for draft in adapter.read(source):
        _report_draft_problems(draft, source)
        yield from source.take_problems()
        _make_identity_unique(draft, identities)
        if draft.messages:
            with source.catch_problems(draft.place):
                yield build_session(draft, source, adapter.NAME)
    yield from source.take_problems()


def _report_draft_problems(draft: Draft, source: SourceFile) -> None:
    for reason in draft.problems:
        source.report_problem(draft.place, reason)
    if not draft.messages:
        counts = ", ".join(f"{count} {kind}" for kind, count in draft.left_out.items())
        reason = f"holds no message; left out: {counts}" if counts else "holds no message"
        is_wrong = bool(draft.problems) or not draft.may_be_empty
        source.report_problem(draft.place, reason, wrong=is_wrong)


def _make_identity_unique(draft: Draft, identities: set[str]) -> None:
    """Remove the identity if an earlier session in the file has it.

    The id is then made of the session's number, so that neither session replaces the other.
    """
    if draft.identity in identities and not draft.replaces_earlier:
        draft.identity = None
    if draft.messages and draft.identity is not None:
        identities.add(draft.identity)


def _find_adapter(source: SourceFile) -> Adapter:
    for adapter in IMPORTERS.values():
        if adapter.recognises(source):
            return adapter
    if source.excess and not source.head:
        raise InvalidRecordError(source.path, "", source.excess)
    names = ", ".join(IMPORTERS)
    reason = f"has no shape that is known; --format names one of {names}"
    raise UnknownFileError(source.path, "", reason)
