"""Rules for suites whose graders are programs of their authors."""

from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.suite.lint import lint
from tests.runner.command_suite import write_command_suite, write_files

pytestmark = pytest.mark.unit


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A suite of one eval, whose grader calls the answer."""
    return write_command_suite(tmp_path / "evals")


def test_a_reference_that_is_no_text_is_a_finding(root: Path) -> None:
    """Lint names the file, and finds the faults of the rest of the suite all the same."""
    folder = root / "000-numbers" / "000-sums"
    (folder / "answer" / "data.txt").write_bytes(b"\xff")
    write_files(folder, {"TASK.txt": "FILL IN\n"})
    suite = discover(root)
    findings = {finding.rule: finding for finding in lint(suite, suite.evals)}
    assert {"placeholder", "canary", "calibrations"} <= findings.keys()
    assert "data.txt" in findings["calibrations"].advice


@pytest.mark.parametrize("path", ["ledger/book.py", "notes.txt", "a/b/c.py"])
def test_a_file_of_the_reference_that_paths_leave_out_is_named(root: Path, path: str) -> None:
    """No answer could bring it, so the reference would fail without a word on the reason."""
    write_files(root / "000-numbers" / "000-sums", {f"answer/{path}": "\n"})
    suite = discover(root)
    (finding,) = [each for each in lint(suite, suite.evals) if each.rule == "left-out-file"]
    assert finding.file == f"answer/{path}"
    assert "`paths` of suite.toml (" in finding.advice
