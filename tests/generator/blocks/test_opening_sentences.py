"""Sentences of the front page: tested like numbers, over boards of many shapes."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.opening_sentences import (
    FurtherFacts,
    Gain,
    Standing,
    Uncounted,
    build_answers,
    describe_asking,
)
from generator.facts.shares import Difference
from generator.render.template_filters import (
    format_dollars_or_dash,
    format_percent,
    format_points,
    format_whole_percent,
    round_half_up,
)
from generator.scores.score_table import RankRange
from records.text.visible import make_visible

pytestmark = pytest.mark.unit

ONE = Standing("Aster", 91.2, 82.1, 96.4, RankRange(1, 1), None, None)
CHANGE = Difference(12.1, 1.2, 22.6, real=True)
GAIN = Gain(CHANGE, 0.01, 11, 3)
FREE = "$0 as recorded (a free offer, or a price of 0)"
RANGE = " In brackets: the range of the true score, by a method that is right 95 times in 100."
MINUS = "\N{MINUS SIGN}"


def make_standings(*ranks: tuple[int, int], **same: object) -> list[Standing]:
    """Return models called A, B, C, ..., each five points below the model before."""
    return [
        replace(
            ONE,
            name="ABCDEFGH"[number],
            percent=90 - 5 * number,
            low=80 - 5 * number,
            high=95 - 5 * number,
            rank=RankRange(*ends),
            **same,  # pyright: ignore[reportArgumentType] - fields of a standing
        )
        for number, ends in enumerate(ranks)
    ]


def list_answers(rows: list[Standing], overall: Gain | None = None) -> dict[str, str]:
    """Return the sentences by the question that each answers."""
    return {answer.question: answer.text for answer in build_answers(rows, overall)}


def test_an_empty_board_shows_nothing() -> None:
    """Without a row there is no leader, no cost and no effect."""
    assert build_answers([], None) == []
    assert build_answers([], GAIN) == []


def test_the_best_without_guidelines_is_one_of_several() -> None:
    """Two or more models asked with the task alone have a best; a single model has none."""
    bare = make_standings((1, 2), (1, 2))
    texts = {answer.question: answer.text for answer in build_answers([ONE], None, bare)}
    assert texts["Without"] == (
        "2 models were measured without the guidelines. Both models share the lead, because the"
        " evals cannot tell them apart: A 90% (80 to 95) and B 85% (75 to 90)."
    )
    assert "Without" not in {answer.question for answer in build_answers([ONE], None, [ONE])}


@given(st.floats(0, 100))
def test_only_all_is_100_percent_and_only_none_is_0(value: float) -> None:
    """Decimals appear only near 0 and 100: 99.6 stays 99.6, and 99.97 is at most 99.9."""
    text = format_whole_percent(value)
    assert (text == "100") is (value == 100)
    assert (text == "0") is (value == 0)
    assert abs(float(text) - value) <= 0.5
    assert [format_whole_percent(number) for number in (99.6, 99.97, 0.4, 0.01, 83.3)] == [
        *("99.6", "99.9", "0.4", "0.1", "83"),
    ]


def test_a_half_is_rounded_away_from_0_after_any_digit() -> None:
    """5 of 8 are 63 and 3 of 8 are 38; errors of floats do not turn a half around."""
    assert [format_whole_percent(100 * passed / 8) for passed in (5, 3)] == ["63", "38"]
    assert (format_percent(62.25), format_percent(62.35), format_percent(12.45)) == (
        "62.3",
        "62.4",
        "12.5",
    )
    assert (format_points(-2.5, 0), format_points(2.5, 0), format_points(0.25)) == (
        "\N{MINUS SIGN}3",
        "+3",
        "+0.3",
    )
    assert round_half_up(100 * 0.145) == "15"


def test_a_single_model_leads_nobody() -> None:
    """A single row has no lead."""
    assert list_answers([ONE])["Best"] == (f"One model was measured: Aster 91% (82 to 96).{RANGE}")


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([(1, 1), (2, 2)], "A leads with 90% (80 to 95): better than B."),
        (
            [(1, 1), (2, 3), (2, 3)],
            "A leads with 90% (80 to 95): better than each of the other 2 models.",
        ),
        (
            [(1, 2), (2, 3), (2, 3)],
            (
                "A leads with 90% (80 to 95): better than 1 of the other 2 models, and the evals"
                " cannot tell it from the rest."
            ),
        ),
        (
            [(1, 2), (1, 2), (3, 3)],
            (
                "2 of 3 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95) and B 85% (75 to 90)."
            ),
        ),
        (
            [(1, 3)] * 3,
            (
                "All 3 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95), B 85% (75 to 90) and C 80% (70 to 85)."
            ),
        ),
        (
            [(1, 6)] * 6,
            (
                "All 6 models share the lead, because the evals cannot tell them apart:"
                " A 90% (80 to 95), B 85% (75 to 90), C 80% (70 to 85) and 3 more."
            ),
        ),
    ],
)
def test_the_lead_is_as_wide_as_the_evals_leave_it(
    ranks: list[tuple[int, int]], expected: str
) -> None:
    """Models share the lead if no model is better, at any distance of their scores."""
    assert list_answers(make_standings(*ranks))["Best"] == f"{expected}{RANGE}"


def test_a_higher_score_that_does_not_share_the_lead_is_explained() -> None:
    """The model is named with the number of models that are better; fewer attempts are named."""
    rows = make_standings((1, 3), (2, 3), (1, 3))
    text = list_answers(rows)["Best"]
    assert text.endswith(
        f" B 85% is not among them: it is shown to be worse than 1 model; C is not.{RANGE}"
    )
    rows = [replace(row, attempts=number) for row, number in zip(rows, (210, 210, 70), strict=True)]
    assert "worse than 1 model; C, which has fewer attempts, is not." in list_answers(rows)["Best"]
    text = list_answers(make_standings((1, 4), (2, 4), (3, 4), (1, 4)))["Best"]
    assert (
        " B 85% and C 80% are not among them: each is shown to be worse than another model; D is"
        " not." in text
    )
    assert "among them" not in list_answers(make_standings((1, 2), (1, 2), (3, 3)))["Best"]


def test_costs_are_named_only_where_they_are_known() -> None:
    """Unknown costs are counted or named as not recorded, and 0 is a known cost."""
    rows = make_standings((1, 2), (1, 2), (3, 3))
    assert list_answers(rows)["Cost, time"] == "Not recorded for these models."
    imported = build_answers(rows, None, further=FurtherFacts(imported=True))
    assert imported[1][:2] == ("Cost, time", "Not published with these results.")
    assert "Cost" not in list_answers([replace(row, cost=0.5) for row in rows])
    rows[1] = replace(rows[1], cost_per_pass=0.031)
    assert list_answers(rows)["Cost"] == (
        "Cheapest of the leading models: B, $0.031 for each eval passed. The cost of A is not"
        " known."
    )
    rows[0] = replace(rows[0], cost_per_pass=0.0)
    assert list_answers(rows)["Cost"] == (
        f"Cheapest of the leading models: A, {FREE}. Cheapest that is not free: B, $0.031 for each"
        " eval passed."
    )
    rows[1] = replace(rows[1], cost_per_pass=0.0)
    assert list_answers(rows)["Cost"] == f"Cheapest of the leading models: A and B, {FREE}."


def test_times_are_those_of_the_leading_models() -> None:
    """The fastest leader is named; unknown times are counted, or called not recorded."""
    rows = make_standings((1, 3), (1, 3), (1, 3), (4, 4), cost=0.5)
    assert list_answers(rows)["Time"] == "Not recorded for these models."
    rows[3] = replace(rows[3], seconds=1.0)
    assert list_answers(rows)["Time"] == "Not known of the models that lead."
    rows[1] = replace(rows[1], seconds=12.34)
    assert list_answers(rows)["Time"] == (
        "Fastest of the leading models: B, 12.3 s for an answer, in the mean. The times of 2 of"
        " them are not known."
    )
    rows[0] = replace(rows[0], seconds=12.32)
    assert list_answers(rows)["Time"] == (
        "Fastest of the leading models: A and B, each 12.3 s for an answer, in the mean. The time"
        " of C is not known."
    )
    assert list_answers([replace(rows[0], rank=RankRange(1, 1)), rows[3]])["Time"] == (
        "A takes 12.3 s for an answer, in the mean."
    )


def test_nobody_is_the_fastest_of_the_leading_models_where_nobody_leads() -> None:
    """Models that pass nothing have no leader, though their times are known."""
    rows = [
        replace(row, percent=0.0) for row in make_standings((1, 2), (1, 2), cost=0.5, seconds=2.0)
    ]
    texts = list_answers(rows)
    assert texts["Best"] == "No model passes an eval."
    assert "Time" not in texts
    assert list_answers(rows[:1])["Time"] == "A takes 2.0 s for an answer, in the mean."
    unknown = [replace(row, seconds=None) for row in rows]
    assert list_answers(unknown)["Time"] == "Not recorded for these models."


def test_the_first_scores_in_brackets_have_their_meaning() -> None:
    """Without the guidelines models may pass evals where none does with them."""
    none = [replace(row, percent=0.0) for row in make_standings((1, 2), (1, 2))]
    best, *_, without = build_answers(none, None, make_standings((1, 2), (1, 2)))
    assert (best.question, without.question) == ("Best", "Without")
    assert best.text == "No model passes an eval."
    assert without.text.endswith(
        f"because the evals cannot tell them apart: A 90% (80 to 95) and B 85% (75 to 90).{RANGE}"
    )
    assert without.html.endswith(f'<span class="more">{RANGE}</span>')
    assert all(RANGE not in each.text for each in build_answers(none, None, none))


def test_the_reason_of_a_shared_lead_is_stated_once() -> None:
    """The sentence on models without guidelines leaves it out where the first one has it."""
    shared, alone = make_standings((1, 2), (1, 2)), make_standings((1, 1), (2, 2))
    reason = "because the evals cannot tell them apart"
    for ranked in (shared, alone, []):
        text = " ".join(each.text for each in build_answers(ranked, None, shared))
        assert text.count(reason) == 1


def test_times_of_models_with_one_name_are_kept_apart() -> None:
    """Two leaders may have the same name: the known time is one of them, the unknown the other."""
    rows = [replace(row, name="A", cost=0.5) for row in make_standings((1, 2), (1, 2))]
    rows[0] = replace(rows[0], seconds=12.3)
    assert list_answers(rows)["Time"] == (
        "Fastest of the leading models: A, 12.3 s for an answer, in the mean. The time of A is not"
        " known."
    )
    rows[1] = replace(rows[1], seconds=20.0)
    assert list_answers(rows)["Time"] == (
        "Fastest of the leading models: A, 12.3 s for an answer, in the mean."
    )


def test_models_whose_runs_without_guidelines_do_not_count_yet_are_named() -> None:
    """Of one the attempts without a verdict are counted, of several the models."""
    bare = make_standings((1, 2), (1, 2))
    waiting = Uncounted("Skerry 4", 1, 70)
    for uncounted, words in (
        ([waiting], "; Skerry 4 was asked, too, but 1 of 70 attempts has no verdict yet."),
        ([waiting, waiting], "; 2 more were asked, but not all attempts have a verdict yet."),
        ([replace(waiting, unjudged=2)], "but 2 of 70 attempts have no verdict yet."),
    ):
        facts = FurtherFacts(uncounted_bare=uncounted)
        texts = {
            each.question: each.text
            for each in build_answers(make_standings((1, 1)), None, bare, facts)
        }
        assert f"{words} Both models share the lead" in texts["Without"]


def test_further_facts_stand_where_a_reader_looks_for_them() -> None:
    """The first by later counts is part of the best, newer models are a question of their own."""
    facts = FurtherFacts(newer="Newer models score higher.", corrected=" Later.", asked="Asked.")
    texts = {
        each.question: each.text
        for each in build_answers(make_standings((1, 1), (2, 2)), None, (), facts)
    }
    assert texts["Best"].endswith(f"{RANGE} Later.")
    assert list(texts)[-2:] == ["Newer", "Asked"]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ((0.25, 0.25), "Both leading models cost $0.25 for each eval passed."),
        ((0.25, 0.25, 0.25), "All leading models cost $0.25 for each eval passed."),
        (
            (0.25, 0.5, 0.2501),
            "Cheapest of the leading models: A and C, each $0.25 for each eval passed.",
        ),
        (
            (0.25, None, None),
            (
                "Cheapest of the leading models: A, $0.25 for each eval passed."
                " The costs of 2 of them are not known."
            ),
        ),
    ],
)
def test_no_model_is_called_the_cheapest_of_equals(
    costs: tuple[float | None, ...], expected: str
) -> None:
    """Prices that look the same are called the same."""
    rows = make_standings(*[(1, len(costs))] * len(costs))
    rows = [replace(row, cost_per_pass=cost) for row, cost in zip(rows, costs, strict=True)]
    assert list_answers(rows)["Cost"] == expected


def test_models_of_one_condition_each_are_all_spoken_of() -> None:
    """A model measured only without the guidelines is neither left out nor ranked."""
    bare = replace(ONE, name="B", percent=58.3, low=32, high=81, cost_per_pass=0.5)
    measured = replace(ONE, cost_per_pass=0.25)
    texts = {answer.question: answer.text for answer in build_answers([measured], None, [bare])}
    assert texts == {
        "Best": f"One model was measured with the guidelines: Aster 91% (82 to 96).{RANGE}",
        "Cost": "Aster costs $0.25 for each eval passed.",
        "Time": "Not recorded for these models.",
        "Without": "One model was measured without the guidelines: B 58% (32 to 81).",
    }
    asked = FurtherFacts(asked="Asked.")
    assert {answer.question: answer.text for answer in build_answers([], None, [bare], asked)} == {
        "Best": f"One model was measured without the guidelines: B 58% (32 to 81).{RANGE}",
        "Cost": "B costs $0.50 for each eval passed.",
        "Time": "Not recorded for these models.",
        "Asked": "Asked.",
    }
    best, _ = build_answers([], None, make_standings((1, 1), (2, 2)))
    assert (
        best.text
        == "2 models were measured without the guidelines. A leads with 90% (80 to 95): better than"
        f" B.{RANGE}"
    )


def test_a_cheaper_model_below_the_lead_is_named_with_its_score() -> None:
    """A reader who looks for the lowest cost sees the model's score as well."""
    rows = make_standings((1, 1), (2, 2), cost_per_pass=0.5)
    assert list_answers(rows)["Cost"] == "A costs $0.50 for each eval passed."
    rows[1] = replace(rows[1], cost_per_pass=0.02)
    assert list_answers(rows)["Cost"] == (
        "A costs $0.50 for each eval passed. Cheapest of all: B 85% (75 to 90), $0.02."
    )
    rows.append(replace(rows[1], name="C", cost_per_pass=None))
    assert list_answers(rows)["Cost"].endswith(
        "Cheapest of all whose cost is known: B 85% (75 to 90), $0.02."
    )
    rows[0] = replace(rows[0], cost_per_pass=None)
    assert list_answers(rows)["Cost"] == (
        "The cost of A is not known. Cheapest of all whose cost is known: B 85% (75 to 90), $0.02."
    )


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (GAIN, "With the guidelines Aster gains 12 points (+1 to +23)."),
        (
            Gain(CHANGE._replace(real=False), 0.057, 11, 3),
            (
                "With the guidelines Aster scores 12 points more, which may be chance: 11 evals"
                " gained, 3 lost; chance alone makes such a difference about 6 times in 100."
            ),
        ),
        (
            Gain(Difference(-3.0, -7.0, 0.0, real=False), 0.997, 0, 0),
            (
                "With the guidelines Aster scores 3 points less, which may be chance:"
                " chance alone makes such a difference nearly always."
            ),
        ),
        (
            Gain(Difference(-1.2, -3.0, 0.4, real=True), 0.01, 0, 3),
            f"With the guidelines Aster loses 1 point ({MINUS}3 to +0.4).",
        ),
        (
            Gain(Difference(-3.0, None, None, real=False), None),
            "With the guidelines Aster scores 3 points less, which may be chance.",
        ),
        (
            Gain(Difference(0.2, -3.0, 3.0, real=False), 1.0),
            f"With the guidelines Aster scores as without ({MINUS}3 to +3).",
        ),
    ],
)
def test_an_effect_that_may_be_chance_is_called_that(gain: Gain, expected: str) -> None:
    """A model under both conditions has its own difference, with the odds of chance."""
    assert list_answers([replace(ONE, gain=gain)])["Guidelines"] == expected


def test_several_effects_are_reported_by_their_mean_and_the_largest_that_is_certain() -> None:
    """The mean of the models comes first; the largest gain is named only where it is certain."""
    rows = make_standings(
        (1, 2), (1, 2), (3, 3), gain=replace(GAIN, difference=CHANGE._replace(real=False))
    )
    overall = Gain(Difference(9.0, 4.0, 14.0, real=True), 0.001)
    mean = "With the guidelines the mean of 3 models gains 9 points (+4 to +14)."
    assert list_answers(rows, overall)["Guidelines"] == mean
    large = Gain(Difference(20.0, 10.0, 30.0, real=True), 0.001)
    rows[2] = replace(rows[2], gain=large)
    assert list_answers(rows, overall)["Guidelines"] == mean
    rows[2] = replace(rows[2], gain=replace(large, certain=True))
    assert list_answers(rows, overall)["Guidelines"] == f"{mean} Most: C, +20 (+10 to +30)."
    assert "Guidelines" not in list_answers(rows, None)
    named_alike = [replace(row, name="A") for row in rows]
    assert list_answers(named_alike, overall)["Guidelines"].startswith(mean)


def test_the_best_value_is_named_where_the_costs_show_it() -> None:
    """Both prices have one scale; the cheapest of all is then not named twice."""
    rows = make_standings((1, 1), (2, 2), cost_per_pass=1.0)
    rows[0] = replace(rows[0], cost=0.9, cost_per_pass=1.0)
    rows[1] = replace(rows[1], cost=0.017, cost_per_pass=0.02)
    texts = list_answers(rows)
    assert texts["Value"] == (
        "B 85% (75 to 90) passes the most for its price: $0.02 for each eval passed;"
        " next is A with $1.00."
    )
    assert texts["Cost"] == "A costs $1.00 for each eval passed."
    rows[1] = replace(rows[1], cost=0.8, cost_per_pass=0.94)
    assert "Value" not in list_answers(rows)


@pytest.mark.parametrize(
    ("days", "when"),
    [
        ([date(2026, 2, 11), date(2026, 2, 26)], "in February 2026"),
        ([date(2026, 2, 11), date(2025, 11, 26)], "from November 2025 to February 2026"),
    ],
)
def test_the_months_of_asking_are_named(days: list[date], when: str) -> None:
    """Tools and second tries are named only where it is known that there were none."""
    assert describe_asking(days, once=True) == (
        f"Each answer came at once, without tools or a second try; asked {when}."
    )
    assert describe_asking(days, once=False) == f"Models were asked {when}."
    assert describe_asking([], once=True) == ""


_COSTS = st.none() | st.floats(0, 10, allow_nan=False)


@given(costs=st.lists(_COSTS, min_size=2, max_size=8), leaders=st.integers(1, 8))
@example(costs=[1.0, 1.0], leaders=2)
@example(costs=[1.0, 1.0, 1.0], leaders=3)
@example(costs=[1.0, 1.0, 2.0], leaders=3)
def test_the_cheapest_that_is_named_is_the_cheapest(
    costs: list[float | None], leaders: int
) -> None:
    """With any known costs, the named model has the lowest cost of the leading models."""
    leaders = min(leaders, len(costs))
    ranks = [
        (1, len(costs)) if n < leaders else (leaders + 1, len(costs)) for n in range(len(costs))
    ]
    rows = [
        replace(row, cost_per_pass=cost)
        for row, cost in zip(make_standings(*ranks), costs, strict=True)
    ]
    cost_by_name = {
        row.name: row.cost_per_pass for row in rows[:leaders] if row.cost_per_pass is not None
    }
    texts = list_answers(rows)
    text = texts.get("Cost") or texts["Cost, time"]
    assert text.startswith(("The cost", "Not recorded")) == (not cost_by_name)
    free = [name for name, cost in cost_by_name.items() if cost == 0]
    if free and leaders > 1:
        assert all(name in text for name in free[:3])
        assert ("Cheapest that is not free" in text) == (len(free) < len(cost_by_name))
    elif cost_by_name and leaders > 1:
        least = format_dollars_or_dash(min(cost_by_name.values()))
        cheapest = [
            name for name, cost in cost_by_name.items() if format_dollars_or_dash(cost) == least
        ]
        begins = text.removeprefix("Cheapest of the leading models: ")
        assert begins.startswith(
            (f"{cheapest[0]}, ", f"{cheapest[0]} and ", "Both leading models", "All leading models")
        )
        assert (len(cheapest) == leaders) == text.startswith(("Both", "All"))


def test_each_name_in_a_sentence_keeps_its_direction_to_itself() -> None:
    """An element isolates each name, harmless with any text in it; the plain text has none."""
    name = "\u05d3\u05d2\u05dd 2<i>\u202e\u2069"
    rows = [
        replace(row, name=name, cost_per_pass=cost)
        for row, cost in zip(make_standings((1, 2), (1, 2)), (1.0, 2.0), strict=True)
    ]
    sentences = build_answers(rows, GAIN, rows)
    assert [each.question for each in sentences] == ["Best", "Cost", "Time", "Without"]
    for answer in (each for each in sentences if each.question != "Time"):
        names = LexborHTMLParser(answer.html).css("bdi")
        assert names
        assert {each.text() for each in names} == {make_visible(name)}
        assert LexborHTMLParser(answer.html).css("i") == []
        assert LexborHTMLParser(answer.html).text() == answer.text
        assert not {"\u202e", "\u2068", "\u2069"} & {*answer.html, *answer.text}


def test_higher_scores_on_other_evals_are_named_or_counted() -> None:
    """Scores that are not higher than the best are no subject; of several, only the number is."""
    other = ("Other", ONE.percent + 1)
    low = ("Low", ONE.percent)
    alone = build_answers([ONE], None, further=FurtherFacts(elsewhere=[other, low]))[0]
    assert alone.text.endswith(
        "Other has 92%, but on other evals, so this score is not comparable."
    )
    assert "Low" not in alone.text
    several = build_answers([ONE], None, further=FurtherFacts(elsewhere=[other, other]))[0]
    assert "2 models below have higher scores, but on other evals" in several.text
    assert build_answers([ONE], None, further=FurtherFacts(elsewhere=[low])) == build_answers(
        [ONE], None
    )
    assert build_answers([], None, further=FurtherFacts(elsewhere=[other])) == []
