"""Shares of evals, where several attempts at each count their mean."""

from dataclasses import replace
from pathlib import Path

import pytest

from generator.blocks.shares import conclude_in_words
from generator.pages.run import build_run_page
from generator.scores.score_estimate import Share
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome, StepName
from tests.generator.contexts import gather_site
from tests.generator.scores.making import make_against
from tests.records import examples

pytestmark = pytest.mark.unit


def test_thirds_that_add_up_to_a_whole_number_are_shown_as_one(tmp_path: Path) -> None:
    """Six evals with one of three attempts passed are 2 evals passed, not 2.0."""
    evals = 6
    steps = [*StepName][:evals]
    attempts = tuple(
        examples.make_attempt(
            examples.make_eval_name(number),
            sample,
            Outcome.PASSED if sample == 1 else Outcome.FAILED,
            # Each eval fails at a step of its own, so that no two are counted as the same.
            failed_step=None if sample == 1 else steps[number],
        )
        for number in range(evals)
        for sample in (1, 2, 3)
    )
    made = examples.with_attempts(examples.make_run(evals=evals), attempts, samples=3)
    site = gather_site(examples.write_runs(DataFolder(tmp_path), made, evals=evals))
    page = build_run_page(site, site.summaries.runs[0], made)
    assert page.line.score is not None
    assert page.groups[0].score is not None
    assert (page.line.score.passes, page.groups[0].score.passes) == ("2", "2")


def test_a_rounding_error_is_not_shown() -> None:
    """A sum of thirds over many models is whole, or almost; other sums have one decimal."""
    texts = [Share(passed, 4000).passes for passed in (0.1 * 3 * 10, 3020 - 1e-9, 0.04, 2.25)]
    assert texts == ["3", "3020", "0.0", "2.3"]


_CHANCE = "may be chance"


@pytest.mark.parametrize(
    ("ends", "p_value", "uncorrected", "expected"),
    [
        ((0.01, 0.2), 0.02, 0.01, "better"),
        ((-0.1, 0.2), 0.9, 0.4, _CHANCE),
        ((0.01, 0.2), 0.9, 0.02, f"{_CHANCE}, because many are compared"),
        ((0.01, 0.2), 0.9, 0.057, f"{_CHANCE}, because only one of two tests shows it"),
        ((-0.2, -0.01), 0.9, 0.057, f"{_CHANCE}, because only one of two tests shows it"),
    ],
)
def test_a_difference_that_may_be_chance_has_its_reason_beside_an_interval_without_0(
    ends: tuple[float, float], p_value: float, uncorrected: float, expected: str
) -> None:
    """A reader who sees a range above 0 or below it learns what else is missing."""
    against = make_against(0.1, ends, p_value=p_value, uncorrected=uncorrected)
    assert conclude_in_words(against) == expected
    assert conclude_in_words(replace(against, evals=5)) == "too few evals"
