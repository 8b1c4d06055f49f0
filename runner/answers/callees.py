"""The functions that a call may call: as written, and behind names and brackets."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from runner.answers.syntax import (
    find_key_name,
    find_member,
    find_property_name,
    get_node_text,
    list_arguments,
    resolve_constant,
    resolve_variable,
    unescape,
    unwrap,
    walk_descendants,
)

_MOST = 64
"""The most expressions that are followed from one call, even if more names stand for others."""
_MEMBERS = {"member_expression", "subscript_expression"}
_SCOPES = {
    "arrow_function",
    "function_declaration",
    "function_expression",
    "method_definition",
    "program",
    "statement_block",
}
_BINDING_FIELDS = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "required_parameter": ("pattern", "value"),
    "optional_parameter": ("pattern", "value"),
}
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}


Arguments = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that a call calls, with its arguments."""

    dotted: str
    """The function's name, without its object where that is itself a call."""
    held: Node | None
    """The object of which the function is a property."""
    arguments: tuple[Node, ...]


def find_callees(node: Node) -> Iterator[Callee]:
    """Yield the callee of a call or construction: as written, then all that it stands for."""
    arguments = tuple(list_arguments(node))
    constructor = node.child_by_field_name("constructor")
    if constructor is not None:
        yield Callee(f"new {get_node_text(constructor)}", None, arguments)
        return
    function = node.child_by_field_name("function")
    if function is None:
        yield Callee("", None, arguments)
        return
    yield _describe_callee(function, arguments)
    waiting: list[Callee | tuple[Node, Arguments]] = [
        *_find_called_expressions(function, arguments)
    ]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        target = waiting.pop(0)
        if isinstance(target, Callee):
            yield target
        elif target[0].id not in seen:
            seen.add(target[0].id)
            waiting += _follow_expression(*target)


def _describe_callee(function: Node, arguments: tuple[Node, ...]) -> Callee:
    function = unwrap(function)
    held = function.child_by_field_name("object") if function.type in _MEMBERS else None
    return Callee(spell_callee(function), held, arguments)


def spell_callee(node: Node) -> str:
    """Spell a callee: of ``f(x).y["z"]`` only ``y.z``, as the part before is a call itself."""
    names: list[str] = []
    node = unwrap(node)
    while node.type in _MEMBERS:
        names.append(find_property_name(node) or "")
        inner = node.child_by_field_name("object")
        if inner is None:
            break
        node = unwrap(inner)
    if node.type in {"identifier", "this", "super", "import"}:
        names.append(unescape(get_node_text(node)))
    return ".".join(reversed(names))


def _find_called_expressions(
    function: Node, arguments: Arguments
) -> Iterator[tuple[Node, Arguments]]:
    """Yield the called expressions with arguments: for ``f.call(x, y)`` also ``f`` with ``y``."""
    function = unwrap(function)
    yield function, arguments
    name = spell_callee(function)
    if name == "Reflect.apply" and arguments:
        yield arguments[0], _list_items(arguments[2:3])
    held = function.child_by_field_name("object") if function.type in _MEMBERS else None
    last = name.rpartition(".")[2]
    if held is None or last not in {"call", "apply"}:
        return
    if arguments and spell_callee(held) in {"Function.prototype.call", "Function.prototype.apply"}:
        yield arguments[0], arguments[2:] if spell_callee(held).endswith("call") else ()
    else:
        yield held, arguments[1:] if last == "call" else _list_items(arguments[1:2])


def _follow_expression(
    node: Node, arguments: Arguments
) -> Iterator["Callee | tuple[Node, Arguments]"]:
    """Yield the meanings of a called expression, and the expressions to follow further."""
    node = unwrap(node)
    if node.type in {"ternary_expression", "binary_expression", "sequence_expression"}:
        yield from ((part, arguments) for part in node.named_children)
    elif node.type == "call_expression":
        yield from _follow_returned_function(node, arguments)
    elif node.type == "identifier":
        for value, name in _find_bound_values(node):
            if name is not None:
                yield _describe_property(value, name, arguments)
            elif value is not None:
                yield value, arguments
    elif node.type in _MEMBERS:
        yield _describe_callee(node, arguments)
        value = find_member(node)
        if value is not None:
            yield value, arguments


def _describe_property(value: Node | None, name: str, arguments: Arguments) -> Callee:
    before = "" if value is None else spell_callee(value)
    return Callee(f"{before}.{name}" if before else name, value, arguments)


def _follow_returned_function(
    call: Node, arguments: Arguments
) -> Iterator["Callee | tuple[Node, Arguments]"]:
    """Follow a function that a call returns: ``Reflect.get(x, "f")`` and ``f.bind(x)``."""
    function = call.child_by_field_name("function")
    if function is None:
        return
    function, call_arguments = unwrap(function), list_arguments(call)
    if spell_callee(function) == "Reflect.get" and len(call_arguments) > 1:
        name = resolve_constant(call_arguments[1])
        if name is not None:
            yield _describe_property(call_arguments[0], name, arguments)
    held = function.child_by_field_name("object")
    if held is not None and find_property_name(function) == "bind":
        yield held, (*call_arguments[1:], *arguments)


@dataclass(frozen=True, slots=True)
class _Binding:
    """A place where a name gets a value, or a property of it; parameters and imports have none."""

    scope: Node
    value: Node | None
    taken: str | None


def _find_bound_values(use: Node) -> list[tuple[Node | None, str | None]]:
    """Find the values of a name in the nearest scope, each with the property that is taken."""
    root = use
    scopes: list[Node] = []
    while root.parent is not None:
        root = root.parent
        if root.type in _SCOPES:
            scopes.append(root)
    bindings = _find_bindings(root).get(get_node_text(use), [])
    for scope in scopes:
        if near := [each for each in bindings if each.scope == scope]:
            return [(each.value, each.taken) for each in near]
    return []


@lru_cache(maxsize=256)
def _find_bindings(root: Node) -> dict[str, list[_Binding]]:
    """Find all places of a file where names get values, by these names."""
    bindings: dict[str, list[_Binding]] = {}
    for node in walk_descendants(root):
        for name, value, key in _find_bound_names(node):
            scope = _find_scope(node)
            bindings.setdefault(name, []).append(_Binding(scope, value, key))
    return bindings


def _find_bound_names(node: Node) -> Iterator[tuple[str, Node | None, str | None]]:
    fields = _BINDING_FIELDS.get(node.type)
    if fields is not None:
        pattern, value = (node.child_by_field_name(field) for field in fields)
        if pattern is not None:
            yield from _find_pattern_names(pattern, value)
    elif node.type == "import_specifier":
        alias, imported = (node.child_by_field_name(field) for field in ("alias", "name"))
        if alias is not None and imported is not None:
            yield get_node_text(alias), None, get_node_text(imported)


def _find_pattern_names(
    pattern: Node, value: Node | None
) -> Iterator[tuple[str, Node | None, str | None]]:
    """Yield the names of a pattern, each with the value or the property of it that it gets."""
    pattern = unwrap(pattern)
    if pattern.type in _NAMES and value is not None:
        yield get_node_text(pattern), value, None
    if pattern.type != "object_pattern":
        return
    for part in pattern.named_children:
        key, target = (part.child_by_field_name(field) for field in ("key", "value"))
        if key is None or target is None:
            continue
        target = target.child_by_field_name("left") or target
        if target.type in _NAMES:
            yield get_node_text(target), value, find_key_name(key)
        else:
            yield from _find_pattern_names(target, None)


def _find_scope(node: Node) -> Node:
    """Return the scope that a binding holds in; a parameter's is its function."""
    scope = node
    while scope.parent is not None:
        scope = scope.parent
        if scope.type in _SCOPES:
            break
    return scope


def _list_items(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the elements of an array literal."""
    arrays = (resolve_variable(node) for node in nodes)
    return tuple(
        item
        for array in arrays
        if array.type == "array"
        for item in array.named_children
        if item.type != "comment"
    )
