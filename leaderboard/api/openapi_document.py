"""The OpenAPI 3.1 document of operations and their pydantic models, and its page for people."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from jinja2 import Environment
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core.core_schema import DictSchema

from leaderboard.api.errors import LargeBodyError
from leaderboard.api.operations import PATH_PARTS, Operation
from leaderboard.api.run_shapes import ApiProblem
from records.schemas.documented import DocumentedSchema
from records.shapes.base import Record

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


Json = dict[str, Any]

_Schemed = tuple[str, Literal["validation", "serialization"], TypeAdapter[Any]]

_REF: Final = "#/components/schemas/{model}"
_PARTS: Final[Mapping[str, str]] = {
    "run_id": "The run.",
    "comparison_id": "The comparison.",
    "category": "The category of the eval.",
    "name": "The name of the eval in its category.",
    "sample": "The number of the sample of the eval, from 1.",
    "version": "The benchmark version.",
    "session_id": "The session.",
    "turn": "The number of the turn, from 1.",
}
_HEADERS: Final[Mapping[int, tuple[str, str]]] = {
    401: ("WWW-Authenticate", "The way to authenticate."),
    405: ("Allow", "The methods that are answered."),
    429: ("Retry-After", "Seconds after which to ask again."),
    503: ("Retry-After", "Seconds after which to ask again."),
}


def build_openapi_document(operations: Sequence[Operation]) -> Json:
    """Return the document that describes ``operations``."""
    schemas = _Schemas(operations)
    paths: dict[str, Json] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _build_operation(
            operation, schemas
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Leaderboard: scores API",
            "version": version("convex-leaderboard"),
            "description": "Receives runs of other machines; returns runs, scores and labelled "
            "sessions. `leaderboard keys create` makes keys.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas.definitions,
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "osk_ and 40 hexadecimal digits",
                }
            },
        },
    }


class _ClosedSchema(DocumentedSchema):
    """A schema generator that also states that names which fit no pattern are refused."""

    def dict_schema(self, schema: DictSchema) -> JsonSchemaValue:
        """Return the schema of a mapping; without additional properties if names have a pattern."""
        json_schema = super().dict_schema(schema)
        if "patternProperties" in json_schema:
            json_schema["additionalProperties"] = False
        return json_schema


class _Schemas:
    """The JSON Schemas of all shapes: of bodies for validation, of answers for serialization."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        inputs: list[_Schemed] = [
            (operation.name, "validation", operation.body)
            for operation in operations
            if operation.body is not None
        ]
        answers = {
            shape.__name__: shape
            for operation in operations
            for _, shape in operation.answers.values()
            if not isinstance(shape, str)
        } | {ApiProblem.__name__: ApiProblem}
        outputs: list[_Schemed] = [
            (name, "serialization", TypeAdapter(shape)) for name, shape in answers.items()
        ]
        schemas, definitions = TypeAdapter.json_schemas(
            [*inputs, *outputs], ref_template=_REF, schema_generator=_ClosedSchema
        )
        self._known = schemas
        self.definitions: Json = definitions.get("$defs", {})

    def get_body_schema(self, operation: Operation) -> Json:
        """Return the schema of an operation's body."""
        return self._known[operation.name, "validation"]

    def get_answer_schema(self, shape: type[Record]) -> Json:
        """Return the schema of an answer."""
        return self._known[shape.__name__, "serialization"]


def _build_operation(operation: Operation, schemas: _Schemas) -> Json:
    described: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [
            *_build_path_parameters(operation.path),
            *_build_query_parameters(operation.query),
        ],
        "responses": dict(_build_responses(operation, schemas)),
        "security": [{"key": []}] if operation.scopes else [],
    }
    if operation.scopes:
        described["description"] = f"Needs a key that may {' or '.join(operation.scopes)}."
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas.get_body_schema(operation)}},
        }
    return described


def _build_path_parameters(path: str) -> list[Json]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PARTS[name],
            "schema": {"type": "string", "pattern": pattern},
        }
        for name, pattern in PATH_PARTS.items()
        if f"{{{name}}}" in path
    ]


def _build_query_parameters(shape: type[Record]) -> list[Json]:
    schema = shape.model_json_schema(schema_generator=DocumentedSchema)
    definitions = schema.get("$defs", {})
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": field["description"],
            "schema": _inline_references(field, definitions),
        }
        for name, field in schema["properties"].items()
    ]


def _inline_references(schema: Json, definitions: Json) -> Json:
    """Return the schema of a parameter without references, and without null, which no query has."""
    if "anyOf" in schema:
        schema = next(
            alternative for alternative in schema["anyOf"] if alternative.get("type") != "null"
        )
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    return {name: value for name, value in schema.items() if name not in {"title", "description"}}


def _build_responses(operation: Operation, schemas: _Schemas) -> Iterable[tuple[str, Json]]:
    for status, (words, shape) in operation.answers.items():
        if isinstance(shape, str):
            content: Json = {kind: {"schema": {}} for kind in shape.split()}
        else:
            content = {"application/json": {"schema": schemas.get_answer_schema(shape)}}
        yield str(status), {"description": words, "content": content}
    for status in operation.statuses:
        refusal: Json = {
            "description": HTTPStatus(status).phrase
            + (f": {operation.largest_body} bytes" if status == LargeBodyError.status else ""),
            "content": {"application/json": {"schema": schemas.get_answer_schema(ApiProblem)}},
        }
        if status in _HEADERS:
            name, words = _HEADERS[status]
            refusal["headers"] = {
                name: {"description": words, "required": True, "schema": {"type": "string"}}
            }
        yield str(status), refusal
