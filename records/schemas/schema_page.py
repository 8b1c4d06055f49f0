"""JSON Schemas of records as markdown tables, for docs/data-format.md."""

import ast
import inspect
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any, cast

Node = dict[str, Any]


def sections(schema: Node, seen: set[str]) -> Iterator[str]:
    """Yield a section for each record and enumeration of ``schema`` that is not in ``seen``.

    Their titles are added to ``seen``.
    """
    for title, node in [*_objects(schema), *_choices(schema)]:
        if title not in seen:
            body = _words(title) if "enum" in node else _table(node)
            yield f"### {title}\n\n{_line(node.get('description', ''))}\n\n{body}"
        seen.add(title)


def _objects(schema: Node) -> Iterator[tuple[str, Node]]:
    yield schema["title"], schema
    for title, node in schema.get("$defs", {}).items():
        if "properties" in node:
            yield title, node


def _choices(schema: Node) -> Iterator[tuple[str, Node]]:
    for title, node in schema.get("$defs", {}).items():
        if "enum" in node:
            yield title, node


def _table(node: Node) -> str:
    rows = ["| field | type | meaning |", "|---|---|---|"]
    for name, field in node["properties"].items():
        optional = "" if name in node.get("required", ()) else " Optional."
        meaning = _line(field.get("description", "")) + optional
        rows.append(f"| `{name}` | {_cell(_type(field))} | {_cell(meaning)} |")
    return "\n".join([*rows, ""])


def _words(title: str) -> str:
    """Return a list of the values of an enumeration, with the docstrings in the code."""
    kind = next(kind for kind in _enumerations() if kind.__name__ == title)
    docstrings = _docstrings_of_members(kind)
    lines = [
        f"- `{member.value}` {_line(docstrings.get(member.name, ''))}".rstrip() for member in kind
    ]
    return "\n".join([*lines, ""])


def _docstrings_of_members(kind: type[StrEnum]) -> dict[str, str]:
    """Return the docstring below each member, by the member's name; Python does not keep them."""
    body = cast("ast.ClassDef", ast.parse(inspect.getsource(kind)).body[0]).body
    docstrings: dict[str, str] = {}
    for member, below in pairwise(body):
        match member, below:
            case (
                ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str() as text)),
            ):
                docstrings[name] = text
            case _:
                pass
    return docstrings


def _enumerations() -> Iterator[type[StrEnum]]:
    waiting: list[type[StrEnum]] = list(StrEnum.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        yield kind


def _type(field: Node) -> str:
    options = [option for word in ("anyOf", "oneOf") for option in field.get(word, ())]
    if options:
        return " or ".join(dict.fromkeys(_type(option) for option in options))
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if words := field.get("enum", [field["const"]] if "const" in field else []):
        return " or ".join(json.dumps(word) for word in words)
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    if field.get("type") == "object":
        return f"object of {_type(_values(field))}"
    return str(field.get("format") or field.get("type", "anything"))


def _values(field: Node) -> Node:
    patterns = cast("Mapping[str, Node]", field.get("patternProperties", {}))
    values = next(iter(patterns.values()), field.get("additionalProperties"))
    return cast("Node", values) if isinstance(values, dict) else {}


def _line(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
