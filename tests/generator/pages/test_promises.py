"""Sentences of the site with a probability or an effect: a test simulates each of them."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

pytestmark = pytest.mark.unit

_ROOT: Final = Path(__file__).parents[3]
_SCORES: Final = _ROOT / "tests" / "generator" / "scores"


class Promise(NamedTuple):
    """A sentence, and the test that simulates how often it is right."""

    test: str
    """Name of a test below the tests of scores."""
    file: str
    fragment: str
    """Part of the sentence, as in the file."""


_SIMULATED: Final[Mapping[str, Mapping[str, Sequence[str]]]] = json.loads(
    Path(__file__).with_name("promises.json").read_bytes()
)
"""The sentences of each test, by file."""
PROMISES: Final = [
    Promise(test, file, fragment)
    for test, sentences in _SIMULATED.items()
    for file, fragments in sentences.items()
    for fragment in fragments
]
_STATES_ODDS: Final = re.compile(
    r"times in 100|(?:may be|more than|by|is) chance|95%|alone makes such|how likely", re.IGNORECASE
)
_NO_SENTENCE: Final = re.compile(r'^\s*("""|#|\{#|[A-Z][^"{}<>]*"""$|None where)|_MAY_BE_CHANCE')


def _read(file: str) -> str:
    return (_ROOT / file).read_text(encoding="utf-8")


@cache
def _list_score_tests() -> frozenset[str]:
    """Return the names of all tests of scores."""
    texts = (path.read_text(encoding="utf-8") for path in _SCORES.rglob("test_*.py"))
    return frozenset(
        name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
    )


@pytest.mark.parametrize("promise", PROMISES, ids=lambda each: f"{each.file}: {each.fragment[:40]}")
def test_a_promise_stands_on_the_site_and_its_test_is_there(promise: Promise) -> None:
    """Neither the sentence nor the test was renamed without the other."""
    assert promise.fragment in " ".join(_read(promise.file).split())
    assert promise.test in _list_score_tests()


def test_each_sentence_with_odds_is_a_promise() -> None:
    """A new sentence of this kind needs a simulation, and an entry above."""
    folders = (
        "site_templates/**/*.html",
        *(f"generator/{name}/*.py" for name in ("pages", "blocks", "diff")),
    )
    files = [path for pattern in folders for path in sorted(_ROOT.glob(pattern))]
    without: list[str] = []
    for path in files:
        name = path.relative_to(_ROOT).as_posix()
        fragments = [promise.fragment for promise in PROMISES if promise.file == name]
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if not _STATES_ODDS.search(line) or _NO_SENTENCE.search(line):
                continue
            around = " ".join(" ".join(lines[max(0, number - 1) : number + 2]).split())
            if not any(fragment in around for fragment in fragments):
                without.append(f"{name}:{number + 1}: {line.strip()}")
    assert without == []
