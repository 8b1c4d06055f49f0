"""JSON Schemas of records, in which the docstring below a field describes the field.

Pydantic has an option for this, but reads the docstrings whenever a record is imported, which takes
0.08 seconds in every command. This module reads them only when a schema is made.
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
    """A generator of schemas, for the argument ``schema_generator`` of ``model_json_schema``."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        """Return the schema of a record with its fields' docstrings as descriptions."""
        made = super().model_schema(schema)
        record = schema["cls"]
        properties = made.get("properties", {})
        for name, text in _read_docstrings(record).items():
            field = record.model_fields.get(name)
            alias = (field and field.alias) or name
            if alias in properties:
                properties[alias].setdefault("description", text)
        return made


def _read_docstrings(record: type[Record]) -> dict[str, str]:
    """Return the docstrings of a record's own and inherited fields, by the field's name."""
    docstrings: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if issubclass(kind, Record):
            docstrings |= read_own_docstrings(kind)
    return docstrings


def read_own_docstrings(kind: type) -> dict[str, str]:
    """Return the docstrings below the fields, or the members, of a class, by their names."""
    return _read_module_docstrings(kind.__module__).get(kind.__qualname__, {})


@cache
def _read_module_docstrings(name: str) -> dict[str, dict[str, str]]:
    """Return the docstrings of fields for each class of a module, by the class's name."""
    tree = ast.parse(getsource(modules[name]))
    return {
        node.name: _read_class_docstrings(node)
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def _read_class_docstrings(node: ast.ClassDef) -> dict[str, str]:
    docstrings: dict[str, str] = {}
    for field, after in pairwise(node.body):
        match field, after:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docstrings[name] = cleandoc(text)
            case _:
                pass
    return docstrings
