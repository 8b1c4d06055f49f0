"""Docstrings of modules: the first word is a noun, not a question word."""

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("generator", "leaderboard", "records", "review", "runner")
QUESTIONS = {"What", "Who", "Whoever", "Whatever", "Where", "How", "When", "Which"}
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_module_describes_itself(package: str) -> None:
    """No module's docstring begins with a question word, which names nothing."""
    begins = {
        path.relative_to(ROOT).as_posix(): (ast.get_docstring(ast.parse(path.read_bytes())) or "")
        for path in MODULES
        if path.is_relative_to(ROOT / package)
    }
    vague = [name for name, text in begins.items() if text.partition(" ")[0] in QUESTIONS]
    assert vague == []
