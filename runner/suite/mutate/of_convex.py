"""Mutations of Convex code: validators, indexes, order, visibility."""

from collections.abc import Iterator

from tree_sitter import Node

from runner.answers.syntax import find_called, get_node_text, list_arguments, walk_descendants
from runner.suite.mutate.mutant import Edit, remove_element, replace_node

_FLIPPED = {
    "query": "internalQuery",
    "mutation": "internalMutation",
    "action": "internalAction",
    "internalQuery": "query",
    "internalMutation": "mutation",
    "internalAction": "action",
}
_LINKS = (
    *("filter", "sort", "toSorted", "reverse", "toReversed", "slice", "trim"),
    *("toLowerCase", "toUpperCase", "withOptimisticUpdate"),
)
_COMPARISONS = {"eq", "lt", "lte", "gt", "gte"}
_BOUNDS = {"lt": "lte", "lte": "lt", "gt": "gte", "gte": "gt"}


def drop_validator_field(node: Node) -> Iterator[Edit]:
    """Remove a field of a validator: an argument, a field of a table or of an object."""
    fields = node.parent
    if node.type != "pair" or fields is None or fields.type != "object":
        return
    pairs = [pair for pair in fields.named_children if pair.type == "pair"]
    values = [pair.child_by_field_name("value") for pair in pairs]
    defines_function = any(_is_pair(pair, "handler") for pair in pairs)
    if not defines_function and any(value and _is_validator(value) for value in values):
        yield remove_element(node)


def any_validator(node: Node) -> Iterator[Edit]:
    """Replace a validator by ``v.any()``.

    Return validators are not replaced, because a right function returns the declared value anyway.
    """
    if not _is_validator(node) or get_node_text(node) == "v.any()":
        return
    above: Node | None = node
    while above is not None and not _is_pair(above, "returns"):
        above = above.parent
    if above is None:
        yield replace_node(node, "v.any()")


def drop_optional(node: Node) -> Iterator[Edit]:
    """Make an optional field required."""
    if (
        _find_method(node) == "optional"
        and (arguments := list_arguments(node))
        and _is_validator(node)
    ):
        yield replace_node(node, get_node_text(arguments[0]))


def drop_variant(node: Node) -> Iterator[Edit]:
    """Remove a member of a union."""
    if _is_validator(node) and _find_method(node) == "union":
        yield from map(remove_element, list_arguments(node))


def drop_returns(node: Node) -> Iterator[Edit]:
    """Remove a return validator."""
    if _is_pair(node, "returns"):
        yield remove_element(node)


def drop_args(node: Node) -> Iterator[Edit]:
    """Remove the validators of arguments."""
    if _is_pair(node, "args"):
        yield remove_element(node)


def flip_visibility(node: Node) -> Iterator[tuple[Edit, ...]]:
    """Make an internal function public, or a public function internal."""
    function = find_called(node)
    if function is None or function.type != "identifier" or get_node_text(function) not in _FLIPPED:
        return
    other = _FLIPPED[get_node_text(function)]
    edits = [replace_node(function, other)]
    root = node
    while root.parent is not None:
        root = root.parent
    for statement in root.named_children:
        module = get_node_text(statement.child_by_field_name("source"))[1:-1]
        if statement.type != "import_statement" or not module.endswith("_generated/server"):
            continue
        names = next((n for n in walk_descendants(statement) if n.type == "named_imports"), None)
        if names is None:
            return
        imported = [get_node_text(each) for each in names.named_children]
        if other not in imported:
            edits.append(replace_node(names, f"{{ {', '.join([*imported, other])} }}"))
        yield tuple(edits)
        return


def drop_range(node: Node) -> Iterator[Edit]:
    """Remove the range of an index, so that all of the index is read."""
    if _find_method(node) == "withIndex" and len(arguments := list_arguments(node)) > 1:
        yield Edit(arguments[0].end_byte, arguments[1].end_byte, "")


def drop_bound(node: Node) -> Iterator[Edit]:
    """Remove the last condition of an index's range, or a condition of a search."""
    receiver = _find_part(node, "object")
    if (
        _find_method(node) in _COMPARISONS
        and receiver is not None
        and receiver.type == "call_expression"
        and _is_inside_call(node, {"withIndex", "withSearchIndex"})
    ):
        yield replace_node(node, get_node_text(receiver))


def change_bound(node: Node) -> Iterator[Edit]:
    """Include or exclude the end of a range."""
    name = _find_method(node)
    property_node = _find_part(node, "property")
    if (
        name in _BOUNDS
        and property_node is not None
        and _is_inside_call(node, {"withIndex", "filter"})
    ):
        yield replace_node(property_node, _BOUNDS[name])


def index_to_filter(node: Node) -> Iterator[Edit]:
    """Replace an index by a filter over the whole table."""
    arguments = list_arguments(node)
    if (
        _find_method(node) != "withIndex"
        or len(arguments) < 2  # noqa: PLR2004 - index and range
        or arguments[1].type != "arrow_function"
    ):
        return
    conditions = [
        (_find_method(call), list_arguments(call))
        for call in walk_descendants(arguments[1])
        if _find_method(call) in _COMPARISONS
    ]
    spelled = [
        f"q.{name}(q.field({get_node_text(values[0])}), {get_node_text(values[1])})"
        for name, values in reversed(conditions)
        if len(values) == 2  # noqa: PLR2004 - field and value
    ]
    property_node = _find_part(node, "property")
    if spelled and len(spelled) == len(conditions) and property_node is not None:
        whole = spelled[0] if len(spelled) == 1 else f"q.and({', '.join(spelled)})"
        yield Edit(property_node.start_byte, node.end_byte, f"filter((q) => {whole})")


def swap_order(node: Node) -> Iterator[Edit]:
    """Reverse the order of a query."""
    if _find_method(node) == "order" and (arguments := list_arguments(node)):
        yield replace_node(
            arguments[0], '"asc"' if "desc" in get_node_text(arguments[0]) else '"desc"'
        )


def change_take(node: Node) -> Iterator[Edit]:
    """Swap ``unique`` and ``first``, or replace ``take`` by ``collect``."""
    property_node = _find_part(node, "property")
    if property_node is None:
        return
    current: Node | None = node
    is_query = False
    while current is not None and current.type == "call_expression" and not is_query:
        is_query = get_node_text(find_called(current)).endswith("db.query")
        current = _find_part(current, "object")
    if not is_query:
        return
    match get_node_text(property_node):
        case "unique":
            yield replace_node(property_node, "first")
        case "first":
            yield replace_node(property_node, "unique")
        case "take":
            yield Edit(property_node.start_byte, node.end_byte, "collect()")
        case _:
            return


def drop_link(node: Node) -> Iterator[Edit]:
    """Remove a call in a chain: a sort, filter, slice, change of case or optimistic update."""
    if _find_method(node) in _LINKS and (receiver := _find_part(node, "object")) is not None:
        yield replace_node(node, get_node_text(receiver))


def _find_method(node: Node) -> str:
    return get_node_text(_find_part(node, "property"))


def _find_part(node: Node, part: str) -> Node | None:
    """Return the ``property`` of a called method, or the ``object`` that has it."""
    function = find_called(node)
    return function.child_by_field_name(part) if function else None


def _is_validator(node: Node) -> bool:
    """Return true if a node is a call such as ``v.string()``."""
    return get_node_text(_find_part(node, "object")) == "v"


def _is_pair(node: Node, name: str) -> bool:
    key = node.child_by_field_name("key") if node.type == "pair" else None
    outer = node.parent.parent if node.parent else None
    return get_node_text(key) == name and outer is not None and outer.type == "arguments"


def _is_inside_call(node: Node, methods: set[str]) -> bool:
    above = node.parent
    while above is not None:
        if _find_method(above) in methods:
            return True
        above = above.parent
    return False
