"""Syntax trees of TypeScript, as tree-sitter makes them: calls, imports, exports."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from runner.answers.callees import Callee, find_callees
from runner.answers.syntax import (
    get_node_text,
    parse_source,
    resolve_constant,
    resolve_variable,
    walk_descendants,
)

CALLS = {"call_expression", "new_expression"}
"""Kinds of nodes that are calls."""
_QUERY = "db.query"


@dataclass(frozen=True, slots=True)
class Call:
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


@dataclass(frozen=True, slots=True)
class Import:
    """One import: ``import { v, type Infer } from "convex/values"``."""

    path: str
    line: int
    module: str
    names: tuple[str, ...]
    """The exported names that are taken; ``default`` and ``*`` among them."""
    type_only: bool


def describe_call(path: str, node: Node) -> Call:
    """Describe a call or construction as it is written."""
    return next(describe_calls(path, node))


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
            arguments=tuple(map(get_node_text, callee.arguments)),
            strings=tuple(map(resolve_constant, callee.arguments)),
            chain=chain,
            table=resolve_constant(first.arguments[0]) if begins and first.arguments else None,
            text=get_node_text(node),
        )


def describe_import(path: str, node: Node) -> Import | None:
    """Describe a node that imports a module, statically or not; None for all others."""
    if node.type in {"import_statement", "export_statement"}:
        required = (each for each in node.named_children if each.type == "import_require_clause")
        source = next(required, node).child_by_field_name("source")
        if source is None:
            return None
        return Import(
            path=path,
            line=node.start_point.row + 1,
            module=resolve_constant(source) or "",
            names=tuple(_list_imported_names(node)),
            type_only=any(child.type == "type" for child in node.children),
        )
    if node.type != "call_expression":
        return None
    callee = next(find_callees(node))
    if callee.dotted not in {"require", "import"} or not callee.arguments:
        return None
    module = resolve_constant(callee.arguments[0])
    return (
        Import(path, node.start_point.row + 1, module, ("*",), type_only=False) if module else None
    )


def list_imports(path: str, text: str) -> Iterator[Import]:
    """Describe all imports of a file."""
    for node in walk_descendants(parse_source(path, text)):
        if (item := describe_import(path, node)) is not None:
            yield item


def is_of_package(module: str, package: str) -> bool:
    """Check whether an imported module belongs to a package of npm."""
    return module == package or module.startswith(f"{package}/")


def list_exported_nodes(root: Node, statement: Node) -> list[tuple[str, Node]]:
    """Return the names that an export statement exports, each with the node that defines it."""
    declaration = statement.child_by_field_name("declaration")
    if any(child.type == "default" for child in statement.children):
        value = statement.child_by_field_name("value") or declaration or statement
        return [("default", resolve_variable(value))]
    if declaration is not None:
        return [(get_node_text(name), node) for name, node in _list_declared_names(declaration)]
    return [
        (get_node_text(alias), _find_definition(root, get_node_text(name)) or specifier)
        for specifier in walk_descendants(statement)
        if specifier.type == "export_specifier"
        for name in (specifier.child_by_field_name("name"),)
        if name is not None
        for alias in (specifier.child_by_field_name("alias") or name,)
    ]


def _walk_chain(callee: Callee) -> Iterator[tuple[str, Callee]]:
    """Walk from a call to the calls in its object, last to first."""
    current: Callee | None = callee
    while current is not None:
        receiver = _find_receiver(current)
        name = current.dotted
        yield (name.rpartition(".")[2] if receiver else name), current
        current = next(find_callees(receiver)) if receiver else None


def _find_receiver(callee: Callee) -> Node | None:
    """Return the call that a method is called on, through a variable that holds its result."""
    receiver = None if callee.held is None else resolve_variable(callee.held)
    return receiver if receiver is not None and receiver.type in CALLS else None


def _list_imported_names(statement: Node) -> Iterator[str]:
    for node in walk_descendants(statement):
        if node.type in {"import_specifier", "export_specifier"}:
            name = node.child_by_field_name("name")
            yield "" if name is None else get_node_text(name)
        elif node.type in {"namespace_import", "namespace_export"}:
            yield "*"
        elif node.type == "identifier" and node.parent and node.parent.type == "import_clause":
            yield "default"


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
            for part in walk_descendants(name):
                if part.type in {"shorthand_property_identifier_pattern", "identifier"}:
                    yield part, value
        elif name is not None:
            yield name, value


def _find_definition(root: Node, name: str) -> Node | None:
    for statement in root.named_children:
        inner = statement.child_by_field_name("declaration") or statement
        for identifier, node in _list_declared_names(inner):
            if get_node_text(identifier) == name:
                return node
    return None
