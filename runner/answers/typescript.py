"""Syntax trees of TypeScript: calls and all that they may call, imports, exports."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from runner.answers import syntax

CALLS = {"call_expression", "new_expression"}
"""Kinds of nodes that are calls."""
_QUERY = "db.query"
_MOST = 64
"""The most expressions that are followed from one call, even if more names stand for others."""
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


class Callee(NamedTuple):
    """A function that a call calls, with its arguments."""

    dotted: str
    """The function's name, without its object where that is itself a call."""
    held: Node | None
    """The object of which the function is a property."""
    arguments: tuple[Node, ...]


def find_callees(node: Node) -> Iterator[Callee]:
    """Yield the callee of a call or construction: as written, then all that it stands for."""
    arguments = tuple(syntax.list_arguments(node))
    constructor = node.child_by_field_name("constructor")
    if constructor is not None:
        yield Callee(f"new {syntax.get_node_text(constructor)}", None, arguments)
        return
    function = node.child_by_field_name("function")
    if function is None:
        yield Callee("", None, arguments)
        return
    callee = _describe_callee(function, arguments)
    yield callee
    # The called expressions with arguments: for ``f.call(x, y)`` also ``f`` with ``y``.
    name, held = callee.dotted, callee.held
    waiting: list[Callee | tuple[Node, Arguments]] = [(syntax.unwrap(function), arguments)]
    if name == "Reflect.apply" and arguments:
        waiting.append((arguments[0], _list_items(arguments[2:3])))
    last = name.rpartition(".")[2]
    if held is not None and last in {"call", "apply"}:
        applied = spell_callee(held)
        if arguments and applied in {"Function.prototype.call", "Function.prototype.apply"}:
            waiting.append((arguments[0], arguments[2:] if applied.endswith("call") else ()))
        else:
            waiting.append((held, arguments[1:] if last == "call" else _list_items(arguments[1:2])))
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        target = waiting.pop(0)
        if isinstance(target, Callee):
            yield target
        elif target[0].id not in seen:
            seen.add(target[0].id)
            waiting += _follow_expression(*target)


def _describe_callee(function: Node, arguments: tuple[Node, ...]) -> Callee:
    function = syntax.unwrap(function)
    held = function.child_by_field_name("object") if function.type in syntax.MEMBERS else None
    return Callee(spell_callee(function), held, arguments)


def spell_callee(node: Node) -> str:
    """Spell a callee: of ``f(x).y["z"]`` only ``y.z``, as the part before is a call itself."""
    names: list[str] = []
    node = syntax.unwrap(node)
    while node.type in syntax.MEMBERS:
        names.append(syntax.find_property_name(node) or "")
        inner = node.child_by_field_name("object")
        if inner is None:
            break
        node = syntax.unwrap(inner)
    if node.type in {"identifier", "this", "super", "import"}:
        names.append(syntax.unescape(syntax.get_node_text(node)))
    return ".".join(reversed(names))


def _follow_expression(
    node: Node, arguments: Arguments
) -> Iterator["Callee | tuple[Node, Arguments]"]:
    """Yield the meanings of a called expression, and the expressions to follow further."""
    node = syntax.unwrap(node)
    function = node.child_by_field_name("function")
    if node.type in {"ternary_expression", "binary_expression", "sequence_expression"}:
        yield from ((part, arguments) for part in node.named_children)
    elif node.type == "call_expression" and function is not None:
        # A call may return a function: ``Reflect.get(x, "f")`` and ``f.bind(x)``.
        function, given = syntax.unwrap(function), syntax.list_arguments(node)
        if spell_callee(function) == "Reflect.get" and len(given) > 1:
            name = syntax.resolve_constant(given[1])
            if name is not None:
                yield _describe_property(given[0], name, arguments)
        held = function.child_by_field_name("object")
        if held is not None and syntax.find_property_name(function) == "bind":
            yield held, (*given[1:], *arguments)
    elif node.type == "identifier":
        scopes = list(_walk_scopes(node))
        places = _find_bindings(scopes[-1]) if scopes else {}
        bound = places.get(syntax.get_node_text(node), [])
        nearest = ([each for each in bound if each.scope == scope] for scope in scopes)
        for each in next(filter(None, nearest), list[_Binding]()):
            if each.taken is not None:
                yield _describe_property(each.value, each.taken, arguments)
            elif each.value is not None:
                yield each.value, arguments
    elif node.type in syntax.MEMBERS:
        yield _describe_callee(node, arguments)
        value = syntax.find_member(node)
        if value is not None:
            yield value, arguments


def _describe_property(value: Node | None, name: str, arguments: Arguments) -> Callee:
    before = "" if value is None else spell_callee(value)
    return Callee(f"{before}.{name}" if before else name, value, arguments)


class _Binding(NamedTuple):
    """A place where a name gets a value, or a property of it; parameters and imports have none."""

    scope: Node
    value: Node | None
    taken: str | None


@lru_cache(maxsize=256)
def _find_bindings(root: Node) -> dict[str, list[_Binding]]:
    """Find all places of a file where names get values, by these names."""
    bindings: dict[str, list[_Binding]] = {}
    for node in syntax.walk_descendants(root):
        fields = _BINDING_FIELDS.get(node.type)
        if fields is None and node.type != "import_specifier":
            continue
        # A binding holds in the scope around it; a parameter's is its function.
        scope = next(_walk_scopes(node), root)
        if fields is not None:
            pattern, value = (node.child_by_field_name(field) for field in fields)
            for name, held, key in () if pattern is None else _find_pattern_names(pattern, value):
                bindings.setdefault(name, []).append(_Binding(scope, held, key))
        else:
            alias, imported = (node.child_by_field_name(field) for field in ("alias", "name"))
            if alias is not None and imported is not None:
                binding = _Binding(scope, None, syntax.get_node_text(imported))
                bindings.setdefault(syntax.get_node_text(alias), []).append(binding)
    return bindings


def _find_pattern_names(
    pattern: Node, value: Node | None
) -> Iterator[tuple[str, Node | None, str | None]]:
    """Yield the names of a pattern, each with the value or the property of it that it gets."""
    pattern = syntax.unwrap(pattern)
    if pattern.type in _NAMES and value is not None:
        yield syntax.get_node_text(pattern), value, None
    if pattern.type != "object_pattern":
        return
    for part in pattern.named_children:
        key, target = (part.child_by_field_name(field) for field in ("key", "value"))
        if key is None or target is None:
            continue
        target = target.child_by_field_name("left") or target
        if target.type in _NAMES:
            yield syntax.get_node_text(target), value, syntax.find_key_name(key)
        else:
            yield from _find_pattern_names(target, None)


def _walk_scopes(node: Node) -> Iterator[Node]:
    """Yield the scopes around a node, the nearest first."""
    while node.parent is not None:
        node = node.parent
        if node.type in _SCOPES:
            yield node


def _list_items(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the elements of an array literal."""
    arrays = (syntax.resolve_variable(node) for node in nodes)
    return tuple(
        item
        for array in arrays
        if array.type == "array"
        for item in array.named_children
        if item.type != "comment"
    )


class Call(NamedTuple):
    """One call or construction: ``ctx.db.query("notes").withIndex("by_owner", range).collect()``.

    These are three calls; of the last, ``name`` is ``collect``, ``chain`` is
    ``("ctx.db.query", "withIndex", "collect")`` and ``table`` is ``notes``.
    """

    path: str
    line: int
    name: str
    """The last name of the callee."""
    callee: str
    """The callee as written, without its object where that is itself a call."""
    arguments: tuple[str, ...]
    """The arguments' source text."""
    strings: tuple[str | None, ...]
    """The texts that the arguments are, through constants; None for arguments that are no text."""
    chain: tuple[str, ...]
    """The callees of the chain up to this call, first to last."""
    table: str | None
    """The table where the chain begins with ``db.query("table")``; a variable that holds the chain
    is followed. None once the chain was awaited: calls after that are no queries."""
    text: str

    def is_named(self, name: str) -> bool:
        """Return whether the callee is, or ends with, this dotted name."""
        return self.callee == name or self.callee.endswith(f".{name}")

    def string(self, position: int = 0) -> str | None:
        """Return an argument that is always the same text; None for all others."""
        return self.strings[position] if position < len(self.strings) else None


class Import(NamedTuple):
    """One import: ``import { v, type Infer } from "convex/values"``."""

    path: str
    line: int
    module: str
    names: tuple[str, ...]
    """The exported names that are taken; ``default`` and ``*`` among them."""
    type_only: bool


def describe_calls(path: str, node: Node) -> Iterator[Call]:
    """Describe a call or construction: as written, then with all meanings of its callee.

    ``const run = ctx.runMutation; run(f)`` is a call of ``run``, and of ``ctx.runMutation``.
    """
    for callee in find_callees(node):
        links = list(_walk_chain(callee))
        chain = tuple(name for name, _ in reversed(links))
        first = links[-1][1]
        begins = chain[0] == _QUERY or chain[0].endswith(f".{_QUERY}")
        yield Call(
            path=path,
            line=node.start_point.row + 1,
            name=callee.dotted.rpartition(".")[2],
            callee=callee.dotted,
            arguments=tuple(map(syntax.get_node_text, callee.arguments)),
            strings=tuple(map(syntax.resolve_constant, callee.arguments)),
            chain=chain,
            table=syntax.resolve_constant(first.arguments[0])
            if begins and first.arguments
            else None,
            text=syntax.get_node_text(node),
        )


def describe_import(path: str, node: Node) -> Import | None:
    """Describe a node that imports a module, statically or not; None for all others."""
    if node.type in {"import_statement", "export_statement"}:
        required = (each for each in node.named_children if each.type == "import_require_clause")
        source = next(required, node).child_by_field_name("source")
        if source is None:
            return None
        names: list[str] = []
        for part in syntax.walk_descendants(node):
            if part.type in {"import_specifier", "export_specifier"}:
                name = part.child_by_field_name("name")
                names.append("" if name is None else syntax.get_node_text(name))
            elif part.type in {"namespace_import", "namespace_export"}:
                names.append("*")
            elif part.type == "identifier" and part.parent and part.parent.type == "import_clause":
                names.append("default")
        return Import(
            path=path,
            line=node.start_point.row + 1,
            module=syntax.resolve_constant(source) or "",
            names=tuple(names),
            type_only=any(child.type == "type" for child in node.children),
        )
    if node.type != "call_expression":
        return None
    callee = next(find_callees(node))
    if callee.dotted not in {"require", "import"} or not callee.arguments:
        return None
    module = syntax.resolve_constant(callee.arguments[0])
    return (
        Import(path, node.start_point.row + 1, module, ("*",), type_only=False) if module else None
    )


def list_imports(path: str, text: str) -> Iterator[Import]:
    """Describe all imports of a file."""
    for node in syntax.walk_descendants(syntax.parse_source(path, text)):
        if (item := describe_import(path, node)) is not None:
            yield item


def is_of_package(module: str, package: str) -> bool:
    """Check whether an imported module belongs to a package of npm."""
    return module == package or module.startswith(f"{package}/")


def list_exports(root: Node) -> list[tuple[str, Node]]:
    """Return the names that a file exports, each with the node that defines it."""
    exports: list[tuple[str, Node]] = []
    for statement in root.named_children:
        if statement.type != "export_statement":
            continue
        declaration = statement.child_by_field_name("declaration")
        if any(child.type == "default" for child in statement.children):
            value = statement.child_by_field_name("value") or declaration or statement
            exports.append(("default", syntax.resolve_variable(value)))
        elif declaration is not None:
            declared = _list_declared_names(declaration)
            exports += [(syntax.get_node_text(name), node) for name, node in declared]
        else:
            definitions = {
                syntax.get_node_text(identifier): node
                for inner in reversed(root.named_children)
                for identifier, node in _list_declared_names(
                    inner.child_by_field_name("declaration") or inner
                )
            }
            for specifier in syntax.walk_descendants(statement):
                name = specifier.child_by_field_name("name")
                if specifier.type == "export_specifier" and name is not None:
                    alias = syntax.get_node_text(specifier.child_by_field_name("alias") or name)
                    exports.append((alias, definitions.get(syntax.get_node_text(name), specifier)))
    return exports


def _walk_chain(callee: Callee) -> Iterator[tuple[str, Callee]]:
    """Walk from a call to the calls in its object, last to first."""
    current: Callee | None = callee
    while current is not None:
        # The call that a method is called on, through a variable that holds its result.
        receiver = syntax.resolve_variable(current.held) if current.held else None
        receiver = receiver if receiver and receiver.type in CALLS else None
        name = current.dotted
        yield (name.rpartition(".")[2] if receiver else name), current
        current = next(find_callees(receiver)) if receiver else None


def _list_declared_names(declaration: Node) -> Iterator[tuple[Node, Node]]:
    if name := declaration.child_by_field_name("name"):
        yield name, declaration
        return
    for declarator in declaration.named_children:
        if declarator.type != "variable_declarator":
            continue
        name = declarator.child_by_field_name("name")
        value = declarator.child_by_field_name("value") or declarator
        if name is not None and name.type == "object_pattern":
            # In `export const { a, b } = make()` each name is defined by the whole expression.
            for part in syntax.walk_descendants(name):
                if part.type in {"shorthand_property_identifier_pattern", "identifier"}:
                    yield part, value
        elif name is not None:
            yield name, value
