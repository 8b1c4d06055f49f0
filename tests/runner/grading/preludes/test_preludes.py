"""No prelude of the corpus makes a wrong answer pass, takes its verdict away, or harms the next."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.evals.discovery import discover
from runner.grading.grade import GradingService
from tests.runner.grading.preludes.__main__ import EVALS, Case, grade_case, list_cases
from tests.runner.grading.preludes.corpus import Prelude, read_corpus
from tests.runner.small_eval import make_value_answer, write_question

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
def cases() -> Mapping[tuple[str, str], Case]:
    """Every prelude over the variants that are chosen here, by the names of both."""
    names = {name.split(" ")[0] for name in (*BACKENDS, PAGE, WRITTEN)}
    return {
        (case.prelude.name, f"{case.evaluation.name} {case.variant.name}"): case
        for evaluation in discover(EVALS).evals
        if evaluation.name in names
        for case in list_cases(evaluation, read_corpus())
    }


def choose_variant(number: int, prelude: Prelude) -> str:
    """Choose a variant with a place for a prelude; the backend's variants take turns."""
    if prelude.into.startswith("src/"):
        return PAGE
    if "test" in prelude.into:
        return WRITTEN
    return BACKENDS[number % len(BACKENDS)]


SAMPLE = [
    pytest.param(
        (each.name, choose_variant(number, each)),
        id=each.name,
        marks=() if each.name in EVERY_CHANGE else pytest.mark.night,
    )
    for number, each in enumerate(read_corpus())
]


@pytest.mark.parametrize("sample", SAMPLE)
def test_a_prelude_changes_no_verdict(
    grading: GradingService,
    cases: Mapping[tuple[str, str], Case],
    sample: tuple[str, str],
    tmp_path: Path,
) -> None:
    """The wrong answer fails with the prelude, and a right answer after it passes."""
    came = grade_case(grading, cases[sample])
    assert (came.outcome, came.fault) == (Outcome.FAILED, None), came.reason
    following = grading.grade(write_question(tmp_path), make_value_answer(42))
    assert (following.outcome, following.reason) == (Outcome.PASSED, None)
