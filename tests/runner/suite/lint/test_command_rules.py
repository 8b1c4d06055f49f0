"""Rules for suites whose graders are programs of their authors."""

from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.suite.lint import Finding, lint
from tests.runner.command_suite import write_command_suite, write_files

pytestmark = pytest.mark.unit


def find_imports(root: Path) -> list[Finding]:
    """Return the findings about imports of the answer."""
    suite = discover(root)
    return [finding for finding in lint(suite, suite.evals) if finding.rule == "imports-answer"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of one eval, whose grader calls the answer."""
    return write_command_suite(tmp_path / "evals")


@pytest.mark.parametrize(
    "line",
    [
        "from sums import add",
        "import os, sums",
        "import sums as under_test",
        "def test_it():\n    from sums import add",
    ],
)
def test_an_import_of_the_answer_is_a_fault(root: Path, line: str) -> None:
    """The advice names the function of the kit that calls the answer."""
    write_files(root / "000-numbers" / "000-sums" / "grader", {"checks/test_more.py": f"{line}\n"})
    (finding,) = find_imports(root)
    assert finding.file == "grader/checks/test_more.py"
    assert finding.line == line.count("\n") + 1
    assert 'call("sums.py", ...)' in finding.advice


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("import shop.cart", ["shop/cart.py"]),
        ("import shop.tax.rates", ["shop/tax.py"]),
        ("from shop.tax import rate", ["shop/tax.py"]),
        ("from shop import cart, tax", ["shop/cart.py", "shop/tax.py"]),
        ("import shop", ["shop/"]),
        ("from shop import *", ["shop/"]),
        ("import kiosk.other", ["kiosk/__init__.py"]),
        ("from kiosk import sell", ["kiosk/__init__.py"]),
    ],
)
def test_the_advice_names_the_file_that_is_imported(
    root: Path, line: str, places: list[str]
) -> None:
    """Among files of a folder, the file with the name is meant; without such a file, the folder."""
    files = {
        "answer/shop/cart.py": "\n",
        "answer/shop/tax.py": "\n",
        "answer/kiosk/__init__.py": "\n",
        "answer/kiosk/stock.py": "\n",
        "grader/test_more.py": f"{line}\n",
    }
    write_files(root / "000-numbers" / "000-sums", files)
    named = [finding.advice.partition(",")[0] for finding in find_imports(root)]
    assert named == [f"imports {path}" for path in places]


def test_a_reference_that_is_no_text_is_a_finding(root: Path) -> None:
    """Lint names the file, and finds the faults of the rest of the suite all the same."""
    folder = root / "000-numbers" / "000-sums"
    (folder / "answer" / "data.txt").write_bytes(b"\xff")
    write_files(folder, {"TASK.txt": "FILL IN\n"})
    suite = discover(root)
    findings = {finding.rule: finding for finding in lint(suite, suite.evals)}
    assert {"placeholder", "canary", "calibrations"} <= findings.keys()
    assert "data.txt" in findings["calibrations"].advice


@pytest.mark.parametrize(
    ("answer", "grader"),
    [
        ("answer.py", "from answer import call\n"),
        ("json.py", "import json\n"),
        ("helper.py", "import helper\n"),
        ("lib/words.py", "from . import lib\n"),
        ("other.py", "import sums other\n"),
        ("other.py", "\0"),
    ],
    ids=["kit", "python", "of-the-grader", "relative", "no-python", "zero"],
)
def test_other_imports_are_none(root: Path, answer: str, grader: str) -> None:
    """The kit, Python's library and the grader's own modules are there, whatever answers have."""
    files = {
        f"answer/{answer}": "\n",
        "grader/test_more.py": grader,
        "grader/helper.py": "\n",
    }
    write_files(root / "000-numbers" / "000-sums", files)
    assert find_imports(root) == []


@pytest.mark.parametrize("path", ["ledger/book.py", "notes.txt", "a/b/c.py"])
def test_a_file_of_the_reference_that_paths_leave_out_is_named(root: Path, path: str) -> None:
    """No answer could bring it, so the reference would fail without a word on the reason."""
    write_files(root / "000-numbers" / "000-sums", {f"answer/{path}": "\n"})
    suite = discover(root)
    (finding,) = [each for each in lint(suite, suite.evals) if each.rule == "left-out-file"]
    assert finding.file == f"answer/{path}"
    assert "`paths` of suite.toml (" in finding.advice
