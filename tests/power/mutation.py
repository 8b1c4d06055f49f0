"""Mutants of the product: every place where a small change of Python or JavaScript is possible."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

ROOT = Path(__file__).parents[2]
PACKAGES = ("generator", "leaderboard", "records", "review", "runner")
NODE_PROGRAMS = ("runner/emulator", "runner/grading")
"""Folders of the Node programs that run in jails, where coverage sees them."""


@dataclass(frozen=True, slots=True, order=True)
class Mutant:
    """One change of a file: the bytes from ``start`` to ``end`` become ``replacement``."""

    path: str
    start: int
    end: int
    line: int
    replacement: str

    @property
    def in_node(self) -> bool:
        """True for a Node program."""
        return self.path.endswith(".mjs")

    def apply(self, source: bytes) -> bytes:
        """Return the file's content with the change."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]

    def describe(self, source: bytes) -> str:
        """Return path, line, and the text before and after the change."""
        before = source[self.start : self.end].decode()
        return f"{self.path}:{self.line}: {_shorten(before)} -> {_shorten(self.replacement)}"


def draw_mutants(seed: int, python: int, node: int) -> list[Mutant]:
    """Draw that many mutants of each language, the same for the same seed and sources.

    Every possible change is as likely as any other.
    """
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    sources = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
    programs = sorted(path for folder in NODE_PROGRAMS for path in (ROOT / folder).rglob("*.mjs"))
    of_python = [mutant for path in sources for mutant in find_python_mutants(path)]
    of_node = [mutant for path in programs for mutant in find_node_mutants(path)]
    sample = chance.sample(of_python, python) + chance.sample(of_node, node)
    chance.shuffle(sample)
    return sample


def _shorten(text: str) -> str:
    return " ".join(text.split())[:60] or "nothing"


# Python

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
}


def find_python_mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of the code that a Python module runs: no annotation, no decorator."""
    module = _PythonModule(path)
    for node in _walk_runtime_code(ast.parse(module.source)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            operator = _COMPARISONS[type(node.ops[0])]
            yield from module.swap(operator, node.left, node.comparators[0])
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            yield from module.swap(_ARITHMETIC[type(node.op)], node.left, node.right)
        elif isinstance(node, ast.BoolOp):
            operator = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from module.swap(operator, node.values[0], node.values[1])
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield module.replace(node.test, f"(not ({module.get_source_text(node.test)}))")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield module.replace(node, "pass")
        else:
            yield from _change_value(module, node)


def _change_value(module: "_PythonModule", node: ast.AST) -> Iterator[Mutant]:
    """Yield the mutants of a constant or of a returned value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield module.replace(node, str(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield module.replace(node, f"({node.value!r} + 1)")
    elif (
        isinstance(node, ast.Return) and node.value and module.get_source_text(node.value) != "None"
    ):
        yield module.replace(node.value, "None")


class _PythonModule:
    """The source of a module, and the bytes where its nodes begin and end."""

    def __init__(self, path: Path) -> None:
        self.source = path.read_bytes()
        self._name = path.relative_to(ROOT).as_posix()
        self._offsets = [0]
        for line in self.source.splitlines(keepends=True):
            self._offsets.append(self._offsets[-1] + len(line))

    def get_source_text(self, node: ast.expr) -> str:
        """Return the source of an expression."""
        start, end = self._find_span(node)
        return self.source[start:end].decode()

    def replace(self, node: ast.expr | ast.stmt, replacement: str) -> Mutant:
        """Return the mutant that replaces a node."""
        return Mutant(self._name, *self._find_span(node), node.lineno, replacement)

    def swap(self, operator: tuple[str, str], left: ast.expr, right: ast.expr) -> Iterator[Mutant]:
        """Yield the mutant that replaces the operator between two operands."""
        before, after = operator
        at = self.source.find(before.encode(), self._find_span(left)[1], self._find_span(right)[0])
        if at >= 0:
            line = self.source.count(b"\n", 0, at) + 1
            yield Mutant(self._name, at, at + len(before), line, after)

    def _find_span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._offsets[node.lineno - 1] + node.col_offset
        return start, self._offsets[node.end_lineno - 1] + node.end_col_offset


def _walk_runtime_code(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below ``node`` that are executed."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "decorator_list", "returns", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType]
            if not isinstance(child, ast.AST) or isinstance(child, ast.pattern):
                continue  # a pattern takes no expression
            if _only_checks_types(child):
                continue
            yield child
            yield from _walk_runtime_code(child)


def _only_checks_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


# JavaScript

_OPERATORS = {
    "===": "!==",
    "!==": "===",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "&&": "||",
    "||": "&&",
    "??": "&&",
}


@cache
def _make_parser() -> Parser:
    return Parser(Language(tree_sitter_typescript.language_typescript()))


def find_node_mutants(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a JavaScript module."""
    source = path.read_bytes()
    name = path.relative_to(ROOT).as_posix()
    for node in walk_javascript(source):
        yield from _change_node(name, node)


def walk_javascript(source: bytes) -> Iterator[Node]:
    """Yield every node of a JavaScript module."""
    waiting = [_make_parser().parse(source).root_node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _change_node(name: str, node: Node) -> Iterator[Mutant]:
    def replace(part: Node, replacement: str) -> Mutant:
        line = part.start_point.row + 1
        return Mutant(name, part.start_byte, part.end_byte, line, replacement)

    if node.type == "binary_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type in _OPERATORS:
            yield replace(operator, _OPERATORS[operator.type])
    elif node.type in {"if_statement", "while_statement", "ternary_expression"}:
        condition = node.child_by_field_name("condition")
        if condition is not None and condition.text is not None:
            yield replace(condition, f"(!({condition.text.decode()}))")
    elif node.type == "number" and node.text is not None:
        yield replace(node, f"({node.text.decode()} + 1)")
    elif node.type in {"true", "false"}:
        yield replace(node, "false" if node.type == "true" else "true")
    elif node.type == "return_statement" and node.named_children:
        yield replace(node.named_children[0], "undefined")
    elif node.type == "expression_statement" and node.named_children[0].type == "call_expression":
        yield replace(node, ";")
