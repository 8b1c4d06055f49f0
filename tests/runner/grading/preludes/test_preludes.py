"""No prelude of the corpus makes a wrong answer pass, takes its verdict away, or harms the next."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.evals.discovery import Eval, discover
from runner.grading.grade import GradingService
from runner.grading.worker.protocol import SelectedTests
from tests.runner.grading.preludes.corpus import Prelude, read_corpus
from tests.runner.small_eval import EVALS, make_value_answer, write_question

pytestmark = pytest.mark.integration

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
