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
from review.session_imports.common.adapter import Adapter, build_session
from review.session_imports.common.reading import UNREADABLE, BadLine, describe_error
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats import batches, message_lists
from review.session_imports.row_formats.row_adapters import ROW_ADAPTERS

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
    for part in adapter.read(source):
        if isinstance(part, BadLine):
            yield part
            continue
        try:
            yield build_session(part, source, adapter.NAME)
        except UNREADABLE as error:
            yield source.report_problem(part.place, describe_error(error))


def _find_adapter(source: SourceFile) -> Adapter:
    for adapter in IMPORTERS.values():
        if adapter.recognises(source):
            return adapter
    if source.excess and not source.head:
        raise InvalidRecordError(source.path, "", source.excess)
    names = ", ".join(IMPORTERS)
    reason = f"has no shape that is known; --format names one of {names}"
    raise UnknownFileError(source.path, "", reason)
