"""JSON Schemas of records as markdown tables, for docs/data-format.md."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, cast

from records.schemas.documented import read_own_docstrings

Node = dict[str, Any]


def format_sections(schema: Node, seen: set[str]) -> Iterator[str]:
    """Yield a section for each record and enumeration of ``schema`` that is not in ``seen``.

    Their titles are added to ``seen``.
    """
    nodes: dict[str, Node] = {schema["title"]: schema, **schema.get("$defs", {})}
    for title, node in sorted(nodes.items(), key=lambda item: "enum" in item[1]):
        if title not in seen and ("properties" in node or "enum" in node):
            body = _format_choices(title) if "enum" in node else _format_table(node)
            yield f"### {title}\n\n{_join_lines(node.get('description', ''))}\n\n{body}"
        seen.add(title)


def _format_table(node: Node) -> str:
    rows = ["| field | type | meaning |", "|---|---|---|"]
    for name, field in node["properties"].items():
        optional = "" if name in node.get("required", ()) else " Optional."
        meaning = _join_lines(field.get("description", "")) + optional
        rows.append(
            f"| `{name}` | {_escape_cell(_describe_type(field))} | {_escape_cell(meaning)} |"
        )
    return "\n".join([*rows, ""])


def _format_choices(title: str) -> str:
    """Return a list of the values of an enumeration, with the docstrings in the code."""
    kind = next(kind for kind in StrEnum.__subclasses__() if kind.__name__ == title)
    docstrings = read_own_docstrings(kind)
    lines = [
        f"- `{member.value}` {_join_lines(docstrings.get(member.name, ''))}".rstrip()
        for member in kind
    ]
    return "\n".join([*lines, ""])


def _describe_type(field: Node) -> str:
    options = [option for word in ("anyOf", "oneOf") for option in field.get(word, ())]
    if options:
        return " or ".join(dict.fromkeys(_describe_type(option) for option in options))
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if words := field.get("enum", [field["const"]] if "const" in field else []):
        return " or ".join(json.dumps(word) for word in words)
    if field.get("type") == "array":
        return f"list of {_describe_type(field.get('items', {}))}"
    if field.get("type") == "object":
        return f"object of {_describe_type(_find_value_schema(field))}"
    return str(field.get("format") or field.get("type", "anything"))


def _find_value_schema(field: Node) -> Node:
    patterns = cast("Mapping[str, Node]", field.get("patternProperties", {}))
    values = next(iter(patterns.values()), field.get("additionalProperties"))
    return cast("Node", values) if isinstance(values, dict) else {}


def _join_lines(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|")
