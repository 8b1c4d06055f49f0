"""Sentences below the main table: tested like numbers, over boards of many shapes."""

from functools import partial
from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.blocks import table_sentences
from generator.render.template_filters import (
    format_percent,
    format_points,
    format_whole_percent,
)
from generator.render.templates import Row
from generator.scores.guidelines_effect import compute_guidelines_effects, compute_overall_effect
from generator.scores.inputs import pool_by_model
from generator.scores.intervals import Interval
from generator.scores.leaderboards import Leaderboard
from generator.scores.score_estimate import Estimate, PerAttempt
from generator.scores.score_table import RankRange
from records.suites.experiments import DEFAULT
from records.text.escaping import format_sentence
from records.text.numbers import round_half_up
from records.text.visible import make_visible
from tests.generator.scores.making import make_against, make_pair, make_scored_version

pytestmark = pytest.mark.unit

MINUS = "\N{MINUS SIGN}"


def make_row(name: str, percent: float = 90, ranks: tuple[int, int] = (1, 1)) -> Any:  # noqa: ANN401 - an entry in part
    """Return a ranked entry whose costs and time are not known."""
    unknown = PerAttempt(None, 0, 1)
    score = Estimate(percent / 100, Interval(percent / 100 - 0.1, percent / 100 + 0.05), 100, 1)
    return Row(
        newest=Row(name=name, slug=name, experiment=DEFAULT),
        row=Row(
            score=score,
            hard=None,
            rank=RankRange(*ranks),
            cost_usd=unknown,
            cost_per_pass=None,
            generation_s=unknown,
            output_tokens=unknown,
        ),
    )


def test_the_hardest_category_is_named_with_its_share() -> None:
    """The mean of the models' shares is named; equal categories have no sentence."""

    def describe(*shares: tuple[float, float]) -> str:
        entries: list[Any] = [
            Row(row=Row(categories={"000-a": Row(value=one), "001-b": Row(value=other)}))
            for one, other in shares
        ]
        board: Any = SimpleNamespace(list_categories=lambda: ["000-a", "001-b"])
        return table_sentences.describe_categories(board, entries)

    sentence = describe((1, 0.5), (0.8, 0.7))
    assert sentence.startswith(
        "The hardest category is B, of which the mean of 2 models passes 60%"
    )
    assert sentence.endswith("the easiest is A with 90%.")
    assert describe((0.5, 0.5)) == ""


def make_rows(*ranks: tuple[int, int]) -> list[Any]:
    """Return models called A, B, C, ..., each five points below the model before."""
    return [
        make_row("ABCDEFGH"[number], 90 - 5 * number, ends) for number, ends in enumerate(ranks)
    ]


def set_cost(entry: Any, per_pass: float | None) -> None:  # noqa: ANN401 - an entry in part
    """Set the dollars for a pass, and those of an attempt."""
    scored = entry.row
    scored.cost_per_pass = per_pass
    value = None if per_pass is None else per_pass * scored.score.value
    scored.cost_usd = PerAttempt(value, 1, 1)


def list_sentences(rows: list[Any], bare: list[Any] | None = None) -> dict[str, str]:
    """Return the sentences by the question that each answers."""
    sentences = table_sentences.build_sentences(rows, bare or [], {})
    return {sentence.question: sentence.text for sentence in sentences}


def test_an_empty_board_shows_nothing() -> None:
    """Without a row there is no leader, no cost and no effect."""
    assert table_sentences.build_sentences([], [], {"Asked": "Asked."}) == []


def test_a_half_is_rounded_away_from_0_after_any_digit() -> None:
    """5 of 8 are 63 and 3 of 8 are 38; errors of floats do not turn a half around."""
    assert [format_whole_percent(100 * passed / 8) for passed in (5, 3)] == ["63", "38"]
    assert [format_percent(value) for value in (62.25, 62.35, 12.45)] == ["62.3", "62.4", "12.5"]
    assert [format_points(-2.5, 0), format_points(2.5, 0)] == [f"{MINUS}3", "+3"]
    assert format_points(0.25) == "+0.3"
    assert round_half_up(100 * 0.145) == "15"


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([(1, 1)], "One model was measured: A 90% (80 to 95)."),
        ([(1, 1), (2, 2)], "A 90% (80 to 95) leads: shown to be better than B."),
        (
            [(1, 1), (2, 3), (2, 3)],
            "A 90% (80 to 95) leads: shown to be better than every other model.",
        ),
        (
            [(1, 2), (2, 3), (2, 3)],
            "A 90% (80 to 95) leads: shown to be better than 1 of the other 2.",
        ),
        (
            [(1, 2), (1, 2), (3, 3)],
            (
                "2 of 3 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95) and B 85% (75 to 90)."
            ),
        ),
        (
            [(1, 3), (2, 3), (1, 3)],
            (
                "2 of 3 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95) and C 80% (70 to 85). B scores more than C, but is behind:"
                " models are compared eval by eval, not by score."
            ),
        ),
        (
            [(1, 6)] * 6,
            (
                "6 of 6 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95), B 85% (75 to 90), C 80% (70 to 85) and 3 more."
            ),
        ),
    ],
)
def test_the_lead_is_as_wide_as_the_evals_leave_it(
    ranks: list[tuple[int, int]], expected: str
) -> None:
    """Models share the lead if no model is better, at any distance of their scores."""
    assert list_sentences(make_rows(*ranks))["Score" if len(ranks) == 1 else "Best"] == expected


def test_a_model_behind_with_the_score_of_a_leader_does_not_score_more() -> None:
    """The third of 1, in another order of sums, is the same score."""
    rows = make_rows((1, 3), (2, 3), (1, 3))
    for row, thirds in zip(rows[1:], ((0.1, 0.2), (0.3,)), strict=True):
        row.row.score = row.row.score._replace(value=sum(thirds))
    assert rows[1].row.score.value > rows[2].row.score.value
    assert "scores more" not in list_sentences(rows)["Best"]


def test_models_without_guidelines_have_a_best_of_their_own() -> None:
    """Two or more models have a best; a single model is named if the table has no row of it."""
    bare = make_rows((1, 1), (2, 2))
    texts = list_sentences([make_row("Aster")], bare)
    assert texts["Score"].startswith("One model was measured with the guidelines: Aster 90%")
    begins = "2 models were measured without the guidelines. A 90% (80 to 95) leads"
    assert texts["Without"].startswith(begins)
    assert "Without" not in list_sentences(make_rows((1, 1)), make_rows((1, 1)))
    (best, *_) = table_sentences.build_sentences([], bare, {})
    assert best.text.startswith(begins)
    nothing = [make_row(name, 0, (1, 2)) for name in "AB"]
    texts = list_sentences(nothing, bare)
    assert texts["Best"] == "No model passes an eval."


def test_the_best_value_is_named_where_the_costs_show_it() -> None:
    """Both prices have one scale."""
    rows = make_rows((1, 1), (2, 2))
    set_cost(rows[0], 1.0)
    set_cost(rows[1], 0.02)
    texts = list_sentences(rows)
    assert texts["Value"] == (
        "B 85% (75 to 90) passes the most for its price: $0.02 for each eval passed;"
        " next is A with $1.00."
    )
    set_cost(rows[1], 0.8 / 0.85)
    assert not list_sentences(rows).get("Value")


@pytest.mark.parametrize(
    ("value", "ends", "p_value", "expected"),
    [
        (0.121, (0.012, 0.226), 0.01, "12 points more (+1 to +23)."),
        (
            0.121,
            (-0.012, 0.226),
            0.057,
            f"12 points more ({MINUS}1 to +23), which may be chance.",
        ),
        (
            0.121,
            (0.012, 0.226),
            0.057,
            "12 points more (+1 to +23), which may be chance, although the interval leaves out 0.",
        ),
        (0.121, (0.0004, 0.2), 0.057, "12 points more (0.0 to +20), which may be chance."),
        (-0.012, (-0.03, 0.004), 0.01, f"1 point less ({MINUS}3 to +0.4)."),
        (0.004, (0.001, 0.008), 0.01, "0.4 points more (+0.1 to +1)."),
        (0.004, (-0.02, 0.03), 0.7, f"as without ({MINUS}2 to +3)."),
    ],
)
def test_an_effect_that_may_be_chance_is_called_that(
    value: float, ends: tuple[float, float], p_value: float, expected: str
) -> None:
    """A model under both conditions has its own difference, and says if it may be chance."""
    sentence = table_sentences.describe_effect("Aster", make_against(value, ends, p_value=p_value))
    assert sentence == f"With the guidelines Aster scores {expected}"
    answers = table_sentences.build_sentences([make_row("A")], [], {"Guidelines": sentence})
    assert [each.more is not None for each in answers if each.question == "Guidelines"] == [
        "chance" in sentence
    ]


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        ({}, ""),
        ({"A": (30, 15)}, "With the guidelines A scores 50 points more (+29 to +65)."),
        (
            {"A": (20, 15), "B": (30, 10)},
            (
                "With the guidelines the mean of 2 models scores 42 points more (+26 to +53)."
                " Most: B, +67 (+45 to +80)."
            ),
        ),
        (
            {"A": (18, 15), "B": (19, 15)},
            (
                "With the guidelines the mean of 2 models scores 12 points more"
                " (\N{MINUS SIGN}1 to +23), which may be chance."
            ),
        ),
    ],
)
def test_the_gain_is_that_of_one_model_or_of_several_in_the_mean(
    passes: dict[str, tuple[int, int]], expected: str
) -> None:
    """The largest gain of several is named only if it is certain among as many."""
    version = make_scored_version(30)
    pairs = [
        make_pair(version, *([1] * passed + [0] * (30 - passed) for passed in both), slug=slug)
        for slug, both in passes.items()
    ]
    effects = compute_guidelines_effects(version, pool_by_model(chain(*pairs)))
    rows = [make_row(slug) for slug in passes]
    for row in rows:
        (row.row.pool,) = (
            effect.with_them for effect in effects if effect.with_them.slug == row.newest.slug
        )
    overall = compute_overall_effect(version, effects)
    board: Any = SimpleNamespace(effects=effects, overall=overall)
    board.find_effect = partial(Leaderboard.find_effect, board)
    sentence = table_sentences.describe_gains(board, rows)
    assert format_sentence(sentence) == expected


def test_each_name_in_a_sentence_keeps_its_direction_to_itself() -> None:
    """An element isolates each name, harmless with any text in it; the plain text has none."""
    name = "\u05d3\u05d2\u05dd 2<i>\u202e\u2069"
    rows = [make_row(name, 90 - number, (1, 2)) for number in range(2)]
    for row in rows:
        set_cost(row, 1.0)
    for answer in table_sentences.build_sentences(rows, rows, {}):
        names = LexborHTMLParser(answer.html).css("bdi")
        assert names
        assert {each.text() for each in names} <= {make_visible(name)}
        assert LexborHTMLParser(answer.html).css("i") == []
        assert LexborHTMLParser(answer.html).text() == answer.text
        assert not {"\u202e", "\u2068", "\u2069"} & {*answer.html, *answer.text}
