"""Reads what the backend's own functions say about a deployment."""

import json
from typing import Any, cast

from runner.grader.deployed import (
    Cron,
    Fetch,
    Function,
    FunctionKind,
    Index,
    Scheduled,
    ScheduledState,
    Schema,
    SearchIndex,
    StoredFile,
    Table,
    VectorIndex,
)

_KINDS: dict[str, FunctionKind] = {
    "Query": "query",
    "Mutation": "mutation",
    "Action": "action",
    "HttpAction": "http",
}
_STATES: dict[str, ScheduledState] = {
    "pending": "pending",
    "inProgress": "in_progress",
    "success": "success",
    "failed": "failed",
    "canceled": "canceled",
}
Json = dict[str, Any]


def read_schema(said: Json | None) -> Schema:
    """Read the schema; None is a deployment without one."""
    if said is None:
        return Schema({}, validated=False)
    tables = [_read_table(table) for table in said["tables"]]
    return Schema({table.name: table for table in tables}, bool(said["schemaValidation"]))


def _read_table(said: Json) -> Table:
    return Table(
        name=said["tableName"],
        validator=said.get("documentType") or {"type": "any"},
        indexes=tuple(
            Index(each["indexDescriptor"], tuple(each["fields"])) for each in said["indexes"]
        ),
        search_indexes=tuple(
            SearchIndex(each["indexDescriptor"], each["searchField"], tuple(each["filterFields"]))
            for each in said.get("searchIndexes", ())
        ),
        vector_indexes=tuple(
            VectorIndex(
                each["indexDescriptor"],
                each["vectorField"],
                int(each["dimensions"]),
                tuple(each["filterFields"]),
            )
            for each in said.get("vectorIndexes", ())
        ),
    )


def read_function(said: Json) -> Function:
    """Read one entry of the deployment's list of functions."""
    kind = _KINDS[said["functionType"]]
    if kind == "http":
        return Function(f"{said['method']} {said['path']}", kind, "public", None, None)
    visibility = "internal" if said["visibility"]["kind"] == "internal" else "public"
    return Function(
        path=function_path(said["identifier"]),
        kind=kind,
        visibility=visibility,
        args=_validator(said.get("args")),
        returns=_validator(said.get("returns")),
    )


def _validator(said: Any) -> Json | None:  # noqa: ANN401 - JSON is anything
    """Read a validator, which travels as JSON or as text of it; "any" is what none becomes."""
    validator = cast("Json | None", json.loads(said) if isinstance(said, str) else said)
    return None if validator is None or validator.get("type") == "any" else validator


def read_cron(said: Json) -> Cron:
    """Read one cron job."""
    return Cron(said["name"], function_path(said["udfPath"]), said["args"], said["schedule"])


def read_scheduled(said: Json) -> Scheduled:
    """Read one document of the schedule."""
    return Scheduled(
        path=function_path(said["name"]),
        args=said["args"][0] if said["args"] else {},
        at=said["scheduledTime"] / 1000,
        state=_STATES[said["state"]["kind"]],
    )


def function_path(identifier: str) -> str:
    """Return ``messages:list`` for ``messages.js:list``."""
    module, _, name = identifier.partition(":")
    return f"{module.removesuffix('.js')}:{name or 'default'}"


def read_fetch(said: Json) -> Fetch:
    """Read one request that was made to the outside."""
    return Fetch(said["method"], said["url"], said["headers"], said["body"])


def read_file(said: Json) -> StoredFile:
    """Read one document of file storage."""
    return StoredFile(said["_id"], said["sha256"], int(said["size"]), said.get("contentType"))
