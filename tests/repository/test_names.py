"""Names of classes: each has one meaning in the whole repository."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
PACKAGES = ("generator", "leaderboard", "records", "review", "runner")


def test_no_class_name_stands_in_two_modules() -> None:
    """A search for the name of a class finds a single definition."""
    paths_by_class: defaultdict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.ClassDef):
                    paths_by_class[node.name].append(path.relative_to(ROOT).as_posix())
    assert paths_by_class
    assert {name: paths for name, paths in paths_by_class.items() if len(paths) > 1} == {}


def test_the_answers_of_the_guess_test_are_there() -> None:
    """`places.tsv` has questions for a reader of names alone; a moved file is named anew there."""
    rows = Path(__file__).with_name("places.tsv").read_text("utf-8").splitlines()[1:]
    paths = [path for row in rows for path in row.split("\t")[1].split(", ")]
    assert [path for path in paths if not (ROOT / path).exists()] == []
