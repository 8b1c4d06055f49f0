"""The sentences above a table: which models lead, their cost and time, and the guidelines' effect.

Each sentence is computed from the table's rows, and states how certain it is. If the rows cannot
answer a question, its sentence is left out.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from generator.blocks.leaderboard_columns import COST, COST_PER_PASSED, TIME, get_number
from generator.render.template_filters import (
    describe_p_value,
    format_dollars_or_dash,
    format_points,
    format_seconds,
    format_whole_percent,
)
from generator.render.templates import Row
from generator.scores.best_value import PricedScore, find_best_value
from generator.scores.differences.difference import Difference
from generator.scores.guidelines_effect import find_certain_effects
from generator.scores.leaderboards import Leaderboard
from generator.site_links import Link, format_month, list_in_prose
from records.text.escaping import format_sentence, mark_name, mark_safe, render_sentence
from records.text.numbers import round_half_up

_MAY_BE_CHANCE = "which may be chance"
_RANGE = " In brackets: the range of the true score, by a method that is right 95 times in 100."
_FREE = "$0 as recorded (a free offer, or a price of 0)"
_CHANCE = Link("about/#text-when-two-sides-differ", "How chance is judged")
_VALUE = Link("about/#text-the-best-value", "How value is found")


class Answer(NamedTuple):
    """A sentence above a table, and the question that it answers."""

    question: str
    text: str
    """Without markup."""
    html: str
    """The same text as HTML, each model's name in an element of its own."""
    more: Link | None = None
    """A link to the paragraph of the method page that explains the sentence."""


def build_answers(
    ranked: Sequence[Row],
    bare: Sequence[Row],
    after: Mapping[str, str],
    further: Mapping[str, str],
    *,
    imported: bool,
) -> list[Answer]:
    """Return the sentences above a table.

    Args:
        ranked: the ranked rows of the table, best score first.
        bare: the ranked rows of models asked without guidelines; empty if ``ranked`` are these.
        after: sentences that follow the sentences on the best models, by question.
        further: further sentences by question.
        imported: whether the results were published by others.
    """
    measured = ranked or bare
    if not measured:
        return []
    after = after if ranked else {"Best": after.get("Without", "")}
    others = {row.model.slug for row in bare} - {row.model.slug for row in ranked}
    usual = " with the guidelines" if others and len(ranked) == 1 else ""
    texts = {
        "Best": _name_best(measured, usual if ranked else " without the guidelines"),
        **_describe_amounts(measured, imported=imported),
        **further,
    }
    if ranked and (others or len(bare) > 1):
        texts["Without"] = _name_best(bare, " without the guidelines")
    answers: list[Answer] = []
    # The first sentence with scores explains the brackets after them. A phone hides this aside,
    # which the legend repeats, so that the table stays in sight.
    explained = next((name for name in ("Best", "Without") if " (" in texts.get(name, "")), "")
    for question in (
        "Best",
        "Cost, time",
        "Cost",
        "Value",
        "Time",
        "Guidelines",
        "Without",
        "Newer",
        "Asked",
    ):
        text, rest = texts.get(question, ""), after.get(question, "")
        if text:
            aside = _RANGE if question == explained else ""
            on_desks = mark_safe(f'<span class="more">{aside}</span>' if aside else "")
            answers.append(
                Answer(
                    question,
                    format_sentence(f"{text}{aside}{rest}"),
                    mark_safe(f"{render_sentence(text)}{on_desks}{render_sentence(rest)}"),
                    _VALUE if question == "Value" else _CHANCE if _MAY_BE_CHANCE in text else None,
                )
            )
    return answers


def _find_leaders(rows: Sequence[Row]) -> list[Row]:
    """Return the models than which no other is better; none if all of several pass no eval."""
    if len(rows) > 1 and all(row.score.share.percent == 0 for row in rows):
        return []
    return [row for row in rows if row.rank.low == 1]


def _name_best(rows: Sequence[Row], condition: str) -> str:
    """Return sentences on the best of the models that were measured under a condition."""
    leaders, number = _find_leaders(rows), len(rows)
    scores = list_in_prose([_write_score(row) for row in leaders]) if leaders else ""
    if number == 1:
        return f"One model was measured{condition}: {scores}."
    measured = f"{number} models were measured{condition}. " if condition else ""
    if not leaders:
        return f"{measured}No model passes an eval."
    if len(leaders) == 1:
        better, every = number - leaders[0].rank.high, number - 1
        beaten = "every other model" if better == every else f"{better} of the other {every}"
        return f"{measured}{scores} leads: shown to be better than {beaten}."
    least = min(row.score.share.percent for row in leaders)
    higher = [
        _write_score(row) for row in rows if row.rank.low > 1 and row.score.share.percent > least
    ]
    return (
        f"{measured}{len(leaders)} of {number} models share the lead, because the evals cannot tell"
        f" them apart: {scores}."
    ) + (f" Shown to be worse than another model: {list_in_prose(higher)}." if higher else "")


def describe_higher(ranked: Sequence[Row], elsewhere: Sequence[Row]) -> str:
    """Return a sentence on models with a higher score on other evals; empty for none."""
    best = max((row.score.share.percent for row in ranked), default=100)
    higher = [
        f"{mark_name(row.model.name)} {format_whole_percent(row.score.share.percent)}%"
        for row in elsewhere
        if row.score is not None and row.score.share.percent > best
    ]
    not_comparable = " Higher scores, but on other evals and so not comparable"
    return f"{not_comparable}: {list_in_prose(higher)}." if higher else ""


def describe_asking(days: Collection[date], *, once: bool) -> str:
    """Return a sentence on how and in which months models were asked; empty without days.

    With ``once``, every answer was given without tools or a second try.
    """
    if not days:
        return ""
    first, last = format_month(min(days)), format_month(max(days))
    when = f"in {last}" if first == last else f"from {first} to {last}"
    if once:
        return f"Each answer came at once, without tools or a second try; asked {when}."
    return f"Models were asked {when}."


def _describe_amounts(ranked: Sequence[Row], *, imported: bool) -> dict[str, str]:
    """Return the sentences on cost, value and time; a single sentence if none is known."""
    unknown = "Not published with these results." if imported else "Not recorded for these models."
    if not any(row.amounts[key].value is not None for row in ranked for key in (COST, TIME)):
        return {"Cost, time": unknown}
    leaders = _find_leaders(ranked)
    best = find_best_value(
        [
            PricedScore(str(number), row.score.value, row.score.interval, cost)
            for number, row in enumerate(ranked)
            if (cost := get_number(row.amounts[COST])) is not None
        ]
    )
    value = best and (
        f"{_write_score(ranked[int(best.first.slug)])} passes the most for its price:"
        f" {format_dollars_or_dash(best.first.per_pass)} for each eval passed; next is"
        f" {mark_name(ranked[int(best.next.slug)].model.name)} with"
        f" {format_dollars_or_dash(best.next.per_pass)}."
    )
    cost = _name_least(leaders, COST_PER_PASSED, "Cheapest")
    dearest = _find_least(leaders, COST_PER_PASSED)
    cheapest = _find_least(ranked, COST_PER_PASSED)
    if cheapest and not value and (not dearest or cheapest[0] < dearest[0]):
        scores = list_in_prose([_write_score(row) for row in cheapest[1]])
        cost += f" Cheapest of all whose cost is known: {scores}, {_write_cost(cheapest[0])}."
    has_cost = any(row.amounts[COST].value is not None for row in ranked)
    has_time = any(row.amounts[TIME].value is not None for row in ranked)
    return {
        "Cost": cost.strip() if has_cost else unknown,
        "Value": value or "",
        "Time": _name_least(leaders, TIME, "Fastest") if has_time else unknown,
    }


def _write_cost(cost: float) -> str:
    return _FREE if cost == 0 else f"{format_dollars_or_dash(cost)} for each eval passed"


def _write_time(seconds: float) -> str:
    return f"{format_seconds(seconds)} for an answer, in the mean"


_WRITERS = {COST_PER_PASSED: _write_cost, TIME: _write_time}
"""Functions that write the least amount of a column."""


def _find_least(rows: Sequence[Row], key: str) -> tuple[float, list[Row]] | None:
    """Return the least known amount, and the rows in which it is written alike."""
    amounts = [
        (amount, row) for row in rows if (amount := get_number(row.amounts[key])) is not None
    ]
    if not amounts:
        return None
    least, write = min(amount for amount, _ in amounts), _WRITERS[key]
    return least, [row for amount, row in amounts if write(amount) == write(least)]


def _name_least(leaders: Sequence[Row], key: str, superlative: str) -> str:
    """Return sentences on the leaders with the least amount, and on those of unknown amount."""
    least = _find_least(leaders, key)
    unknown = [mark_name(row.model.name) for row in leaders if row.amounts[key].value is None]
    sentence = ""
    if least is not None:
        names = list_in_prose([mark_name(row.model.name) for row in least[1]])
        which = f"{superlative} of the leading models: " if len(leaders) > 1 else ""
        sentence = f"{which}{names}, {_WRITERS[key](least[0])}."
    rest = f"Not known of {list_in_prose(unknown)}." if unknown else ""
    return " ".join(filter(None, [sentence, rest]))


def describe_gains(leaderboard: Leaderboard, ranked: Sequence[Row]) -> str:
    """Return a sentence on the guidelines' effect on the ranked model, or on several in the mean.

    With several models, the largest gain is named if it is certain.
    """
    gains = [row for row in ranked if row.effect]
    if len(gains) == 1:
        return describe_effect(mark_name(gains[0].model.name), gains[0].effect)
    if leaderboard.overall is None or not gains:
        return ""
    text = describe_effect(f"the mean of {len(gains)} models", leaderboard.overall.whole)
    most = max(gains, key=lambda row: row.effect.points)
    if most.effect.points > 0 and most.model.slug in find_certain_effects(leaderboard.effects):
        points = format_points(most.effect.points, 0)
        text += f" Most: {mark_name(most.model.name)}, {points}{_write_ends(most.effect)}."
    return text


def describe_effect(who: str, change: Difference) -> str:
    """Return a sentence on the effect of the guidelines, which notes if it may be chance."""
    size = round_half_up(abs(change.points))
    if size == "0" and change.real:
        # A small difference that is no chance is not none.
        size = round_half_up(abs(change.points), 1)
    than = "more" if change.points > 0 else "less"
    amount = f"{size} {'point' if size == '1' else 'points'} {than}"
    if size == "0":
        amount = "as without"
    chance = "" if change.real or size == "0" else f", {_MAY_BE_CHANCE}"
    if chance and change.telling_p_value is not None:
        often = describe_p_value(change.telling_p_value)
        chance += f": chance alone makes such a difference {often}"
    return f"With the guidelines {who} scores {amount}{_write_ends(change)}{chance}."


def _write_ends(change: Difference) -> str:
    return f" ({format_points(change.low, 0)} to {format_points(change.high, 0)})"


def _write_score(row: Row) -> str:
    """Return a model with its score and interval, in whole percent."""
    interval = row.score.interval
    low, high = (round_half_up(100 * end) for end in (interval.low, interval.high))
    percent = format_whole_percent(row.score.share.percent)
    return f"{mark_name(row.model.name)} {percent}% ({low} to {high})"
