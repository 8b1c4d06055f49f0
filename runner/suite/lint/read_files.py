"""Graders that read files of the eval's folder, and not the files of the graded answer."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import Module, get_literal, spell_called_name, spell_name

_RULE: Final = "reads-reference"
_OWN: Final = ("answer", "calibration")
_READERS: Final = ("open", "read_text", "read_bytes", "iterdir", "glob", "rglob", "listdir")


def find_file_reads(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for paths into answer/ and calibration/, and for calls that open files."""
    for module in modules:
        paths = _find_path_parts(module.tree)
        for node in ast.walk(module.tree):
            text = get_literal(node)
            if text is not None and _leads_inside(node, text, paths):
                advice = f"{text!r} leads to the reference: read the answer by `output` or `source`"
                yield module.make_finding(node, _RULE, advice)
            elif (
                spell_called_name(node) in _READERS and isinstance(node, ast.Call) and _opens(node)
            ):
                advice = "opens a file: the answer's files are read by `output` and `source`"
                yield module.make_finding(node, _RULE, advice)


def _leads_inside(node: ast.AST, text: str, paths: set[int]) -> bool:
    """Return true if a string is a path into answer/ or calibration/, or a part of such a path."""
    first = text.removeprefix("./").split("/")[0]
    if first not in _OWN:
        return any(f"/{own}/" in text for own in _OWN) and " " not in text
    return "/" in text.rstrip("/") or id(node) in paths


def _find_path_parts(tree: ast.Module) -> set[int]:
    """Return the ids of nodes that are joined to a path, as in ``here / "answer"``."""
    parts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts |= {id(node.left), id(node.right)}
        elif spell_called_name(node) in {"Path", "joinpath", "join", "open"} and isinstance(
            node, ast.Call
        ):
            parts |= {id(argument) for argument in node.args}
    return parts


def _opens(call: ast.Call) -> bool:
    """Return true if a call reads files of this machine, and not by a fixture."""
    if isinstance(call.func, ast.Name):
        return call.func.id in {"open", "listdir"}
    below = ast.walk(call.func)
    paths = {"Path", "__file__", "os", "HERE", "ROOT"}
    return any(spell_name(node).split(".")[0] in paths for node in below)
