"""Sentences of the site with a probability or an effect: a test simulates each of them."""

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


_ANSWERS: Final = "generator/blocks/opening_sentences.py"
_GUIDELINES: Final = "site_templates/pages/guidelines.html"
_MODEL: Final = "site_templates/pages/model.html"
_PARTS: Final = "site_templates/blocks/explanations.html"
_COMPARE: Final = "site_templates/pages/compare.html"

_SIMULATED: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "test_any_two_of_equal_models_are_distinguished_on_2_to_5_boards_of_100": {
        _ANSWERS: [
            "because the evals cannot tell",
            "Shown to be worse than another model",
            "shown to be better than {beaten}",
        ],
        _COMPARE: ["more than chance, corrected for the number of pairs.'"],
        "generator/blocks/shares.py": ["is more than chance"],
    },
    "test_models_of_equal_value_are_seldom_distinguished": {
        _ANSWERS: ["passes the most for its price"],
    },
    "test_ends_of_the_mean_effect_hold_the_truth": {
        _ANSWERS: ["With the guidelines {who} scores {amount}"],
    },
    "test_intervals_of_differences_hold_the_truth_93_to_98_times_in_100": {
        _ANSWERS: ["as without"],
        _GUIDELINES: ["95% interval"],
        _MODEL: ["paired eval by eval, with the 95% interval"],
        "site_templates/pages/leaderboard.html": ["with the 95% interval. Bold is more"],
        _COMPARE: ["95% interval"],
        "site_templates/pages/ablation.html": ["95% interval"],
    },
    "test_chance_moves_the_mean_of_models_as_often_as_the_sentence_states": {
        _ANSWERS: ["which may be chance"],
        _GUIDELINES: [
            "That is more than chance.",
            "That may be chance, which alone makes such a difference",
            "which may be chance",
        ],
    },
    "test_chance_makes_a_difference_as_often_as_the_sentence_states": {
        _ANSWERS: ["chance alone makes such a difference"],
        "generator/diff/description.py": ["chance alone makes such a difference"],
        _PARTS: ["0.05 is 5 times in 100"],
    },
    "test_the_largest_of_many_equal_effects_is_rarely_certain": {
        _ANSWERS: [" Most: {mark_name"],
    },
    "test_the_smallest_effect_is_shown_80_times_in_100": {
        _GUIDELINES: ["would have shown 80 times in 100"],
        "generator/diff/description.py": ["would be noticed 80 times in 100"],
        _PARTS: ["would notice 80 times in 100"],
    },
    "test_guidelines_that_change_nothing_seem_to_in_at_most_5_of_100": {
        _GUIDELINES: [
            "{{ conclusions.noise }} may be chance",
            "times in 100 (p below 0.05)",
            "A difference counts as more than chance only if two tests agree",
            "'may be chance' in conclusion",
        ],
        "site_templates/pages/pair.html": [
            "fewer than 5 times in 100",
            "'May be chance'",
        ],
        "generator/diff/description.py": ["by more than chance", "may be chance"],
        _PARTS: ["fewer than 5 times in 100", "Everything else may be chance"],
    },
    "test_no_part_of_an_effect_of_nothing_is_reported_as_one": {
        _GUIDELINES: [
            "p is corrected for the number of categories",
            "The whole text makes a difference, by more than chance",
        ],
    },
    "test_a_second_set_of_attempts_scores_as_near_as_the_rerun_figure_promises": {
        _MODEL: ["points, 95 times in 100."],
        "generator/blocks/leaderboard_columns.py": ["number of points, 95 times in 100."],
    },
    "test_intervals_of_scores_hold_the_truth_93_to_97_times_in_100": {
        _ANSWERS: ["by a method that is right 95 times in 100"],
        _MODEL: [
            "{{ one.score.high | round_half_up }}%, 95 times in 100.",
            "in percent, with its 95% interval.",
        ],
        "site_templates/pages/models.html": ["in percent, with its 95% interval."],
        "site_templates/pages/leaderboard.html": ["are its 95%"],
        "generator/exports/cards.py": ["at 95%"],
        _PARTS: ["a method that is right 95 times in 100"],
    },
    "test_all_of_three_is_unbiased": {
        _MODEL: ["{{ share | round_half_up }} of 100 cases."],
        "generator/blocks/leaderboard_columns.py": [
            "that three attempts at the same eval all pass"
        ],
    },
    "test_ends_of_a_difference_from_the_field_hold_the_truth": {
        _MODEL: ["A difference has its 95% interval beside it"],
    },
    "test_the_best_of_equal_models_is_seldom_better_than_those_of_another_version": {
        _COMPARE: ["Bold is more than chance, corrected for the number of pairs"],
    },
    "test_models_without_a_trend_seldom_show_one": {
        "generator/blocks/progress_chart.py": [
            "such an order comes by chance",
            "more than by chance",
        ],
    },
    "test_intervals_of_alpha_hold_the_true_one": {
        "site_templates/pages/about.html": ["95% interval"],
    },
    "test_sections_that_do_nothing_are_seldom_missed": {
        "site_templates/blocks/ablation_answer.html": ["by more than chance.", "may be chance."],
        "site_templates/pages/ablations.html": ["worse, by more than chance", "better, by more"],
        "generator/blocks/shares.py": ["may be chance", "No test is made"],
        "site_templates/pages/ablation.html": [
            "below 0.05 it counts as more than chance",
        ],
    },
}
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
