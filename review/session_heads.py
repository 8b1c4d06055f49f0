"""Heads of imported sessions: the fields that identify a session, read without its messages."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from pydantic import ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.reader import read_session
from records.sessions.session import FromFile, Session

_BYTES: Final = 16_384
"""Bytes at the beginning of a record, with its ids, its title and its source."""
_SOURCE: Final = re.compile(r'^  "source": (?=\{)', re.MULTILINE)
_TITLE: Final = re.compile(r'^  "title": (?=")', re.MULTILINE)
_FORMER: Final = re.compile(r'^  "former_ids": (?=\[)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SessionHead:
    """The fields that identify a session that was imported from a file."""

    path: Path
    id: str
    title: str
    former_ids: tuple[str, ...]
    source: FromFile


def read_session_heads(folder: DataFolder) -> Iterator[SessionHead]:
    """Yield the heads of all imported sessions; records that cannot be read are left out."""
    for path in folder.list_session_files():
        try:
            head = _read_head(path)
        except (InvalidRecordError, MissingRecordError, ValidationError):
            continue
        if head is not None:
            yield head


def _read_head(path: Path) -> SessionHead | None:
    with open_plain(path) as file:
        text = file.read(_BYTES).decode("utf-8", "replace")
    source, former, title = (_parse_value(text, name) for name in (_SOURCE, _FORMER, _TITLE))
    if not isinstance(source, dict) or not isinstance(title, str):
        return _build_head(path, read_session(path))
    fields = cast("Mapping[str, object]", source)
    if fields.get("kind") != "file":
        return None
    ids = cast("list[object]", former) if isinstance(former, list) else []
    file_source = FromFile.model_validate(fields)
    return SessionHead(path, path.stem, title, tuple(map(str, ids)), file_source)


def _build_head(path: Path, session: Session) -> SessionHead | None:
    """Return the head of a whole record, if its beginning is not as this program writes it."""
    if session.source.kind != "file":
        return None
    return SessionHead(path, session.id, session.title, session.former_ids, session.source)


def _parse_value(text: str, name: re.Pattern[str]) -> object:
    """Return the JSON value after ``name``; None if it is not complete in ``text``."""
    match = name.search(text)
    if match is None:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, match.end())[0]
    except ValueError:
        return None
