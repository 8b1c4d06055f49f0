"""The page that shows the OpenAPI document: without scripts, with all text escaped."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment

_HERE: Final = Path(__file__).parent
_STYLE: Final = "style.css"
_WORD: Final = re.compile(r"([A-Za-z]+)")


def render_document_page(document: Mapping[str, Any]) -> str:
    """Return the page that shows an OpenAPI document."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((_HERE / "document_page.html").read_text("utf-8"))
    operations = [
        {"path": path, "method": method.upper(), **operation}
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    schemas: Mapping[str, Any] = document["components"]["schemas"]
    return template.render(
        info=document["info"],
        operations=operations,
        schemas=[
            {
                "name": name,
                "description": schema.get("description", ""),
                "fields": list(_list_fields(schema)),
            }
            for name, schema in sorted(schemas.items())
        ],
        parts=partial(_split_description, schemas),
    )


def _split_description(
    schemas: Mapping[str, Any], schema: Mapping[str, Any]
) -> list[tuple[str, bool]]:
    """Return the words for a schema in pieces, each with true if it is the name of a shape."""
    return [(part, part in schemas) for part in _WORD.split(describe_schema(schema))]


def read_style_sheet() -> str:
    """Return the style sheet of the page."""
    return (_HERE / _STYLE).read_text("utf-8")


def describe_schema(schema: Mapping[str, Any]) -> str:
    """Return a JSON Schema in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    choices = [
        describe_schema(choice) for name in ("oneOf", "anyOf") for choice in schema.get(name, ())
    ]
    choices += map(str, [schema["const"]] if "const" in schema else schema.get("enum", ()))
    if choices:
        return " or ".join(dict.fromkeys(choices))
    kind = str(schema.get("type", "anything"))
    inner: Mapping[str, Any] = schema.get("items") or schema.get("additionalProperties") or {}
    if kind in {"array", "object"} and inner:
        return f"{'list' if kind == 'array' else 'object'} of {describe_schema(inner)}"
    return " ".join([kind, *_describe_limits(schema)])


def _describe_limits(schema: Mapping[str, Any]) -> Sequence[str]:
    if "format" in schema:
        return [f"({schema['format']})"]
    if "pattern" in schema:
        return [schema["pattern"]]
    words = {"minimum": "from", "maximum": "to"}
    return [f"{word} {schema[name]:g}" for name, word in words.items() if name in schema]


def _list_fields(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        yield {
            "name": name,
            "schema": field,
            "required": name in required,
            "description": field.get("description", ""),
        }
