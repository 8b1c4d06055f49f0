"""What a deployment tells about itself: schema, functions, crons, schedule, files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

FunctionKind = Literal["query", "mutation", "action", "http"]
Visibility = Literal["public", "internal"]
ScheduledState = Literal["pending", "in_progress", "success", "failed", "canceled"]


@dataclass(frozen=True, slots=True)
class Index:
    """A database index. ``fields`` are as declared, without the ``_creationTime`` at their end."""

    name: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """A full-text index."""

    name: str
    search_field: str
    filter_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """A vector index."""

    name: str
    vector_field: str
    dimensions: int
    filter_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the schema."""

    name: str
    validator: dict[str, Any]
    """The document's validator in Convex's JSON, such as ``{"type": "object", "value": {...}}``."""
    indexes: tuple[Index, ...]
    search_indexes: tuple[SearchIndex, ...]
    vector_indexes: tuple[VectorIndex, ...]


@dataclass(frozen=True, slots=True)
class Schema:
    """The deployed schema."""

    tables: Mapping[str, Table]
    validated: bool
    """Whether documents are checked against it."""


@dataclass(frozen=True, slots=True)
class Function:
    """One deployed function."""

    path: str
    """``messages:list``; of an HTTP action its method and path, ``GET /feed``."""
    kind: FunctionKind
    visibility: Visibility
    args: dict[str, Any] | None
    """The validator in Convex's JSON; None where the function has none."""
    returns: dict[str, Any] | None
    """The same for what it returns."""


@dataclass(frozen=True, slots=True)
class Cron:
    """One scheduled job that repeats."""

    name: str
    path: str
    args: dict[str, Any]
    schedule: dict[str, Any]
    """As the real backend reports it: ``{"type": "interval", "seconds": 7200}``, ``{"type":
    "daily", "hourUTC": 4, "minuteUTC": 30}``, ``{"type": "cron", "cronExpr": "0 * * * *"}``."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """One run of a function that was scheduled."""

    path: str
    args: dict[str, Any]
    at: float
    """Unix time in seconds."""
    state: ScheduledState


@dataclass(frozen=True, slots=True)
class Fetch:
    """One outbound request that the model's code made to a stub."""

    method: str
    url: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:  # noqa: ANN401 - JSON is anything
        """Return the body, read as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file in storage."""

    id: str
    sha256: str
    """In lower-case hexadecimal."""
    size: int
    content_type: str | None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer of an HTTP action, or of a storage URL."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:  # noqa: ANN401 - JSON is anything
        """Return the body, read as JSON."""
        return json.loads(self.body)
