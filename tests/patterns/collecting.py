"""The patterns of the product, found in its sources."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("generator", "leaderboard", "records", "review", "runner", "scripts")
_SEARCHES = frozenset(
    {"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"}
)
_ANCHORED = frozenset({"fullmatch", "match"})
_IMPORT = re.compile(r"^[ \t]*(?:import|from)\b.*\b(?:re|regex)\b", re.MULTILINE)
"""A line by which a module can get at patterns."""


class FoundPattern(NamedTuple):
    """A pattern in a source file."""

    place: str
    """The file, with the name or the expression that the pattern has there."""
    pattern: str | bytes | None
    """Null where it is built at run time."""
    flags: int
    anchored: bool
    """It is tried at the start of a text only."""


def find_patterns() -> list[FoundPattern]:
    """Return the patterns of all Python files of the product, and of its scripts without suffix."""
    patterns: list[FoundPattern] = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if _is_python(path):
                name = path.relative_to(ROOT).as_posix()
                patterns += parse_patterns(name, path.read_text("utf-8"))
    return patterns


def _is_python(path: Path) -> bool:
    if path.suffix or not path.is_file():
        return path.suffix == ".py"
    with path.open("rb") as file:
        first = file.readline()
    return first.startswith(b"#!") and b"python" in first


def parse_patterns(name: str, text: str) -> Iterator[FoundPattern]:
    """Yield the patterns that a source text gives to `re`.

    A pattern that a private name holds is anchored where the module only matches at a text's start.
    """
    if _IMPORT.search(text) is None:
        return
    tree = ast.parse(text, name)
    modules, functions = _find_imported(tree)
    if not modules and not functions:
        return
    for call, target in _find_calls(tree):
        method = _find_method(call.func, modules, functions)
        if method is None:
            continue
        first, flags = _read_arguments(call, method)
        pattern = _read_constant(first, _find_assigned(tree))
        anchored = method in _ANCHORED or _is_only_matched(tree, target)
        words = target or (repr(pattern) if pattern is not None else ast.unparse(first))
        yield FoundPattern(f"{name}: {words}", pattern, flags, anchored)


def _find_imported(tree: ast.Module) -> tuple[set[str], dict[str, str]]:
    """Return the names of the module `re` in a source text, and those of its functions."""
    modules: set[str] = set()
    functions: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {
                alias.asname or alias.name for alias in node.names if alias.name in {"re", "regex"}
            }
        elif isinstance(node, ast.ImportFrom) and node.module in {"re", "regex"}:
            functions |= {alias.asname or alias.name: alias.name for alias in node.names}
    return modules, functions


def _find_assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the expressions that names of a module's level are given."""
    named: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                named[target.id] = node.value
    return named


def _find_calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str | None]]:
    """Yield every call, with the name that its value is given to at the module's level."""
    named = {value: name for name, value in _find_assigned(tree).items()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, named.get(node)


def _find_method(func: ast.expr, modules: set[str], functions: dict[str, str]) -> str | None:
    """Return which function of `re` a call calls; None where it calls another."""
    name = None
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        name = func.attr if func.value.id in modules else None
    elif isinstance(func, ast.Name):
        name = functions.get(func.id)
    return name if name in _SEARCHES else None


def _read_arguments(call: ast.Call, method: str) -> tuple[ast.expr, int]:
    """Return the pattern of a call and its flags."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    first = call.args[0] if call.args else keywords["pattern"]
    index = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(method, 2)
    flags = call.args[index] if len(call.args) > index else keywords.get("flags")
    return first, 0 if flags is None else _read_flags(flags)


def _read_flags(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        return _read_flags(node.left) | _read_flags(node.right)
    assert isinstance(node, ast.Attribute), ast.unparse(node)
    return int(getattr(re, node.attr))


def _read_constant(node: ast.expr, named: Mapping[str, ast.expr]) -> str | bytes | None:
    """Return the text that an expression of constants is; None where it needs more than those."""
    if isinstance(node, ast.Name) and node.id in named:
        return _read_constant(named[node.id], named)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = _read_constant(node.left, named), _read_constant(node.right, named)
        if isinstance(parts[0], str) and isinstance(parts[1], str):
            return parts[0] + parts[1]
        if isinstance(parts[0], bytes) and isinstance(parts[1], bytes):
            return parts[0] + parts[1]
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str | bytes) else None


def _is_only_matched(tree: ast.Module, target: str | None) -> bool:
    """Say whether a private pattern of a module is only asked for matches at a text's start."""
    if target is None or not target.startswith("_"):
        return False
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == target]
    loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
    asked = [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.value in loads
    ]
    return bool(loads) and len(asked) == len(loads) and set(asked) <= _ANCHORED
