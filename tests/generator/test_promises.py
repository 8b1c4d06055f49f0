"""Sentences of the site that state a probability or an effect: each is simulated by a test."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest

pytestmark = pytest.mark.unit

_ROOT: Final = Path(__file__).parents[2]
_SCORES: Final = "tests/generator/scores/"


class Promise(NamedTuple):
    """A sentence, and the test that simulates how often it is right."""

    file: str
    fragment: str
    """Of the sentence, as it stands in the file."""
    module: str
    """Below the tests of scores."""
    test: str


_PAIR: Final = ("test_value.py", "test_chance_makes_a_difference_as_often_as_the_sentence_says")
_SCORE: Final = (
    "test_coverage.py",
    "test_intervals_of_scores_hold_the_truth_93_to_97_times_in_100",
)
_DIFFERENCE: Final = (
    "test_coverage.py",
    "test_intervals_of_differences_hold_the_truth_93_to_98_times_in_100",
)
_RERUN: Final = (
    "test_coverage.py",
    "test_a_second_set_of_attempts_scores_as_near_as_the_rerun_figure_promises",
)
_NOTHING: Final = (
    "test_coverage.py",
    "test_guidelines_that_change_nothing_are_said_to_in_at_most_5_of_100",
)
_JOINT: Final = (
    "test_joint.py",
    "test_any_two_of_equal_models_are_told_apart_on_2_to_5_boards_of_100",
)
_POWER: Final = ("test_difference.py", "test_the_smallest_effect_is_shown_80_times_in_100")
_TREND: Final = ("test_trend.py", "test_models_without_a_trend_are_seldom_said_to_have_one")
_SENTENCES: Final = "test_sentences.py"
_MEAN: Final = (
    _SENTENCES,
    "test_chance_moves_the_mean_of_models_as_often_as_the_sentence_says",
)
_PARTS: Final = (_SENTENCES, "test_no_part_of_an_effect_of_nothing_is_told_as_one")
_MEAN_ENDS: Final = (_SENTENCES, "test_ends_of_the_mean_effect_hold_the_truth")
_SECTIONS: Final = (_SENTENCES, "test_sections_that_do_nothing_are_seldom_missed")
_ACROSS: Final = (
    _SENTENCES,
    "test_the_best_of_equal_models_is_seldom_better_than_those_of_another_version",
)
_FIELD: Final = (_SENTENCES, "test_ends_of_a_difference_from_the_field_hold_the_truth")

_ANSWERS: Final = "generator/site/answers.py"
_GUIDELINES: Final = "site_templates/guidelines.html"
_MODEL: Final = "site_templates/model.html"
_PARTS_FILE: Final = "site_templates/parts.html"
_COMPARE: Final = "site_templates/compare.html"

PROMISES: Final = (
    Promise(_ANSWERS, "none shown to be better than another", *_JOINT),
    Promise(_ANSWERS, "no model is shown to be better", *_JOINT),
    Promise(_ANSWERS, "better than {weaker}", *_JOINT),
    Promise(
        _ANSWERS,
        "passes the most for its price",
        "test_value.py",
        "test_models_of_equal_value_are_seldom_told_apart",
    ),
    Promise(_ANSWERS, "With the guidelines {who} {verb} {amount}", *_MEAN_ENDS),
    Promise(_ANSWERS, "scores as without", *_DIFFERENCE),
    Promise(_ANSWERS, "which may be chance", *_MEAN),
    Promise(_ANSWERS, "chance alone makes such a difference", *_PAIR),
    Promise(
        _ANSWERS,
        " Most: {name}",
        "test_effect.py",
        "test_the_largest_of_many_equal_effects_is_rarely_certain",
    ),
    Promise(_GUIDELINES, "95% interval", *_DIFFERENCE),
    Promise(_GUIDELINES, "would have shown 80 times in 100", *_POWER),
    Promise(_GUIDELINES, "That is more than chance.", *_MEAN),
    Promise(_GUIDELINES, "That may be chance, which alone makes such a difference", *_MEAN),
    Promise(_GUIDELINES, "{{ conclusions.noise }} may be chance", *_NOTHING),
    Promise(_GUIDELINES, "which may be chance", *_MEAN),
    Promise(_GUIDELINES, "times in 100 (p below 0.05)", *_NOTHING),
    Promise(_GUIDELINES, "p is corrected for the number of categories", *_PARTS),
    Promise(_MODEL, "points, 95 times in 100.", *_RERUN),
    Promise(_MODEL, "{{ one.score.high | rounded }}%, 95 times in 100.", *_SCORE),
    Promise(
        _MODEL,
        "attempts at one eval all pass",
        "test_estimates.py",
        "test_all_of_three_is_unbiased",
    ),
    Promise(_MODEL, "A difference has its 95% interval beside it", *_FIELD),
    Promise(_MODEL, "in percent, with its 95% interval.", *_SCORE),
    Promise(_MODEL, "paired eval by eval, with the 95% interval", *_DIFFERENCE),
    Promise("site_templates/models.html", "in percent, with its 95% interval.", *_SCORE),
    Promise("site_templates/leaderboard.html", "are its 95%", *_SCORE),
    Promise("site_templates/leaderboard.html", "with the 95% interval. Bold is more", *_DIFFERENCE),
    Promise(_COMPARE, "95% interval", *_DIFFERENCE),
    Promise(_COMPARE, "more than chance, corrected for the number of pairs", *_JOINT),
    Promise(_COMPARE, "Bold is more than chance, corrected for the number of pairs", *_ACROSS),
    Promise("generator/site/compare.py", "may be chance", *_JOINT),
    Promise("generator/site/compare.py", "is more than chance", *_JOINT),
    Promise("generator/site/across_versions.py", "may be chance", *_ACROSS),
    Promise("generator/site/progress.py", "such an order comes by chance", *_TREND),
    Promise("generator/site/progress.py", "more than by chance", *_TREND),
    Promise("generator/site/leaderboard_columns.py", "95 times in 100; ±0.0", *_RERUN),
    Promise(
        "generator/site/leaderboard_columns.py",
        "how likely three attempts at the same eval all pass",
        "test_estimates.py",
        "test_all_of_three_is_unbiased",
    ),
    Promise("generator/diff/words.py", "chance alone makes such a difference", *_PAIR),
    Promise("generator/diff/words.py", "would be noticed 80 times in 100", *_POWER),
    Promise("site_templates/pair.html", "fewer than 5 times in 100", *_NOTHING),
    Promise("site_templates/pair.html", "The difference may be chance", *_NOTHING),
    Promise("site_templates/ablation.html", "95% interval", *_DIFFERENCE),
    Promise("generator/exports/cards.py", "at 95%", *_SCORE),
    Promise(_PARTS_FILE, "a method that is right 95 times in 100", *_SCORE),
    Promise(_PARTS_FILE, "0.05 is 5 times in 100", *_PAIR),
    Promise(_PARTS_FILE, "fewer than 5 times in 100", *_NOTHING),
    Promise(_PARTS_FILE, "Everything else may be chance", *_NOTHING),
    Promise(_PARTS_FILE, "would notice 80 times in 100", *_POWER),
    Promise(
        "site_templates/text.html",
        "95% interval",
        "test_agreement.py",
        "test_intervals_of_alpha_hold_the_true_one",
    ),
    Promise("site_templates/ablation.html", "A verdict other than noise", *_SECTIONS),
)
_STATES_ODDS: Final = re.compile(
    r"times in 100|(?:may be|more than|by|is) chance|95%|alone makes such|how likely", re.IGNORECASE
)
_NO_SENTENCE: Final = re.compile(r'^\s*("""|#|\{#|[A-Z][^"{}<>]*"""$|None where)|_MAY_BE_CHANCE')


def _read(file: str) -> str:
    return (_ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda one: f"{one.file}: {one.fragment[:40]}")
def test_a_promise_stands_on_the_site_and_its_test_is_there(promise: Promise) -> None:
    """Neither the sentence nor the test was renamed without the other."""
    assert promise.fragment in " ".join(_read(promise.file).split())
    assert f"def {promise.test}" in _read(f"{_SCORES}{promise.module}")


def test_each_sentence_with_odds_is_a_promise() -> None:
    """A new sentence of this kind needs a simulation, and an entry above."""
    folders = ("site_templates/*.html", "generator/site/**/*.py", "generator/diff/*.py")
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
