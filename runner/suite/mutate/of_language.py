"""Mutations of TypeScript as such: conditions, limits, statements, what is awaited."""

from collections.abc import Iterator

from tree_sitter import Node

from runner.answers.syntax import text_of
from runner.suite.mutate.mutant import Edit, without

_COMPARED = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "===": "!==",
    "!==": "===",
    "==": "!=",
    "!=": "==",
}
_LOGICAL = {"&&": "||", "||": "&&"}
_ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"}
_LARGE = 1000
_NAMING_CALLS = (
    *("get", "patch", "replace", "delete", "insert", "query", "id", "normalizeId"),
    *("withIndex", "withSearchIndex", "vectorSearch", "index", "searchIndex", "vectorIndex"),
    *("eq", "lt", "lte", "gt", "gte", "field", "search", "order"),
)
"""Calls whose first argument is a name that TypeScript checks: to empty it proves nothing."""


def drop_await(node: Node) -> Iterator[Edit]:
    """Go on before it is done."""
    if node.type == "await_expression" and not _is_result(node):
        yield Edit.of(node, text_of(node.named_children[0]))


def negate_condition(node: Node) -> Iterator[Edit]:
    """Do it in the opposite case."""
    if node.type in {"if_statement", "ternary_expression"}:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield Edit.of(condition, f"(!({text_of(condition)}))")


def drop_branch(node: Node) -> Iterator[Edit]:
    """Leave out a case, or what is done in all others."""
    if node.type != "if_statement":
        return
    alternative = node.child_by_field_name("alternative")
    if alternative is None:
        yield Edit.of(node, "")
    else:
        yield Edit.of(alternative, "")


def change_number(node: Node) -> Iterator[Edit]:
    """Take a number one too large or one too small; a large one twice or half as large.

    One more or less of a thousand milliseconds nobody would notice, nor that work which should
    begin at once begins a millisecond later: it begins a minute later.
    """
    if node.type != "number" or not (digits := text_of(node).replace("_", "")).isdigit():
        return
    number = int(digits)
    if number == 0 and node.parent is not None and _called(node.parent) == "runAfter":
        yield Edit.of(node, "60000")
    elif number >= _LARGE:
        yield Edit.of(node, str(number * 2))
        yield Edit.of(node, str(number // 2))
    else:
        yield Edit.of(node, str(number + 1))
        if number > 0:
            yield Edit.of(node, str(number - 1))


def change_comparison(node: Node) -> Iterator[Edit]:
    """Include the limit, or leave it out; take what is equal for what is not."""
    yield from _operator(node, _COMPARED)


def change_logic(node: Node) -> Iterator[Edit]:
    """Take one of two conditions for both; leave out what stands in for a missing value."""
    yield from _operator(node, _LOGICAL)
    operator = node.child_by_field_name("operator")
    left = node.child_by_field_name("left")
    if operator is not None and left is not None and text_of(operator) == "??":
        yield Edit.of(node, f"({text_of(left)})")


def change_arithmetic(node: Node) -> Iterator[Edit]:
    """Subtract instead of adding, and so on."""
    yield from _operator(node, _ARITHMETIC)


def flip_boolean(node: Node) -> Iterator[Edit]:
    """Take true for false."""
    if node.type in {"true", "false"}:
        yield Edit.of(node, "false" if node.type == "true" else "true")


def empty_text(node: Node) -> Iterator[Edit]:
    """Say nothing where something must be said."""
    if node.type == "string" and node.named_children and not _is_name(node):
        yield Edit.of(node, '""')


def drop_throw(node: Node) -> Iterator[Edit]:
    """Do not refuse."""
    if node.type == "throw_statement":
        yield Edit.of(node, ";")


def drop_statement(node: Node) -> Iterator[Edit]:
    """Do not do it: a write, a schedule, an assignment."""
    if node.type != "expression_statement":
        return
    inner = node.named_children[0] if node.named_children else None
    while inner is not None and inner.type in {"await_expression", "unary_expression"}:
        inner = inner.named_children[0]
    done = {"call_expression", "assignment_expression", "augmented_assignment_expression"}
    if inner is not None and inner.type in done | {"update_expression"}:
        yield Edit.of(node, ";")


def drop_attribute(node: Node) -> Iterator[Edit]:
    """Leave out what an element of a page is told, its key excepted: React wants it for speed."""
    if node.type == "jsx_attribute" and not text_of(node).startswith("key="):
        yield Edit.of(node, "")


def drop_spread(node: Node) -> Iterator[Edit]:
    """Lose the rest of an object or list."""
    if node.type == "spread_element" and node.parent and node.parent.type in {"object", "array"}:
        yield without(node)


def _is_result(node: Node) -> bool:
    """Tell whether a function gives back what is awaited: the promise itself does the same.

    It does not inside of ``try``, which only sees what is awaited there.
    """
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    if above is None or above.type not in {"return_statement", "arrow_function"}:
        return False
    while above is not None and above.type not in {"program", "arrow_function"}:
        if above.type == "try_statement":
            return False
        above = above.parent
    return True


def _operator(node: Node, changes: dict[str, str]) -> Iterator[Edit]:
    if node.type in {"binary_expression", "augmented_assignment_expression"}:
        operator = node.child_by_field_name("operator")
        if operator is not None:
            bare = text_of(operator)
            changed = changes.get(bare) or changes.get(bare.removesuffix("="))
            if changed is not None:
                kept = "=" if bare not in changes else ""
                yield Edit.of(operator, changed + kept)


def _is_name(node: Node) -> bool:
    """Tell whether a text is a name that TypeScript or the bundler checks, or a class of style."""
    parent = node.parent
    if parent is None or parent.type in {
        *("import_statement", "export_statement", "literal_type", "pair_pattern"),
        *("jsx_attribute", "program"),
    }:
        return True
    if parent.type == "expression_statement":
        return True  # a directive
    if parent.type == "pair":
        return node == parent.child_by_field_name("key")
    if parent.type == "array":
        return parent.parent is not None and _called(parent.parent) == "index"
    return (
        parent.type == "arguments"
        and node == parent.named_children[0]
        and _called(parent) in _NAMING_CALLS
    )


def _called(arguments: Node) -> str:
    call = arguments.parent
    function = call.child_by_field_name("function") if call is not None else None
    return "" if function is None else text_of(function).rpartition(".")[2]
