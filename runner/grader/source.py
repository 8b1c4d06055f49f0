"""The answer's TypeScript, parsed: for the few checks that behaviour cannot make.

A check here is tied to the construct that the task asks for (this call, on this table, in this
function), never to a word that occurs somewhere. Wherever behaviour tells the difference, test
behaviour instead.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from runner.answer_rules import SCRIPTS, is_script
from runner.grader.syntax import (
    CALLS,
    Call,
    Import,
    call_at,
    declared,
    descendants,
    import_at,
    parse,
    text_of,
)

_FUNCTIONS = {
    "arrow_function",
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "method_definition",
}


class Part:
    """A stretch of TypeScript: a whole answer, a file, or one function."""

    def __init__(self, roots: Mapping[str, tuple[Node, ...]]) -> None:
        """Cover these syntax nodes, by the path of the file they stand in."""
        self._roots = roots

    @property
    def text(self) -> str:
        """The source text, comments included."""
        return "\n".join(text_of(node) for nodes in self._roots.values() for node in nodes)

    def calls(self, name: str) -> list[Call]:
        """Return the calls of a function or method, in the order they are written.

        ``"collect"`` finds every ``x.collect()``, and ``collect()``. With dots the end of the
        callee must agree: ``"db.query"`` finds ``ctx.db.query(...)`` but not ``other.query(...)``.
        ``"new Date"`` finds a construction.
        """
        return [call for call in self.all_calls() if call.is_named(name)]

    def all_calls(self) -> list[Call]:
        """Return every call and construction, in the order they are written."""
        return [call_at(path, node) for path, node in self._nodes() if node.type in CALLS]

    def nodes(self, kind: str) -> list[Node]:
        """Return the syntax nodes of one kind, as the TypeScript grammar names kinds.

        Such as ``"as_expression"`` or ``"predefined_type"``; the way out where nothing here fits.
        """
        return [node for _, node in self._nodes() if node.type == kind]

    def _nodes(self) -> Iterator[tuple[str, Node]]:
        for path, nodes in self._roots.items():
            for node in nodes:
                for found in descendants(node):
                    yield path, found


class Source(Part):
    """All TypeScript and JavaScript of an answer.

    Paths may leave out ``convex/``: ``"notes.ts"`` means ``convex/notes.ts`` where there is one.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        """Take the answer's files; they are parsed when first looked at."""
        self._files = {path: text for path, text in files.items() if is_script(path)}

    @cached_property
    def _roots(self) -> Mapping[str, tuple[Node, ...]]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return {path: (parse(path, text),) for path, text in self._files.items()}

    @property
    def paths(self) -> list[str]:
        """The paths of the files that were parsed."""
        return list(self._files)

    def file(self, path: str) -> Part:
        """Return one file. Fails the test when the answer does not have it."""
        found = self._path(path)
        return Part({found: self._roots[found]})

    def imports(self, path: str | None = None) -> list[Import]:
        """Return the imports of a file, or of all: ``import``, ``export from``, ``require``."""
        roots = {self._path(path): self._roots[self._path(path)]} if path else self._roots
        found = (
            import_at(place, node)
            for place, nodes in roots.items()
            for node in descendants(nodes[0])
        )
        return [each for each in found if each is not None]

    def exports(self, path: str) -> list[str]:
        """Return the names a file exports, ``default`` among them, in the order written."""
        return [name for name, _ in self._exported(path)]

    def directive(self, path: str, text: str) -> bool:
        """Tell whether a file begins with a directive such as ``"use node"``.

        Only a statement of its own before all others counts, as it does for the bundler.
        """
        for statement in self._roots[self._path(path)][0].named_children:
            if statement.type == "comment":
                continue
            inner = statement.named_children
            if statement.type != "expression_statement" or not inner or inner[0].type != "string":
                return False
            if text_of(inner[0])[1:-1] == text:
                return True
        return False

    def function_body(self, function: str) -> Part:
        """Return what defines an exported function: ``"notes:list"``, ``"admin/users:ban"``.

        For ``export const list = query({ args, returns, handler })`` that is the whole call; a
        handler that is a named function of the same file belongs to it. Fails the test when the
        module does not export that name.
        """
        module, _, name = function.partition(":")
        path = self._module(module)
        for exported, node in self._exported(path):
            if exported == (name or "default"):
                return Part({path: (node, *self._named_handlers(path, node))})
        raise AssertionError(f"{path} does not export {name or 'default'}")

    def _path(self, path: str) -> str:
        for candidate in (path, f"convex/{path}"):
            if candidate in self._files:
                return candidate
        raise AssertionError(f"the answer has no file {path}; it has {', '.join(self._files)}")

    def _module(self, module: str) -> str:
        # No answer has two: see runner/answer_rules.py.
        for ending in sorted(SCRIPTS):
            if f"convex/{module}{ending}" in self._files:
                return f"convex/{module}{ending}"
        raise AssertionError(f"the answer has no module convex/{module}.ts")

    def _exported(self, path: str) -> list[tuple[str, Node]]:
        root = self._roots[self._path(path)][0]
        return [
            pair
            for statement in root.named_children
            if statement.type == "export_statement"
            for pair in declared(root, statement)
        ]

    def _named_handlers(self, path: str, node: Node) -> Iterator[Node]:
        """Find the functions of the file that a definition hands over by name."""
        names = {text_of(found) for found in descendants(node) if _is_handler_name(found)}
        for found in descendants(self._roots[path][0]):
            if found.type in _FUNCTIONS or found.type == "variable_declarator":
                name = found.child_by_field_name("name")
                if name is not None and text_of(name) in names:
                    yield found


def _is_handler_name(node: Node) -> bool:
    if node.type == "shorthand_property_identifier":
        return text_of(node) == "handler"
    parent = node.parent
    if node.type != "identifier" or parent is None:
        return False
    if parent.type == "arguments":
        return True
    key = parent.child_by_field_name("key") if parent.type == "pair" else None
    return key is not None and text_of(key) == "handler"
