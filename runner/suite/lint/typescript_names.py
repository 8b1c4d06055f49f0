"""Names that a grader in TypeScript demands and the task does not mention."""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from runner.answers.syntax import get_node_text, list_arguments, resolve_constant, walk_descendants
from runner.suite.lint.demanded_names import CONVEX_NAMES

_ROOTS: Final = frozenset({"api", "internal", "anyApi"})
_TABLE_CALLS: Final = frozenset(
    {
        *("addDocuments", "listTable", "hasIndexOn", "hasIndexWithPrefix"),
        *("findTable", "hasIndexForFields", "hasIndexForPrefix"),
    }
)
"""The functions of a suite's kit whose second argument is the name of a table."""
_LISTS_OF_TABLES: Final = "deleteAllDocuments"
_FILES: Final = "readOutputFile"
_SITE: Final = "siteUrl"
_WORD: Final = re.compile(r"\w+")
_GENERATED: Final = "_generated"


def find_unmentioned_names(tree: Node, task: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each name that a grader demands and the task lacks.

    The names are those of functions, tables, files and routes.
    """
    words = {*_WORD.findall(task), *CONVEX_NAMES}
    reported: set[str] = set()
    for node in walk_descendants(tree):
        for kind, name in _find_demands(node):
            is_known = name in words or name in task or name.startswith("_")
            if not is_known and name not in reported:
                reported.add(name)
                advice = (
                    f"the task does not mention the {kind} {name!r}: "
                    "name it there, or do not demand it"
                )
                yield node.start_point.row + 1, advice


def _find_demands(node: Node) -> Iterator[tuple[str, str]]:
    if node.type == "member_expression":
        yield from _find_path_demands(node)
    elif node.type == "call_expression":
        yield from _find_call_demands(node)
    elif node.type == "template_string":
        yield from _find_route_demands(node)


def _find_path_demands(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the module and the function of an expression such as `api.module.function`."""
    is_inner = node.parent is not None and node.parent.type == "member_expression"
    names: list[str] = []
    inner: Node | None = node
    while inner is not None and inner.type == "member_expression":
        name = inner.child_by_field_name("property")
        names.insert(0, get_node_text(name) if name else "")
        inner = inner.child_by_field_name("object")
    if is_inner or inner is None or get_node_text(inner) not in _ROOTS or len(names) < 2:  # noqa: PLR2004 - module and function
        return
    yield "module", names[-2]
    if names[-1] != "default":
        yield "function", names[-1]


def _find_call_demands(call: Node) -> Iterator[tuple[str, str]]:
    function, values = call.child_by_field_name("function"), list_arguments(call)
    if function is None:
        return
    name = get_node_text(function)
    if name in _TABLE_CALLS and len(values) > 1 and (table := resolve_constant(values[1])):
        yield "table", table
    elif name == _LISTS_OF_TABLES and len(values) > 1 and values[1].type == "array":
        for item in values[1].named_children:
            if table := resolve_constant(item):
                yield "table", table
    elif name == _FILES:
        path = resolve_constant(values[-1]) if values else None
        if path and _GENERATED not in path:
            yield "file", path.rpartition("/")[2]


def _find_route_demands(template: Node) -> Iterator[tuple[str, str]]:
    """Yield the first segment of the path in a template that begins with the deployment's site."""
    parts = template.named_children
    if len(parts) > 1 and get_node_text(parts[0]) == f"${{{_SITE}}}":
        segment = _WORD.search(get_node_text(parts[1]).partition("?")[0])
        if segment is not None:
            yield "route", segment[0]
