"""The importers of sessions by name, and which of them reads a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from records.errors import InvalidRecordError
from records.reader import read_bytes
from records.session import Session
from review.session_imports import (
    chat,
    claude_code,
    codex,
    comparisons,
    huggingface,
    inspect_logs,
    opencode,
)
from review.session_imports.reading import BadLine

IMPORTERS: Final = {
    one.NAME: one
    for one in (inspect_logs, comparisons, claude_code, codex, opencode, huggingface, chat)
}
"""In the order in which they are tried: the most particular shape first."""


def imported(path: Path, importer: str | None = None) -> Iterator[Session | BadLine]:
    """Yield the sessions of a file, and what of it could not be read.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: no importer knows the shape, or the file is no plain one.
    """
    data = read_bytes(path)
    if importer is not None:
        yield from IMPORTERS[importer].sessions(path, data)
        return
    for known in IMPORTERS.values():
        if known.fits(data):
            yield from known.sessions(path, data)
            return
    names = ", ".join(IMPORTERS)
    raise InvalidRecordError(path, "", f"has no shape that is known; --format names one of {names}")
