"""Graders that share many lines: copied preparation, which should be a fixture."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import Module

SHARED_LINES: Final = 8
"""The number of equal lines in a row from which two graders count as copies."""
_SHORTEST: Final = 4
"""The fewest characters of a line that counts, because shorter lines are mostly brackets."""


@dataclass(frozen=True, slots=True)
class _CopiedLine:
    module: Module
    number: int
    text: str


def find_copied_lines(modules: Sequence[Module]) -> Iterator[Finding]:
    """Find graders of different evals that have many lines in a row in common."""
    first_seen: dict[tuple[str, ...], _CopiedLine] = {}
    reported: set[tuple[str, str]] = set()
    for module in modules:
        lines = _read_lines(module)
        for start in range(len(lines) - SHARED_LINES + 1):
            window = tuple(line.text for line in lines[start : start + SHARED_LINES])
            other = first_seen.setdefault(window, lines[start])
            pair = (other.module.evaluation.name, module.evaluation.name)
            if pair[0] != pair[1] and pair not in reported:
                reported.add(pair)
                yield _make_finding(lines[start], other)


def _make_finding(line: _CopiedLine, other: _CopiedLine) -> Finding:
    where = f"{other.module.evaluation.name}/{other.module.path.name}:{other.number}"
    return Finding(
        line.module.evaluation.name,
        line.module.path.name,
        line.number,
        "copied",
        f"{SHARED_LINES} lines or more are those of {where}: shared preparation belongs into "
        "a fixture of runner/grading/fixtures",
    )


def _read_lines(module: Module) -> list[_CopiedLine]:
    """Return the lines that count: without short lines, imports, docstrings and comments."""
    text = module.path.read_text(encoding="utf-8").splitlines()
    silent = _find_silent_lines(module.tree)
    return [
        _CopiedLine(module, number, line.strip())
        for number, line in enumerate(text, 1)
        if number not in silent
        and len(line.strip()) >= _SHORTEST
        and not line.lstrip().startswith("#")
    ]


def _find_silent_lines(tree: ast.Module) -> set[int]:
    """Return the lines of imports and docstrings."""
    silent: set[int] = set()
    for node in ast.walk(tree):
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and (alone or isinstance(node, ast.Import | ast.ImportFrom)):
            silent |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return silent
