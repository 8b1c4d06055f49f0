"""Every pattern of the product takes time in proportion to the text, however hostile that is.

Steps are counted, not seconds.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

from records.files import name_patterns
from review.desk.app import ADDRESS_PARTS
from review.exports.row_builders import _SHAPE  # pyright: ignore[reportPrivateUsage] - it is built
from review.redaction import list_rules
from review.session_imports.common.drafts import compile_block_opening
from runner.answers.reasoning import _MARK  # pyright: ignore[reportPrivateUsage] - it is built
from runner.models.api_keys import Redactor
from runner.toolchain import find_node
from tests.patterns.attacking import FEW_PUMPS, MOST_PUMPS, find_slow
from tests.patterns.collecting import ROOT, FoundPattern, find_patterns

pytestmark = pytest.mark.integration(reason="a minute on a busy machine, for all patterns together")
FOUND = find_patterns()
NAMES = [
    value
    for name, value in vars(name_patterns).items()
    # Only pydantic's engine reads it, which is linear in every pattern.
    if isinstance(value, str) and name.isupper() and name != "VISIBLE_LINE" and name[0] != "_"
]
AT_RUN_TIME: dict[str, list[FoundPattern]] = {
    "records/files/data_folder.py: pattern": [
        FoundPattern(f"name {pattern}", pattern, 0, anchored=True) for pattern in NAMES
    ],
    "review/desk/app.py: ADDRESS_PARTS[name]": [
        FoundPattern(f"part {name}", pattern, 0, anchored=True)
        for name, pattern in ADDRESS_PARTS.items()
    ],
    "review/desk/app.py: PSEUDONYM": [],
    "leaderboard/options.py: pattern": [],  # its callers pass some of the names
    "leaderboard/commands/setup.py: EVAL_NAME": [],  # one of the names
    "runner/evals/discovery.py: EVAL_NAME": [],  # one of the names
    "runner/suite/new.py: EVAL_NAME": [],  # one of the names
    "runner/runs/plan.py: EXPERIMENT_NAME": [],  # one of the names
    "review/exports/row_builders.py: _SHAPE": [
        FoundPattern("lines of text exports", _SHAPE.pattern, _SHAPE.flags, anchored=False)
    ],
    "review/session_imports/common/drafts.py: f'<({names})(?:\\\\s[^<>]*)?>'": [
        FoundPattern("tags of programs", tags.pattern, tags.flags, anchored=False)
        for tags in [compile_block_opening(["command-name", "system-reminder"])]
    ],
    "review/secret_rules/rule.py: pattern": [
        FoundPattern(
            f"redaction {number} {rule.marks}",
            rule.pattern.pattern,
            rule.pattern.flags,
            anchored=False,
        )
        for number, rule in enumerate(list_rules())
    ],
    "records/files/data_folder.py: MODEL_SLUG": [],  # one of the names
    # One of the rules.
    "review/secret_rules/secret_tokens.py: f'(?<![A-Za-z0-9])(?:{alternation})'": [],
    # A person's own option of a command, tried on names of evals.
    "runner/evals/discovery.py: pattern or ''": [],
    "leaderboard/runs/regrade.py: pattern or ''": [],
    "leaderboard/preview/links.py: pattern.replace('/\\\\*', '(?:/(?P<splat>.*))?')": [
        FoundPattern(
            "rules of _redirects",
            "/runs/(?P<run>[^/]+)(?:/(?P<splat>.*))?",
            re.DOTALL,
            anchored=True,
        )
    ],
    "runner/answers/reasoning.py: _MARK": [
        FoundPattern("marks of reasoning", _MARK.pattern, _MARK.flags, anchored=False)
    ],
    "runner/models/api_keys.py: '|'.join(map(re.escape, self._forms))": [
        FoundPattern("keys", keys.pattern, keys.flags, anchored=False)
        for keys in [Redactor(["sk-one/1234567", "sk-one/12345678"])._known]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    ],
}
"""Patterns that are built at run time, by their place in the sources: their forms, or why none."""
ALL = [
    *(found_pattern for found_pattern in FOUND if found_pattern.pattern is not None),
    *(found_pattern for listed in AT_RUN_TIME.values() for found_pattern in listed),
]
SLOW = [
    (r"(?i)(secret|token)[\w-]*[:=]", 0),
    (r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.", 0),
    (r"[\w./-]+\.(?:tsx?|py)", 0),
    (r"<think>.*?</think>", re.DOTALL),
    (r"\s+$", 0),
    (rb"\d+[.)]", 0),
    (r"^[^\n]*[a-z][^\n]*$", 0),
    (r"(a+)+$", 0),
    (r"(?:x|xy?)*z", 0),
]


def name_pattern(found_pattern: FoundPattern) -> str:
    """Return a name of a test."""
    return found_pattern.place[:80]


def test_patterns_of_run_time_are_listed() -> None:
    """A new pattern needs a line in the table above; a pattern that is gone leaves it."""
    places = {found_pattern.place for found_pattern in FOUND if found_pattern.pattern is None}
    assert places == set(AT_RUN_TIME)
    assert len(ALL) > 100


def choose_tier(number: int, found_pattern: FoundPattern) -> pytest.MarkDecorator | tuple[()]:
    """Leave the slowest to the night, and three in four of the rules of redaction to `more`."""
    if "'curl'" in found_pattern.place:  # counting takes a minute
        return pytest.mark.night
    return pytest.mark.more if number % 4 and found_pattern.place.startswith("redaction") else ()


def name_pumps(pumps: int) -> str:
    """Return a name of the number of repeated parts."""
    return f"{pumps} parts"


@pytest.mark.parametrize(
    "pumps", [FEW_PUMPS, pytest.param(MOST_PUMPS, marks=pytest.mark.night)], ids=name_pumps
)
@pytest.mark.parametrize(
    "found_pattern",
    [
        pytest.param(found_pattern, marks=choose_tier(number, found_pattern))
        for number, found_pattern in enumerate(ALL)
    ],
    ids=name_pattern,
)
def test_steps_grow_with_the_text(found_pattern: FoundPattern, pumps: int) -> None:
    """On texts of the pattern's own parts, twice the characters cost twice the steps at most."""
    assert found_pattern.pattern is not None
    slow = find_slow(
        found_pattern.pattern, found_pattern.flags, anchored=found_pattern.anchored, pumps=pumps
    )
    assert slow is None


@pytest.mark.more
@pytest.mark.parametrize(("pattern", "flags"), SLOW)
def test_slow_patterns_are_recognised(pattern: str | bytes, flags: int) -> None:
    """Without this, the test above might see nothing at all: a change's few parts show them."""
    assert find_slow(pattern, flags, pumps=FEW_PUMPS) is not None


FOLDERS = ("generator", "leaderboard", "review", "runner", "scripts", "site_templates")
TYPESCRIPT = ROOT / "evals" / "node_modules" / "typescript" / "lib" / "typescript.js"
COLLECT = Path(__file__).with_name("collect.mjs")
PRISM = ROOT / "site_templates" / "assets" / "prism.js"
"""The library that colours code in the reader's browser: not ours, and given short texts only."""
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
IN_PYTHON = (
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


@pytest.mark.more
def test_steps_of_javascript_grow_with_the_text() -> None:
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
