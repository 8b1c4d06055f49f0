"""The sentences above a table: who leads, at which cost, and the effect of the guidelines.

Each sentence is computed from the rows that are there and says how sure it is. A table that cannot
answer a question has no sentence about it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from generator.render.escaping import name_in_text, plain_sentence, sentence_html
from generator.render.filters import dollars, points, rounded, times_in_100, whole_percent
from generator.scores.intervals import Interval
from generator.scores.ranks import RankRange
from generator.scores.value import PricedScore, find_best_value
from generator.site.parts import Difference, Link
from generator.site.prose import list_in_prose, month

_MAY_BE_CHANCE: Final = "which may be chance"

_CHANCE: Final = Link("about/#text-when-two-sides-differ", "How chance is judged")
_VALUE: Final = Link("about/#text-the-best-value", "How value is found")


@dataclass(frozen=True, slots=True)
class Gain:
    """The effect of the guidelines on a model, or in the mean of several."""

    difference: Difference
    p_value: float | None
    """How likely chance alone makes such a difference; None over too few evals to show any."""
    gained: int | None = None
    """Evals passed with the guidelines only; None in the mean of several models."""
    lost: int | None = None
    """Evals passed without them only."""
    certain: bool = False
    """Whether it is more than noise among those of all models that have one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A ranked model as sentences take it."""

    name: str
    percent: float
    """Its score."""
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end."""
    rank: RankRange
    cost_per_pass: float | None
    """US dollars for each eval passed; None where it is not known or nothing passes."""
    gain: Gain | None
    """The effect of the guidelines; None where it was not asked with and without them."""
    cost: float | None = None
    """US dollars per attempt; None where it is not known."""


class Answer(NamedTuple):
    """A sentence above a table, and the question that it answers."""

    question: str
    text: str
    """Without markup."""
    html: str
    """The same, each model's name in an element of its own."""
    more: Link | None = None
    """A paragraph of the method."""


def answers(
    standings: Sequence[Standing],
    overall: Gain | None,
    bare: Sequence[Standing] = (),
    asked: str = "",
) -> list[Answer]:
    """Return the answers that the rows of a table give; best score first.

    ``overall`` is the effect of the guidelines in the mean of all models that ran with and without
    them, used only where there are several. ``bare`` are the models without guidelines, where the
    table is not of these. ``asked`` is the sentence on how and when the models were asked.
    """
    if not standings:
        return []
    standings, bare = _named(standings), _named(bare)
    leaders = _leaders(standings)
    value = _value(standings)
    texts = {
        "Best": _best(standings, leaders),
        "Cost": _cheapest(standings, leaders, named=value is not None),
        "Value": value or "",
        "Guidelines": _gained([one for one in standings if one.gain], overall),
        "Without": _bare(bare),
        "Asked": asked,
    }
    return [_answer(question, text) for question, text in texts.items() if text]


def _answer(question: str, text: str) -> Answer:
    more = _VALUE if question == "Value" else _CHANCE if _MAY_BE_CHANCE in text else None
    return Answer(question, plain_sentence(text), sentence_html(text), more)


def describe_asking(days: Collection[date], *, once: bool) -> str:
    """Return how and in which months models were asked; ``once`` without tools or a second try."""
    if not days:
        return ""
    first, last = month(min(days)), month(max(days))
    when = f"in {last}" if first == last else f"from {first} to {last}"
    if once:
        return f"Each answer came at once, without tools or a second try; asked {when}."
    return f"Models were asked {when}."


def _named(standings: Sequence[Standing]) -> list[Standing]:
    """Make the names ready to stand in sentences."""
    return [replace(one, name=name_in_text(one.name)) for one in standings]


def _leaders(standings: Sequence[Standing]) -> list[Standing]:
    return [one for one in standings if one.rank.low == 1]


def _bare(standings: Sequence[Standing]) -> str:
    """Say which is best without the guidelines."""
    if len(standings) < 2:  # noqa: PLR2004 - one model is not the best of any
        return ""
    best = _best(standings, _leaders(standings))
    lowered = best.startswith(("All", "Both", "No"))
    return f"Without the guidelines {best[0].lower() + best[1:] if lowered else best}"


def _best(standings: Sequence[Standing], leaders: Sequence[Standing]) -> str:
    number = len(standings)
    if number == 1:
        return f"One model was measured: {_scored(standings[0])}."
    if all(one.percent == 0 for one in standings):
        return "No model passes an eval."
    if len(leaders) > 1:
        every = "Both" if number == 2 else f"All {number}"  # noqa: PLR2004 - two are both
        who = every if len(leaders) == number else f"{len(leaders)} of {number}"
        return (
            f"{who} models share the lead, none shown to be better than another: "
            f"{list_in_prose([_scored(one) for one in leaders])}."
        )
    first = leaders[0]
    beaten = number - first.rank.high
    if beaten == number - 1:
        others = standings[1].name if beaten == 1 else f"each of the other {beaten} models"
        return f"{_leads(first)}: better than {others}."
    return (
        f"{_leads(first)}: no model is shown to be better, and it is shown to be better than"
        f" {beaten} of the other {number - 1}."
    )


def _value(standings: Sequence[Standing]) -> str | None:
    """Return which model passes the most for a dollar; None where the numbers do not show it."""
    by_name = {str(place): standing for place, standing in enumerate(standings)}
    best = find_best_value(
        [
            PricedScore(place, one.percent / 100, Interval(one.low / 100, one.high / 100), one.cost)
            for place, one in by_name.items()
            if one.cost is not None
        ]
    )
    if best is None:
        return None
    return (
        f"{_scored(by_name[best.first.slug])} passes the most for its price:"
        f" {dollars(best.first.per_pass)} for each eval passed; next is"
        f" {by_name[best.next.slug].name} with {dollars(best.next.per_pass)}."
    )


def _cheapest(standings: Sequence[Standing], leaders: Sequence[Standing], *, named: bool) -> str:
    """Return which leader costs least, and which model of all unless it is ``named`` elsewhere."""
    known = [one for one in leaders if one.cost_per_pass is not None]
    if not known:
        return ""
    first = min(known, key=_cost)
    free = [one.name for one in known if _cost(one) == 0]
    if len(free) > 1:
        return f"Of those that lead, {list_in_prose(free)} cost nothing."
    price = f"{dollars(first.cost_per_pass)} for each eval passed"
    if len(leaders) == 1:
        text = f"{first.name} is free." if free else f"{first.name} costs {price}."
    else:
        text = f"Cheapest of those that lead: {first.name}, {'which is free' if free else price}."
        unknown = len(leaders) - len(known)
        if unknown:
            text += f" What {unknown} of them {'costs' if unknown == 1 else 'cost'} is not known."
    least = min((one for one in standings if one.cost_per_pass is not None), key=_cost)
    if _cost(least) < _cost(first) and not named:
        every = all(one.cost_per_pass is not None for one in standings)
        whom = "all" if every else "all whose cost is known"
        text += f" Cheapest of {whom}: {_scored(least)}, {dollars(least.cost_per_pass)}."
    return text


def _gained(measured: Sequence[Standing], overall: Gain | None) -> str:
    gains = {one.name: one.gain for one in measured if one.gain is not None}
    if len(gains) == 1:
        ((name, gain),) = gains.items()
        return _effect(name, gain)
    if overall is None or not gains:
        return ""
    text = _effect(f"the mean of {len(gains)} models", overall)
    name, most = max(gains.items(), key=lambda item: item[1].difference.points)
    if most.certain and most.difference.points > 0:
        text += f" Most: {name}, {points(most.difference.points, 0)}{_ends(most.difference)}."
    return text


def _effect(who: str, gain: Gain) -> str:
    """Return the effect of the guidelines; a difference that may be chance is called that."""
    change = gain.difference
    size = rounded(abs(change.points))
    amount = f"{size} {'point' if size == '1' else 'points'}"
    if change.real:
        verb = "gains" if change.points > 0 else "loses"
        return f"With the guidelines {who} {verb} {amount}{_ends(change)}."
    if size == "0":
        return f"With the guidelines {who} scores as without{_ends(change)}."
    than = "more" if change.points > 0 else "less"
    return f"With the guidelines {who} scores {amount} {than}, {_MAY_BE_CHANCE}{_odds(gain)}."


def _odds(gain: Gain) -> str:
    """Return the evals behind a difference that may be chance, and how often chance makes it."""
    clauses: list[str] = []
    if gain.gained is not None and gain.lost is not None and gain.gained + gain.lost:
        clauses.append(f"{gain.gained} evals gained, {gain.lost} lost")
    if gain.p_value is not None:
        clauses.append(f"chance alone makes such a difference {times_in_100(gain.p_value)}")
    return f": {'; '.join(clauses)}" if clauses else ""


def _ends(gain: Difference) -> str:
    if gain.low is None or gain.high is None:
        return ""
    return f" ({points(gain.low, 0)} to {points(gain.high, 0)})"


def _cost(one: Standing) -> float:
    return one.cost_per_pass if one.cost_per_pass is not None else float("inf")


def _leads(one: Standing) -> str:
    return f"{one.name} leads with {_percent(one)}"


def _scored(one: Standing) -> str:
    return f"{one.name} {_percent(one)}"


def _percent(one: Standing) -> str:
    """Return a score with its interval."""
    return f"{whole_percent(one.percent)}% ({rounded(one.low)} to {rounded(one.high)})"
