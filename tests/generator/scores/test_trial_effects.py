"""Effects of editions of the guidelines, by the common standard, corrected over the sections."""

import pytest

from generator.scores.differences.difference import Conclusion
from generator.scores.inputs import EvalCounts
from generator.scores.trial_effects import compute_trial_effects
from records.shapes.trial import Edition
from tests.records.examples import make_trial_run

pytestmark = pytest.mark.unit

EVALS = [f"000-fundamentals/{number:03}-task" for number in range(10)]


def make_passing_counts(number: int, samples: int = 1) -> dict[str, EvalCounts]:
    """Return results in which the first ``number`` evals pass each time."""
    return {name: (samples * (at < number), samples) for at, name in enumerate(EVALS)}


WHOLE = make_trial_run("a")


def test_evals_that_only_the_whole_text_passes_are_lost() -> None:
    """A single section is tested uncorrected: 8 lost of 10 evals is no noise."""
    (effect,) = compute_trial_effects(
        [WHOLE, make_trial_run("b", Edition.LEFT_OUT, "kinds")],
        {"a" * 32: make_passing_counts(10), "b" * 32: make_passing_counts(2)},
    )
    change = effect.difference
    assert change is not None
    assert change.conclusion is Conclusion.WORSE
    assert (change.broken, change.fixed) == (tuple(EVALS[2:]), ())
    assert change.p_value == change.uncorrected


def test_the_effect_of_one_of_many_sections_may_be_chance() -> None:
    """The same 7 lost evals are a finding for one section, and noise for one of fifteen."""
    alone = [WHOLE, make_trial_run("b", Edition.LEFT_OUT, "s0")]
    many = [
        WHOLE,
        *(make_trial_run(letter, Edition.LEFT_OUT, f"s{letter}") for letter in "bcdefghijklmnop"),
    ]
    results = {edition.run_id: make_passing_counts(10) for edition in many} | {
        "b" * 32: make_passing_counts(3)
    }
    (single,) = compute_trial_effects(alone, results)
    effects = compute_trial_effects(many, results)
    first, *others = [effect.difference for effect in effects if effect.difference is not None]
    assert single.difference is not None
    assert single.difference.conclusion is Conclusion.WORSE
    assert first.conclusion is Conclusion.NOISE
    assert {effect.family for effect in effects} == {15}
    assert first.p_value == min(1.0, 15 * single.difference.p_value)
    assert len(others) == 14
    assert {each.conclusion for each in others} == {Conclusion.NOISE}


def test_placebos_are_a_family_of_their_own() -> None:
    """Placebos change no verdict on sections that were left out."""
    left_out = [make_trial_run(letter, Edition.LEFT_OUT, letter) for letter in "bc"]
    placebos = [make_trial_run(letter, Edition.PLACEBO, letter) for letter in "de"]
    results = {edition.run_id: make_passing_counts(10) for edition in [WHOLE, *left_out, *placebos]}
    results["b" * 32] = make_passing_counts(2)
    without = compute_trial_effects([WHOLE, *left_out], results)
    assert compute_trial_effects([WHOLE, *left_out, *placebos], results)[:2] == without


def test_only_evals_that_both_texts_were_judged_on_are_compared() -> None:
    """Without such evals there is no result; fewer than six can show nothing."""
    runs = [WHOLE, make_trial_run("b", Edition.LEFT_OUT, "kinds")]
    (nothing,) = compute_trial_effects(runs, {"a" * 32: make_passing_counts(10)})
    assert nothing.difference is None
    few = dict.fromkeys(EVALS[:5], (0, 1))
    (effect,) = compute_trial_effects(runs, {"a" * 32: make_passing_counts(10), "b" * 32: few})
    assert effect.difference is not None
    assert effect.difference.evals == 5
    assert effect.difference.conclusion is Conclusion.TOO_FEW


def test_the_text_before_is_compared_with_the_text_now() -> None:
    """Evals that only the text of now passes were gained by the change."""
    (effect,) = compute_trial_effects(
        [WHOLE, make_trial_run("b", Edition.BEFORE)],
        {"a" * 32: make_passing_counts(10), "b" * 32: make_passing_counts(1)},
    )
    assert effect.difference is not None
    assert effect.difference.fixed == tuple(EVALS[1:])
    assert effect.difference.conclusion is Conclusion.BETTER
