"""Syntax trees of TypeScript, as tree-sitter makes them: calls, imports, exports."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

_WITH_ANGLE_CASTS = {".ts", ".mts", ".cts"}
CALLS = {"call_expression", "new_expression"}
"""Kinds of nodes that are calls."""
_WRAPPERS = {
    "parenthesized_expression",
    "non_null_expression",
    "as_expression",
    "satisfies_expression",
}
_QUERY = "db.query"
_HOPS = 8
"""How many variables in a row are followed to where a chain begins."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call or construction: ``ctx.db.query("notes").withIndex("by_owner", range).collect()``.

    That is three calls; of the last, ``name`` is ``collect``, ``chain`` is
    ``("ctx.db.query", "withIndex", "collect")`` and ``table`` is ``notes``.
    """

    path: str
    line: int
    name: str
    """The last name of the callee."""
    callee: str
    """The callee as written, without what it is called on when that is itself a call."""
    arguments: tuple[str, ...]
    """The arguments' source text."""
    chain: tuple[str, ...]
    """The callees of the chain up to this call, first to last."""
    table: str | None
    """The table where the chain begins with ``db.query("table")``; a variable that holds the chain
    is followed. None once the chain was awaited: what is called then is no query."""
    text: str

    def is_named(self, name: str) -> bool:
        """Tell whether the callee is, or ends with, this dotted name."""
        return self.callee == name or self.callee.endswith(f".{name}")

    def string(self, position: int = 0) -> str | None:
        """Return an argument that is a plain string literal, without its quotes."""
        if position >= len(self.arguments):
            return None
        return _literal(self.arguments[position])


@dataclass(frozen=True, slots=True)
class Import:
    """One import: ``import { v, type Infer } from "convex/values"``."""

    path: str
    line: int
    module: str
    names: tuple[str, ...]
    """The exported names that are taken; ``default`` and ``*`` among them."""
    type_only: bool


@cache
def _language(*, angle_casts: bool) -> Language:
    grammar = tree_sitter_typescript
    return Language(grammar.language_typescript() if angle_casts else grammar.language_tsx())


def parse(path: str, text: str) -> Node:
    """Parse a file, by the grammar its name asks for; errors become nodes of the tree."""
    angle_casts = PurePosixPath(path).suffix in _WITH_ANGLE_CASTS
    return Parser(_language(angle_casts=angle_casts)).parse(text.encode()).root_node


def text_of(node: Node) -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def descendants(node: Node) -> Iterator[Node]:
    """Walk over a node and all named nodes below it, in the order they are written."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.named_children))


def call_at(path: str, node: Node) -> Call:
    """Describe a call or construction."""
    links = list(_chain(node))
    callee = _callee(node)
    chain = tuple(callee for callee, _ in reversed(links))
    first = links[-1][1]
    begins = chain[0] == _QUERY or chain[0].endswith(f".{_QUERY}")
    arguments = _arguments(node)
    return Call(
        path=path,
        line=node.start_point.row + 1,
        name=callee.rpartition(".")[2],
        callee=callee,
        arguments=arguments,
        chain=chain,
        table=_first_literal(_arguments(first)) if begins else None,
        text=text_of(node),
    )


def import_at(path: str, node: Node) -> Import | None:
    """Describe a node that imports a module, statically or not; None for all others."""
    if node.type in {"import_statement", "export_statement"}:
        source = node.child_by_field_name("source")
        if source is None:
            return None
        return Import(
            path=path,
            line=node.start_point.row + 1,
            module=text_of(source)[1:-1],
            names=tuple(_imported(node)),
            type_only=any(child.type == "type" for child in node.children),
        )
    if node.type != "call_expression" or _callee(node) not in {"require", "import"}:
        return None
    module = _first_literal(_arguments(node))
    return (
        Import(path, node.start_point.row + 1, module, ("*",), type_only=False) if module else None
    )


def declared(root: Node, statement: Node) -> list[tuple[str, Node]]:
    """Return the names that an export statement exports, each with what defines it."""
    declaration = statement.child_by_field_name("declaration")
    if any(child.type == "default" for child in statement.children):
        value = statement.child_by_field_name("value") or declaration or statement
        return [("default", resolve(value))]
    if declaration is not None:
        return [(text_of(name), node) for name, node in _names_of(declaration)]
    return [
        (text_of(alias), _definition(root, text_of(name)) or specifier)
        for specifier in descendants(statement)
        if specifier.type == "export_specifier"
        for name in (specifier.child_by_field_name("name"),)
        if name is not None
        for alias in (specifier.child_by_field_name("alias") or name,)
    ]


def resolve(node: Node) -> Node:
    """Follow a variable to what it was declared as; any other expression is itself."""
    for _ in range(_HOPS):
        while node.type in _WRAPPERS and node.named_children:
            node = node.named_children[0]
        if node.type != "identifier":
            return node
        found = _declaration_before(node)
        if found is None:
            return node
        node = found
    return node


def _chain(node: Node) -> Iterator[tuple[str, Node]]:
    """Walk from a call to the calls it is made on, last to first."""
    current: Node | None = node
    while current is not None:
        receiver = _receiver(current)
        callee = _callee(current)
        yield (callee.rpartition(".")[2] if receiver else callee), current
        current = receiver


def _receiver(node: Node) -> Node | None:
    """Return the call that a method is called on, through a variable that holds its result."""
    function = node.child_by_field_name("function")
    if function is None or function.type != "member_expression":
        return None
    held = function.child_by_field_name("object")
    receiver = None if held is None else resolve(held)
    return receiver if receiver is not None and receiver.type in CALLS else None


def _callee(node: Node) -> str:
    constructor = node.child_by_field_name("constructor")
    if constructor is not None:
        return f"new {text_of(constructor)}"
    function = node.child_by_field_name("function")
    return "" if function is None else _dotted(function)


def _dotted(node: Node) -> str:
    """Spell a callee: of ``f(x).y.z`` only ``y.z``, for what comes before is a call itself."""
    names: list[str] = []
    while node.type in {"member_expression", *_WRAPPERS}:
        if node.type in _WRAPPERS:
            node = node.named_children[0]
            continue
        name = node.child_by_field_name("property")
        names.append("" if name is None else text_of(name))
        inner = node.child_by_field_name("object")
        if inner is None:
            break
        node = inner
    if node.type in {"identifier", "this", "super", "import"}:
        names.append(text_of(node))
    return ".".join(reversed(names))


def _arguments(node: Node) -> tuple[str, ...]:
    given = node.child_by_field_name("arguments")
    if given is None or given.type != "arguments":
        return ()
    return tuple(text_of(each) for each in given.named_children if each.type != "comment")


def _literal(text: str) -> str | None:
    plain = len(text) > 1 and text[0] in "\"'`" and text[-1] == text[0] and "${" not in text
    return text[1:-1] if plain else None


def _first_literal(arguments: tuple[str, ...]) -> str | None:
    return _literal(arguments[0]) if arguments else None


def _imported(statement: Node) -> Iterator[str]:
    for node in descendants(statement):
        if node.type in {"import_specifier", "export_specifier"}:
            name = node.child_by_field_name("name")
            yield "" if name is None else text_of(name)
        elif node.type in {"namespace_import", "namespace_export"}:
            yield "*"
        elif node.type == "identifier" and node.parent and node.parent.type == "import_clause":
            yield "default"


def _names_of(declaration: Node) -> Iterator[tuple[Node, Node]]:
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
            for part in descendants(name):
                if part.type in {"shorthand_property_identifier_pattern", "identifier"}:
                    yield part, value
        elif name is not None:
            yield name, value


def _definition(root: Node, name: str) -> Node | None:
    for statement in root.named_children:
        inner = statement.child_by_field_name("declaration") or statement
        for found, node in _names_of(inner):
            if text_of(found) == name:
                return node
    return None


def _declaration_before(use: Node) -> Node | None:
    """Find the value of the variable that a name stands for: the nearest scope outwards."""
    name = text_of(use)
    scope = use.parent
    while scope is not None:
        if scope.type in {"statement_block", "program"}:
            for statement in scope.named_children:
                inner = statement.child_by_field_name("declaration") or statement
                if inner.type not in {"lexical_declaration", "variable_declaration"}:
                    continue
                for declarator in inner.named_children:
                    value = _value_if_named(declarator, name)
                    # A declaration after its use, or one that names itself, would make this search
                    # endless.
                    if value is not None and value.end_byte <= use.start_byte:
                        return value
        scope = scope.parent
    return None


def _value_if_named(declarator: Node, name: str) -> Node | None:
    found = declarator.child_by_field_name("name")
    if found is None or text_of(found) != name:
        return None
    return declarator.child_by_field_name("value")
