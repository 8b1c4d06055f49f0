"""The checks of JavaScript, which have to cover every script and style sheet here."""

import json
import subprocess
from pathlib import Path

import pytest

from runner.toolchain import find_node

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
_CHECKERS = ROOT / "tests" / "checkers"
_SHIPPED = ":!site_templates/assets/prism.js"
"""A library, unchanged; its authors check it."""


def test_no_script_is_left_out() -> None:
    """A new file, or a new folder of files, is formatted, linted and typed at once."""
    tracked = ("git", "ls-files", "*.js", "*.mjs", "*.cjs", "*.css", ":!evals", ":!data", _SHIPPED)
    paths = subprocess.run(tracked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "runner/emulator/server.mjs" in paths.splitlines()
    assert list_unchecked(paths) == {"unlinted": [], "unformatted": [], "untyped": []}


def test_what_no_check_covers_is_named() -> None:
    """A script below evals/, which no check covers, is reported as left out by each of them."""
    path = "evals/script.mjs"
    assert list_unchecked(path) == {"unlinted": [path], "unformatted": [path], "untyped": [path]}


def list_unchecked(paths: str) -> dict[str, list[str]]:
    """Return the paths that each check leaves out."""
    if not (_CHECKERS / "node_modules" / "prettier").exists():
        pytest.skip("needs prettier: make tests/checkers/node_modules/.ready")
    done = subprocess.run(
        [find_node(), _CHECKERS / "list_unchecked.mjs"],
        cwd=ROOT,
        input=paths,
        capture_output=True,
        text=True,
        check=True,
    )
    paths_by_check: dict[str, list[str]] = json.loads(done.stdout)
    return paths_by_check
