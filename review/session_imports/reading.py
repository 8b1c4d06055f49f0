"""Reading of strangers' files within bounds, shared by all importers."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from pydantic import ValidationError

from records.json_limits import MOST_ITEMS, find_excess
from records.problems import first_problem
from records.run import Tokens
from records.session import FromFile, Session, SessionMessage, SessionTotals

LARGEST_LINE: Final = 32 * 1024 * 1024
"""Bytes of one line; a longer one is refused."""
TITLE: Final = 120
"""Characters."""
_MILLISECONDS: Final = 1e11
"""A larger number since 1970 counts milliseconds: as seconds it would be the year 5138."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A part of a file that could not be read; the rest was."""

    path: Path
    line: int
    """From 1; 0 for the whole file."""
    reason: str
    wrong: bool = True
    """Whether it is a mistake of the file; else it was left out as the file itself says."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.reason}"


class UnknownShapeError(ValueError):
    """A line or a file does not have the shape that the importer reads."""


def json_lines(path: Path, data: bytes) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """Yield the objects of a JSONL file with the numbers of their lines, or what is wrong."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield number, _parsed(path, number, line)


def sessions_of_lines(
    path: Path, data: bytes, made: Callable[[int, Mapping[str, Any]], Session]
) -> Iterator[Session | BadLine]:
    """Yield what ``made`` returns of each object of a JSONL file and its line, or what is wrong."""
    for number, line in json_lines(path, data):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            yield made(number, line)
        except UnknownShapeError as error:
            yield BadLine(path, number, str(error))
        except ValidationError as error:
            yield BadLine(path, number, first_problem(error))


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any] | BadLine:
    if len(line) > LARGEST_LINE:
        return BadLine(path, number, f"is longer than {LARGEST_LINE} bytes")
    if reason := find_excess(line, MOST_ITEMS):
        return BadLine(path, number, reason)
    try:
        found: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadLine(path, number, f"is not JSON: {error}")
    if not isinstance(found, dict):
        return BadLine(path, number, "is no JSON object")
    return cast("dict[str, Any]", found)


def whole_object(data: bytes) -> dict[str, Any]:
    """Return the JSON object that a file is.

    Raises:
        UnknownShapeError: it is none.
    """
    if reason := find_excess(data, MOST_ITEMS):
        raise UnknownShapeError(reason)
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnknownShapeError(f"is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UnknownShapeError("is no JSON object")
    return cast("dict[str, Any]", found)


def text_at(fields: Mapping[str, Any], name: str) -> str:
    """Return the text of a field.

    Raises:
        UnknownShapeError: it is missing or no text.
    """
    value = fields.get(name)
    if not isinstance(value, str):
        raise UnknownShapeError(f"{name} is no text")
    return value


def object_of(value: object, what: str) -> Mapping[str, Any]:
    """Return ``value`` as an object.

    Raises:
        UnknownShapeError: it is none; ``what`` says what should have been one.
    """
    if not isinstance(value, dict):
        raise UnknownShapeError(f"{what} is no object")
    return cast("Mapping[str, Any]", value)


def list_of(value: object, what: str) -> list[object]:
    """Return ``value`` as a list.

    Raises:
        UnknownShapeError: it is none; ``what`` says what should have been one.
    """
    if not isinstance(value, list):
        raise UnknownShapeError(f"{what} is no list")
    return cast("list[object]", value)


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, and nothing of anything else."""
    listed = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Mapping[str, Any]", one) for one in listed if isinstance(one, dict)]


def moment(value: object) -> datetime | None:
    """Return a moment given in ISO 8601, or in milliseconds or seconds since 1970."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def file_digest(data: bytes) -> str:
    """Return the SHA-256 of a file: of large ones with many sessions, once for all of them."""
    return hashlib.sha256(data).hexdigest()


def made_session(  # noqa: PLR0913 - what a session is made of
    path: Path,
    digest: str,
    importer: str,
    messages: Sequence[SessionMessage],
    *,
    part: int = 0,
    identity: str | None = None,
    title: str | None = None,
    project: str | None = None,
) -> Session:
    """Return the session of ``messages``; its id depends on the file and the part of it alone.

    ``digest`` is that of the file, as `file_digest` returns it.

    Where the file itself says who the session is, that is its ``identity``: the id then stays when
    the file changes.

    Raises:
        UnknownShapeError: there is no message.
    """
    if not messages:
        raise UnknownShapeError("holds no message")
    asked = next((one.text for one in messages if one.role == "user" and one.text.strip()), "")
    words = " ".join((title or asked or path.stem).split())
    moments = [one.at for one in messages if one.at is not None]
    models = [one.model for one in messages if one.model is not None]
    return Session(
        schema_version=1,
        id=hashlib.sha256(
            f"{importer}/{identity or f'{digest}/{part}'}".encode("utf-8", "replace")
        ).hexdigest()[:32],
        title=words[:TITLE].rstrip(),
        source=FromFile(kind="file", importer=importer, name=path.name, digest=digest),
        model=models[-1] if models else None,
        project=project,
        created_at=min(moments, default=None),
        updated_at=max(moments, default=None),
        messages=tuple(messages),
        totals=_totals(messages),
    )


def _totals(messages: Iterable[SessionMessage]) -> SessionTotals:
    listed = list(messages)
    parts = [one.tokens for one in listed if one.tokens is not None]
    costs = [one.cost_usd for one in listed if one.cost_usd is not None]
    durations = [one.duration_s for one in listed if one.duration_s is not None]
    counts = {name: [getattr(one, name) for one in parts] for name in Tokens.model_fields}
    known = {name: [n for n in numbers if n is not None] for name, numbers in counts.items()}
    sums = {name: sum(numbers) if numbers else None for name, numbers in known.items()}
    return SessionTotals(
        tokens=Tokens.model_validate(sums),
        cost_usd=sum(costs) if costs else None,
        duration_s=sum(durations) if durations else None,
    )
