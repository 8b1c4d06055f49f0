"""Every pattern in JavaScript of the product takes time in proportion to the text.

The patterns are read by TypeScript's parser and counted as Python's are: what differs between the
two engines changes no growth.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from runner.toolchain import find_node
from tests.patterns.attacking import find_slow
from tests.patterns.collecting import ROOT

pytestmark = pytest.mark.more

FOLDERS: Final = ("generator", "leaderboard", "review", "runner", "scripts", "site_templates")
TYPESCRIPT: Final = ROOT / "evals" / "node_modules" / "typescript" / "lib" / "typescript.js"
COLLECT: Final = Path(__file__).with_name("collect.mjs")
PRISM: Final = ROOT / "site_templates" / "assets" / "prism.js"
"""The library that colours code in the reader's browser: not ours, and given short texts only."""
FLAGS: Final = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
IN_PYTHON: Final = (
    (r"\(\?<(?=\w)", "(?P<"),  # named groups
    (r"(?<!\\)\$", r"\\Z"),
    (r"\\/", "/"),
    (r"\[\^\\p\{L\}\\p\{M\}\\p\{N\}\]", r"\\W"),  # letters, marks and numbers
    (r"\[\\p\{L\}\\p\{N\}\]", r"\\w"),  # letters and numbers
    (r"\[\{\[\]", r"[{\\[]"),
    (r"\[\^\[\\\]\]", r"[^\\[\\]]"),
    (r"\[\\w\\Z\]", r"[\\w$]"),
    (r"\[A-Za-z_\\Z\]", r"[A-Za-z_$]"),
    (r"\[\.\*\+\?\^\\Z", r"[.*+?^$"),
)
"""Forms of JavaScript as Python writes them."""


def in_python(pattern: str, flags: str) -> tuple[str, int]:
    """Return a pattern of JavaScript as Python writes it."""
    for form, instead in IN_PYTHON:
        pattern = re.sub(form, instead, pattern)
    return pattern, sum(FLAGS.get(flag, 0) for flag in flags)


def collect_patterns(*files: Path) -> dict[str, list[tuple[str, str] | None]]:
    """Return the patterns of each file, with their flags."""
    done = subprocess.run(
        [find_node(), COLLECT, TYPESCRIPT, *files], capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def test_steps_grow_with_the_text() -> None:
    """None is built at run time, and twice the characters cost twice the steps at most."""
    files = [
        path
        for folder in FOLDERS
        for suffix in ("*.js", "*.mjs")
        for path in sorted((ROOT / folder).rglob(suffix))
        if path != PRISM
    ]
    patterns = [
        (Path(file).name, pattern)
        for file, listed in collect_patterns(*files).items()
        for pattern in listed
    ]
    assert len(patterns) > 20
    for file, pattern in patterns:
        assert pattern is not None, f"{file}: builds a pattern at run time: write it out"
        assert find_slow(*in_python(*pattern)) is None, (file, pattern)
