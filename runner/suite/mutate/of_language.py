"""Mutations of any TypeScript: conditions, limits, statements, ``await``."""

from collections.abc import Iterator

from tree_sitter import Node

from runner.answers.syntax import find_called, get_node_text
from runner.suite.mutate.mutant import Edit, remove_element, replace_node

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
_NAMING_CALLS = tuple(
    """
    get patch replace delete insert query id normalizeId
    withIndex withSearchIndex vectorSearch index searchIndex vectorIndex
    eq lt lte gt gte field search order
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Calls whose first argument is a name that TypeScript checks, so that it is not replaced."""


def drop_await(node: Node) -> Iterator[Edit]:
    """Remove an ``await``, so that code goes on before a promise is settled."""
    if node.type == "await_expression" and not _is_result(node):
        yield replace_node(node, get_node_text(node.named_children[0]))


def negate_condition(node: Node) -> Iterator[Edit]:
    """Negate a condition."""
    if node.type in {"if_statement", "ternary_expression"}:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield replace_node(condition, f"(!({get_node_text(condition)}))")


def drop_branch(node: Node) -> Iterator[Edit]:
    """Remove the ``else`` of an ``if``, or an ``if`` without ``else``."""
    if node.type != "if_statement":
        return
    yield replace_node(node.child_by_field_name("alternative") or node, "")


def change_number(node: Node) -> Iterator[Edit]:
    """Increase or decrease a small number by 1; double or halve a large number.

    Large numbers are mostly milliseconds, and no test notices a change of one in a thousand. The
    delay of work that starts at once becomes a minute, because no test notices a millisecond.
    """
    if node.type != "number" or not (digits := get_node_text(node).replace("_", "")).isdigit():
        return
    number = int(digits)
    if (
        number == 0
        and node.parent is not None
        and _spell_called_function(node.parent) == "runAfter"
    ):
        yield replace_node(node, "60000")
    elif number >= _LARGE:
        yield replace_node(node, str(number * 2))
        yield replace_node(node, str(number // 2))
    else:
        yield replace_node(node, str(number + 1))
        if number > 0:
            yield replace_node(node, str(number - 1))


def change_comparison(node: Node) -> Iterator[Edit]:
    """Include or exclude a limit; swap equal and not equal."""
    yield from _change_operator(node, _COMPARED)


def change_logic(node: Node) -> Iterator[Edit]:
    """Swap ``&&`` and ``||``; remove the default value after ``??``."""
    yield from _change_operator(node, _LOGICAL)
    operator = node.child_by_field_name("operator")
    left_operand = node.child_by_field_name("left")
    if operator is not None and left_operand is not None and get_node_text(operator) == "??":
        yield replace_node(node, f"({get_node_text(left_operand)})")


def change_arithmetic(node: Node) -> Iterator[Edit]:
    """Replace an arithmetic operator, such as ``+`` by ``-``."""
    yield from _change_operator(node, _ARITHMETIC)


def flip_boolean(node: Node) -> Iterator[Edit]:
    """Swap ``true`` and ``false``."""
    if node.type in {"true", "false"}:
        yield replace_node(node, "false" if node.type == "true" else "true")


def empty_text(node: Node) -> Iterator[Edit]:
    """Replace a text by an empty text."""
    if node.type == "string" and node.named_children and not _is_name(node):
        yield replace_node(node, '""')


def drop_throw(node: Node) -> Iterator[Edit]:
    """Remove a ``throw``."""
    if node.type == "throw_statement":
        yield replace_node(node, ";")


def drop_statement(node: Node) -> Iterator[Edit]:
    """Remove a statement: a write, a schedule, an assignment."""
    if node.type != "expression_statement":
        return
    inner = node.named_children[0] if node.named_children else None
    while inner is not None and inner.type in {"await_expression", "unary_expression"}:
        inner = inner.named_children[0]
    done = {"call_expression", "assignment_expression", "augmented_assignment_expression"}
    if inner is not None and inner.type in done | {"update_expression"}:
        yield replace_node(node, ";")


def drop_attribute(node: Node) -> Iterator[Edit]:
    """Remove an attribute of a page's element, except ``key``, which React uses for speed."""
    if node.type == "jsx_attribute" and not get_node_text(node).startswith("key="):
        yield replace_node(node, "")


def drop_spread(node: Node) -> Iterator[Edit]:
    """Remove a spread element of an object or list."""
    if node.type == "spread_element" and node.parent and node.parent.type in {"object", "array"}:
        yield remove_element(node)


def _is_result(node: Node) -> bool:
    """Return true if a function returns an awaited value, for which the promise does the same.

    False inside of ``try``, because it only catches the errors of awaited promises.
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


def _change_operator(node: Node, changes: dict[str, str]) -> Iterator[Edit]:
    if node.type in {"binary_expression", "augmented_assignment_expression"}:
        operator = node.child_by_field_name("operator")
        if operator is not None:
            bare = get_node_text(operator)
            changed = changes.get(bare) or changes.get(bare.removesuffix("="))
            if changed is not None:
                suffix = "=" if bare not in changes else ""
                yield replace_node(operator, changed + suffix)


def _is_name(node: Node) -> bool:
    """Return true if a text is a name that TypeScript or the bundler checks, or a style class."""
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
        return parent.parent is not None and _spell_called_function(parent.parent) == "index"
    return (
        parent.type == "arguments"
        and node == parent.named_children[0]
        and _spell_called_function(parent) in _NAMING_CALLS
    )


def _spell_called_function(arguments: Node) -> str:
    return get_node_text(find_called(arguments.parent)).rpartition(".")[2]
