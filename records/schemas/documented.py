"""JSON Schemas of records, in which each field is described by the docstring below it.

Pydantic can take these docstrings itself, but does so whenever a record is imported, which costs
every command a twelfth of a second; here it is done where a schema is made.
"""

import ast
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from sys import modules

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema

from records.shapes.base import Record


class DocumentedSchema(GenerateJsonSchema):
    """The argument for pydantic's ``model_json_schema`` as its ``schema_generator``."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        """Return the schema of a record with its fields' docstrings as descriptions."""
        made = super().model_schema(schema)
        record = schema["cls"]
        properties = made.get("properties", {})
        for name, text in _docstrings(record).items():
            field = record.model_fields.get(name)
            alias = (field and field.alias) or name
            if alias in properties:
                properties[alias].setdefault("description", text)
        return made


def _docstrings(record: type[Record]) -> dict[str, str]:
    """Return the docstrings of a record's fields, with the inherited."""
    docstrings: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if issubclass(kind, Record):
            docstrings |= _of_module(kind.__module__).get(kind.__qualname__, {})
    return docstrings


@cache
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """Return the docstrings of fields by class, for the classes of a module."""
    tree = ast.parse(getsource(modules[name]))
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> dict[str, str]:
    docstrings: dict[str, str] = {}
    for field, after in pairwise(node.body):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docstrings[name] = cleandoc(text)
            case _:
                pass
    return docstrings
