"""No prelude of the corpus makes a wrong answer pass, takes its verdict away, or harms the next."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from records.shapes.attempt import Outcome
from runner.evals.discovery import Eval, discover
from runner.grading.grade import GradingService
from runner.grading.worker.protocol import SelectedTests
from tests.runner.small_eval import EVALS, make_value_answer, write_question

pytestmark = pytest.mark.integration
CORPUS = Path(__file__).parent / "corpus"
_PACKAGE = "package.json"
_NEW = "new:"


@dataclass(frozen=True, slots=True)
class Prelude:
    """A prelude of the corpus: text before an answer's own, or fields of its package.json."""

    name: str
    note: str
    """The aim of the prelude, in a line."""
    into: str
    """A pattern of files that get the text at their start, or ``new:`` and a path of a new file."""
    text: str
    merge: Mapping[str, Any]
    """Fields that are laid over package.json."""

    def put_over(self, files: Mapping[str, str]) -> dict[str, str] | None:
        """Put the prelude over an answer; return None if the answer has no place for it."""
        if self.merge:
            package = json.loads(files.get(_PACKAGE, "{}"))
            return {**files, _PACKAGE: json.dumps(_merge_fields(package, self.merge))}
        if self.into.startswith(_NEW):
            return {**files, self.into.removeprefix(_NEW): self.text}
        paths = [path for path in files if self._fits(path)]
        if not paths:
            return None
        return {**files, **{path: self._put_before(files[path]) for path in paths}}

    def _put_before(self, text: str) -> str:
        """Put the prelude before a text; references to types count only in a file's first lines."""
        lines = text.splitlines(keepends=True)
        first = list(takewhile(lambda line: line.startswith("///"), lines))
        return "".join([*first, self.text, *lines[len(first) :]])

    def _fits(self, path: str) -> bool:
        if self.into.startswith("convex/") and path.endswith(".test.ts"):
            return False
        return fnmatch(path, self.into)


def read_corpus() -> tuple[Prelude, ...]:
    """Return all preludes, by name."""
    return tuple(_read(path) for path in sorted(CORPUS.iterdir()))


def _read(path: Path) -> Prelude:
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        described = json.loads(text)
        return Prelude(path.stem, described["note"], _PACKAGE, "", described["merge"])
    head = re.match(r"// note: (.*)\n// into: (.*)\n", text)
    assert head is not None, f"{path}: a prelude begins with lines of its note and its place"
    note, into = head.groups()
    return Prelude(path.stem, note, into, text[head.end() :], {})


def _merge_fields(fields: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **fields,
        **{
            name: {**fields[name], **value} if isinstance(fields.get(name), dict) else value
            for name, value in more.items()
        },
    }


BACKENDS = (
    "000-fundamentals/002-puppet_schema unknown_carver_left_out",
    "002-queries/013-exchange_calls gone_ones_dropped",
    "003-mutations/002-canoe_register undefined_remark",
    "004-actions/007-mining_claims inserted_again",
)
EVERY_CHANGE = {
    *("link_forged", "node_socket_taken", "process_exit", "tests_report"),
}
"""Preludes over functions and tests; the night has them all."""
PAGE = "006-clients/001-choir_pieces copy_of_the_state"
"""A fault in the state of the page, which a client that connects again does not mend."""
WRITTEN = "005-idioms/008-archery_lanes happy_path"


@pytest.fixture(scope="module")
def evals() -> Mapping[str, Eval]:
    """The evals of the suite, by name."""
    return {evaluation.name: evaluation for evaluation in discover(EVALS).evals}


def choose_variant(number: int, prelude: Prelude) -> str:
    """Choose a variant with a place for a prelude; the backend's variants take turns."""
    if prelude.into.startswith("src/"):
        return PAGE
    if "test" in prelude.into:
        return WRITTEN
    return BACKENDS[number % len(BACKENDS)]


def list_samples() -> Iterator[tuple[Prelude, str]]:
    """Yield each prelude with a variant; with EVERY_PRELUDE, with every wrong variant that fits."""
    if "EVERY_PRELUDE" not in os.environ:
        yield from ((each, choose_variant(n, each)) for n, each in enumerate(read_corpus()))
        return
    for evaluation in discover(EVALS).evals:
        for variant in evaluation.load_calibrations():
            for prelude in read_corpus() if variant.kind == "fail" else ():
                if prelude.put_over(variant.files) is not None:
                    yield prelude, f"{evaluation.name} {variant.name}"


@pytest.mark.parametrize(
    ("prelude", "name"),
    [
        pytest.param(
            prelude,
            name,
            id=f"{prelude.name} {name}",
            marks=() if prelude.name in EVERY_CHANGE else pytest.mark.night,
        )
        for prelude, name in list_samples()
    ],
)
def test_a_prelude_changes_no_verdict(
    grading: GradingService, evals: Mapping[str, Eval], prelude: Prelude, name: str, tmp_path: Path
) -> None:
    """The wrong answer fails with the prelude, and a right answer after it passes."""
    evaluation = evals[name.partition(" ")[0]]
    (variant,) = (
        each for each in evaluation.load_calibrations() if f"{evaluation.name} {each.name}" == name
    )
    files = prelude.put_over(variant.files)
    assert files is not None
    # The tests that find the variant come first; if these pass, all tests decide.
    tests = SelectedTests(only=variant.tests, stop_at_failure=True)
    came = grading.grade(evaluation, files, tests)
    if came.outcome is Outcome.PASSED:
        came = grading.grade(evaluation, files)
    assert (came.outcome, came.fault) == (Outcome.FAILED, None), came.reason
    following = grading.grade(write_question(tmp_path), make_value_answer(42))
    assert (following.outcome, following.reason) == (Outcome.PASSED, None)
