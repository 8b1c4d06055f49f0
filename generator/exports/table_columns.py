"""The columns of a table, in words and as types of Python, from the class of its rows."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, Union, get_args, get_origin

from records.schemas.documented import DocumentedSchema
from records.shapes.base import Record


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: str
    """Its type in words."""
    nullable: bool
    about: str


def describe_table(kind: type[Record]) -> str:
    """Return what a row is: the first line of its class's docstring."""
    return (kind.__doc__ or "").strip().splitlines()[0]


@cache
def list_table_columns(kind: type[Record]) -> Sequence[TableColumn]:
    """Return the columns of a table in their order."""
    schema = kind.model_json_schema(schema_generator=DocumentedSchema)
    definitions = schema.get("$defs", {})
    return [_build_column(name, field, definitions) for name, field in schema["properties"].items()]


def get_python_type(kind: type[Record], column: str) -> object:
    """Return the type of the known values of a column."""
    annotation = kind.model_fields[column].annotation
    is_choice = get_origin(annotation) in {Union, UnionType}
    choices = get_args(annotation) if is_choice else (annotation,)
    (known_type,) = (choice for choice in choices if choice is not NoneType)
    return known_type


_KINDS: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}
_FORMATS: Final = {"date": "day", "date-time": "time"}


def _build_column(
    name: str, field: Mapping[str, Any], definitions: Mapping[str, Any]
) -> TableColumn:
    choices = field.get("anyOf", [field])
    kinds = [
        _describe_kind(choice, definitions) for choice in choices if choice.get("type") != "null"
    ]
    return TableColumn(
        name=name,
        kind=" or ".join(dict.fromkeys(kinds)),
        nullable=any(choice.get("type") == "null" for choice in choices),
        about=" ".join(str(field.get("description", "")).split()),
    )


def _describe_kind(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the type of a value in words; a choice of texts is spelled out."""
    if "$ref" in schema:
        return _describe_kind(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    return _FORMATS.get(schema.get("format", "")) or _KINDS[schema["type"]]
