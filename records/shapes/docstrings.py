"""The docstrings below the fields of records, which describe the fields in JSON Schemas.

Pydantic has an option for this, but reads the docstrings whenever a record is imported, which takes
0.08 seconds in every command. This module reads them only when a schema is made.
"""

import ast
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from sys import modules
from typing import Any

from pydantic import BaseModel


def describe_fields(record: type[BaseModel], properties: dict[str, Any]) -> None:
    """Add the docstrings of a record's own and inherited fields to the schemas of the fields."""
    docstrings: dict[str, str] = {}
    for kind in reversed(record.__mro__):
        if issubclass(kind, BaseModel) and kind is not BaseModel:
            docstrings |= read_own_docstrings(kind)
    for name, text in docstrings.items():
        field = record.model_fields.get(name)
        alias = (field and field.alias) or name
        if alias in properties:
            properties[alias].setdefault("description", text)


def read_own_docstrings(kind: type) -> dict[str, str]:
    """Return the docstrings below the fields, or the members, of a class, by their names."""
    return _read_module_docstrings(kind.__module__).get(kind.__qualname__, {})


@cache
def _read_module_docstrings(name: str) -> dict[str, dict[str, str]]:
    """Return the docstrings of fields for each class of a module, by the class's name."""
    tree = ast.parse(getsource(modules[name]))
    docstrings: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        own: dict[str, str] = {}
        docstrings[node.name] = own
        for statement, after in pairwise(node.body):
            match statement, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=field))
                    | ast.Assign(targets=[ast.Name(id=field)]),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    own[field] = cleandoc(text)
                case _:
                    pass
    return docstrings
