"""The first screen: its sentence, its three answers, and the maps, over boards of many shapes."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from generator.blocks.first_screen import build_answers, draw_maps, write_headline
from generator.scores.intervals import Interval
from generator.scores.score_estimate import Estimate, PerAttempt
from records.text.escaping import format_sentence
from tests.generator.blocks.test_table_sentences import make_row, make_rows, set_cost
from tests.generator.contexts import render_block

pytestmark = pytest.mark.unit

CODE = " at writing Convex code"
_LONG = "A model with a name of " + "many " * 20


def _list_texts(rows: list[Any], *, imported: bool = False) -> list[str]:
    """Return each answer as a line of text."""
    return [
        " ".join(
            LexborHTMLParser(f"{one.label}{one.of}: {one.name} {one.figure} {one.fine}")
            .text()
            .split()
        )
        for one in build_answers(rows, imported=imported)
    ]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([(1, 1)], "A passes 90% of 100 evals"),
        ([(1, 1), (2, 2)], "A is best at writing Convex code"),
        ([(1, 2), (2, 3), (2, 3)], "A leads at writing Convex code"),
        ([(1, 2), (1, 2), (3, 3)], "A and one other share the lead at writing Convex code"),
        (
            [(1, 3), (1, 3), (1, 3), (4, 4)],
            "A and two others share the lead at writing Convex code",
        ),
        ([(1, 5)] * 5, "5 models share the lead at writing Convex code"),
    ],
)
def test_the_headline_names_one_model_unless_all_are_tied(
    ranks: list[tuple[int, int]], expected: str
) -> None:
    """A single model is never called the best, and no model of a tie of all is named."""
    assert format_sentence(write_headline(make_rows(*ranks), CODE)) == expected


@example("0" * 20 + "\x1f\x08\x08\x08", 1, 0)
@given(st.text(min_size=1, max_size=200), st.integers(1, 40), st.integers(0, 3))
def test_a_headline_has_at_most_75_letters(name: str, leaders: int, behind: int) -> None:
    """A name that is too long is left out, or cut if the sentence is about it alone."""
    models = leaders + behind
    rows = [make_row(name, 90, (1, models)) for _ in range(leaders)]
    rows += [make_row("Behind", 10, (leaders + 1, models)) for _ in range(behind)]
    assert 0 < len(format_sentence(write_headline(rows, CODE))) <= 75


def test_a_long_name_gives_way_to_a_shorter_sentence() -> None:
    """Digits replace words, then the tie is told without a name."""
    ranks = [(1, 3), (1, 3), (1, 3), (4, 4)]
    texts: list[str] = []
    for name in ("Gemini 3 Flash Preview 0", _LONG):
        rows = make_rows(*ranks)
        rows[0].newest.name = name
        texts.append(format_sentence(write_headline(rows, CODE)))
    assert texts == [
        "Gemini 3 Flash Preview 0 and 2 others share the lead at writing Convex code",
        "Three models share the lead at writing Convex code",
    ]
    alone = make_rows((1, 1), (2, 2))
    alone[0].newest.name = _LONG
    assert format_sentence(write_headline(alone, CODE)).endswith("… is best")


def test_answers_have_few_words_and_say_what_is_not_known() -> None:
    """Unknown amounts take four words; a free model is followed by the cheapest paid one."""
    rows = make_rows((1, 3), (1, 3), (1, 3), (4, 4))
    assert _list_texts(rows) == [
        "Highest of the best: A 90% range 80\N{EN DASH}95, tied with two others",
        "Cheapest of the best: Cost was not recorded",
        "Fastest of the best: Time was not recorded",
    ]
    assert _list_texts(rows, imported=True)[1].endswith("Cost was not published")
    for row, cost, time in zip(rows, (0.11, 0.0, 0.029, 0.001), (70.3, 57.2, 93.0, 1), strict=True):
        set_cost(row, cost)
        row.row.generation_s = PerAttempt(time, 1, 1)
    assert _list_texts(rows)[1:] == [
        "Cheapest of the best: B free cheapest paid: C, $0.029 a pass",
        "Fastest of the best: B 57 s for an answer; next A, 70 s",
    ]
    set_cost(rows[1], None)
    assert _list_texts(rows)[1] == ("Cheapest of the best: C $0.029 a pass; not known of one other")
    for answer in _list_texts(rows):
        assert len(answer.partition(": ")[2].split()) <= 12


def test_no_model_of_equals_is_called_the_best_the_cheapest_or_the_fastest() -> None:
    """All tied: the answer has their number; prices that look the same are called the same."""
    rows = make_rows(*[(1, 3)] * 3)
    for row, cost in zip(rows, (0.25, 0.2501, 0.5), strict=True):
        set_cost(row, cost)
    first, second, _ = _list_texts(rows)
    assert first == "Best: 3 models share the lead: 80% to 90%"
    assert second == "Cheapest of the best: A $0.25 a pass; like one other"


@given(
    costs=st.lists(st.none() | st.floats(0, 10, allow_nan=False), min_size=2, max_size=8),
    leaders=st.integers(1, 8),
)
def test_the_cheapest_that_is_named_is_the_cheapest(
    costs: list[float | None], leaders: int
) -> None:
    """With any known costs, the named model has the lowest cost of the leading models."""
    leaders = min(leaders, len(costs))
    ranks = [
        (1, len(costs)) if n < leaders else (leaders + 1, len(costs)) for n in range(len(costs))
    ]
    rows = make_rows(*ranks)
    for row, cost in zip(rows, costs, strict=True):
        set_cost(row, cost)
    known = [
        (cost, row) for cost, row in zip(costs[:leaders], rows, strict=False) if cost is not None
    ]
    _, cheapest, _ = build_answers(rows, imported=False)
    assert bool(cheapest.name) == bool(known)
    if known:
        least = min(cost for cost, _ in known)
        names = [row.newest.name for cost, row in known if cost == least]
        assert LexborHTMLParser(cheapest.name).text() in names


def _make_board(costs: list[float | None]) -> list[Any]:
    rows = [
        make_row(f"Model {number}", 90 - number / 2, (1, len(costs)))
        for number in range(len(costs))
    ]
    for row, cost in zip(rows, costs, strict=True):
        set_cost(row, cost)
    return rows


def test_a_map_has_every_model_and_few_names() -> None:
    """Of 60 models 12 names are shown; the strips hold free models and those without a cost."""
    costs = [None if n % 9 == 1 else 0.0 if n % 7 == 3 else 0.001 * 1.1**n for n in range(60)]
    (drawn,) = draw_maps(_make_board(costs))
    tree = LexborHTMLParser(render_block("score_map", "../", drawn.desk))
    assert len(tree.css("a > circle")) == len(tree.css("a > title")) == 60
    assert len(tree.css("text.name:not(.late)")) <= 12
    assert len(tree.css("text.name")) == 60
    assert len(tree.css("rect.strip")) == 2
    assert {"free", "unknown"} <= {text.text() for text in tree.css("text.mid")}
    narrow = LexborHTMLParser(render_block("score_map", "../", drawn.narrow))
    assert len(narrow.css("text.name:not(.late)")) <= 12


def test_hard_evals_have_a_map_of_the_models_that_met_them() -> None:
    """Its height is their share of the hard evals; a model without one is not on it."""
    rows = _make_board([0.1, 0.2, 0.4])
    rows[0].row.hard = Estimate(0.25, Interval(0.1, 0.4), 24, 72)
    _, hard = draw_maps(rows)
    drawing = render_block("score_map", "../", hard.desk)
    (mark,) = LexborHTMLParser(drawing).css("a")
    assert mark.attributes["data-model"] == rows[0].newest.slug
    title = LexborHTMLParser(drawing).css_first("a > title")
    assert title is not None
    assert "25.0% (10\N{EN DASH}40)" in title.text()
    assert "Hard evals, % passed" in drawing


def test_a_map_is_drawn_where_most_costs_are_known() -> None:
    """Below 60%, with one model, and with fewer than two costs above 0 there is none."""
    assert draw_maps(_make_board([0.1, 0.2, 0.3, None, None]))
    assert draw_maps(_make_board([0.1, 0.2, None, None])) == []
    assert draw_maps(_make_board([0.1])) == []
    assert draw_maps(_make_board([0.0, 0.0, 0.1])) == []


@given(st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=25))
def test_each_mark_and_tick_stands_within_the_map(costs: list[float]) -> None:
    """Costs reach from a billionth of a dollar to a billion dollars, the limit of a record."""
    (drawn,) = draw_maps(_make_board([*costs]))
    for score_map, width, ticks in ((drawn.desk, 730, 8), (drawn.narrow, 362, 4)):
        tree = LexborHTMLParser(render_block("score_map", "../", score_map))
        places = [float(circle.attributes["cx"] or "nan") for circle in tree.css("a > circle")]
        assert all(44 <= place <= width for place in places)
        assert 1 <= len(tree.css("text.mid:not(.name)")) <= ticks + 1
        steps = [
            float(step)
            for step in (tree.css("path.stair")[-1].attributes["d"] or "").split("V")[1:]
            if "H" not in step
        ]
        assert all(earlier >= later for earlier, later in pairwise(steps))


def test_names_of_a_map_are_text() -> None:
    """Markup in a name is escaped, also in a title."""
    rows = _make_board([0.1, 0.2])
    rows[0].newest.name = "<b onload=x>"
    (drawn,) = draw_maps(rows)
    assert (
        LexborHTMLParser(render_block("score_map", "../", drawn.desk)).css("b, [onload], [style]")
        == []
    )
