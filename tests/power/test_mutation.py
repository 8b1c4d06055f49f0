"""Mutants: the places where a source can be changed, and the changes."""

import ast
from pathlib import Path

import pytest

from tests.power import mutation
from tests.power.mutation import Mutant, find_node_mutants, find_python_mutants

pytestmark = pytest.mark.unit

PYTHON = '''\
"""Text with 1 < 2."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    LIMIT = 3

@decorator(frozen=True)
def check(value: "Literal[1]", *, strict: bool = True) -> int | None:
    if value < 2 and not strict:
        report(value)
        return None
    match value:
        case 404:
            return value + 1
'''
NODE = """\
export function check(value, strict = true) {
  if (value < 2 && !strict) {
    report(value);
    return;
  }
  return value ?? 7;
}
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the checkout."""
    monkeypatch.setattr(mutation, "ROOT", tmp_path)
    return tmp_path


def describe(mutants: list[Mutant], source: str) -> set[str]:
    """Return line, text and replacement of each mutant."""
    return {mutant.describe(source.encode()).partition(":")[2] for mutant in mutants}


def test_python_is_changed_where_it_does_something(root: Path) -> None:
    """Texts, annotations, decorators, patterns and code for type checkers stay as they are."""
    file = root / "module.py"
    file.write_text(PYTHON)
    assert describe(list(find_python_mutants(file)), PYTHON) == {
        "8: True -> False",
        "9: value < 2 and not strict -> (not (value < 2 and not strict))",
        "9: and -> or",
        "9: < -> <=",
        "9: 2 -> (2 + 1)",
        "10: report(value) -> pass",
        "14: value + 1 -> None",
        "14: + -> -",
        "14: 1 -> (1 + 1)",
    }


def test_every_mutant_of_python_is_python(root: Path) -> None:
    """A mutant that does not parse would be killed by any test."""
    file = root / "module.py"
    file.write_text(PYTHON)
    for mutant in find_python_mutants(file):
        ast.parse(mutant.apply(file.read_bytes()))


def test_javascript_is_changed_likewise(root: Path) -> None:
    """Conditions, operators, values, returns and calls are changed."""
    file = root / "module.mjs"
    file.write_text(NODE)
    assert describe(list(find_node_mutants(file)), NODE) == {
        "1: true -> false",
        "2: (value < 2 && !strict) -> (!((value < 2 && !strict)))",
        "2: < -> <=",
        "2: 2 -> (2 + 1)",
        "2: && -> ||",
        "3: report(value); -> ;",
        "6: value ?? 7 -> undefined",
        "6: ?? -> &&",
        "6: 7 -> (7 + 1)",
    }
