"""The sentences above a table: which models lead, their cost and time, and the guidelines' effect.

Each sentence is computed from the table's rows, and states how certain it is. If the rows cannot
answer a question, its sentence is left out.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, NamedTuple

from generator.facts.shares import Difference
from generator.facts.titles import format_month, list_in_prose
from generator.facts.urls import Link
from generator.render.template_filters import (
    describe_p_value,
    format_dollars_or_dash,
    format_points,
    format_seconds,
    format_whole_percent,
    round_half_up,
)
from generator.scores.best_value import PricedScore, find_best_value
from generator.scores.intervals import Interval
from generator.scores.score_table import RankRange
from records.text.escaping import format_sentence, mark_name, mark_safe, render_sentence
from records.text.numbers import format_count

_MAY_BE_CHANCE: Final = "which may be chance"
_RANGE: Final = (
    " In brackets: the range of the true score, by a method that is right 95 times in 100."
)

_FREE: Final = "$0 as recorded (a free offer, or a price of 0)"

_CHANCE: Final = Link("about/#text-when-two-sides-differ", "How chance is judged")
_VALUE: Final = Link("about/#text-the-best-value", "How value is found")


@dataclass(frozen=True, slots=True)
class Gain:
    """The effect of the guidelines on one model, or on several models in the mean."""

    difference: Difference
    p_value: float | None
    """How likely chance alone makes such a difference; None if the evals are too few."""
    gained: int | None = None
    """The number of evals passed only with the guidelines; None for several models."""
    lost: int | None = None
    """The number of evals passed only without the guidelines; None for several models."""
    certain: bool = False
    """Whether the effect is more than chance, considering that several models were compared."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A ranked model, with the facts that the sentences need."""

    name: str
    percent: float
    """The model's score in percent."""
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end of the 95% interval in percent."""
    rank: RankRange
    cost_per_pass: float | None
    """US dollars for each eval passed; None if it is not known or nothing passes."""
    gain: Gain | None
    """The effect of the guidelines; None if the model was not asked both with and without them."""
    cost: float | None = None
    """US dollars per attempt; None if it is not known."""
    seconds: float | None = None
    """Mean seconds to write an answer; None if they are not known."""
    attempts: int = 0
    """The number of attempts with a verdict, in all runs that count."""


@dataclass(frozen=True, slots=True)
class Uncounted:
    """A model whose run does not count yet, because attempts have no verdict."""

    name: str
    unjudged: int
    """The number of attempts without a verdict."""
    planned: int


@dataclass(frozen=True, slots=True)
class FurtherFacts:
    """Facts about a table that are not in its rows."""

    elsewhere: Sequence[tuple[str, float]] = ()
    """Names and scores, in percent, of models that only other versions measured."""
    uncounted_bare: Sequence[Uncounted] = ()
    """Models that were asked without guidelines and have no score yet."""
    newer: str = ""
    """A sentence on models that were released later."""
    corrected: str = ""
    """A sentence on the first model by later counts, beginning with a space."""
    asked: str = ""
    """A sentence on how and when the models were asked."""
    imported: bool = False
    """Whether the results were published by others."""


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
    standings: Sequence[Standing],
    overall: Gain | None,
    bare: Sequence[Standing] = (),
    further: FurtherFacts | None = None,
) -> list[Answer]:
    """Return the sentences above a table whose rows are ``standings``, best score first.

    ``overall`` is the mean effect of the guidelines on all models that ran with and without them;
    it is used if there are several. ``bare`` are the models asked without guidelines; it is empty
    if the table itself is of these.
    """
    further = further or FurtherFacts()
    ranked, bare = _with_plain_names(standings), _with_plain_names(bare)
    if not ranked and not bare:
        return []
    leaders = _find_leaders(ranked or bare)
    if ranked:
        because = len(leaders) <= 1
        best = _name_best(ranked, bare)
        rest = f"{_describe_higher(ranked, further.elsewhere)}{further.corrected}"
        without = _name_best_bare(ranked, bare, further.uncounted_bare, because=because)
    else:
        best, rest, without = _name_best_bare([], bare, further.uncounted_bare), "", ""
        ranked = bare
    texts = {
        "Best": best,
        **_describe_prices_and_times(ranked, imported=further.imported),
        "Guidelines": _describe_gains([model for model in ranked if model.gain], overall),
        "Without": without,
        "Newer": further.newer,
        "Asked": further.asked,
    }
    # The first sentence with scores explains the brackets after them.
    asides = {"Best": _RANGE} if leaders else {"Without": _RANGE} if _find_leaders(bare) else {}
    rests = {"Best": rest}
    return [
        _make_answer(question, text, asides.get(question, ""), rests.get(question, ""))
        for question, text in texts.items()
        if text
    ]


def _make_answer(question: str, text: str, aside: str, rest: str) -> Answer:
    """Return an answer: ``text``, then ``aside`` on its brackets, then ``rest``."""
    whole = f"{text}{aside}{rest}"
    more = _VALUE if question == "Value" else _CHANCE if _MAY_BE_CHANCE in whole else None
    # A phone hides the aside, which the legend repeats, so that the table stays in sight.
    on_desks = mark_safe(f'<span class="more">{aside}</span>' if aside else "")
    html = mark_safe(f"{render_sentence(text)}{on_desks}{render_sentence(rest)}")
    return Answer(question, format_sentence(whole), html, more)


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


def _with_plain_names(standings: Sequence[Standing]) -> list[Standing]:
    """Return the standings with names that can be put into sentences."""
    return [replace(model, name=mark_name(model.name)) for model in standings]


def _find_leaders(standings: Sequence[Standing]) -> list[Standing]:
    """Return the models than which no other is better; none if all of several pass no eval."""
    if len(standings) > 1 and all(model.percent == 0 for model in standings):
        return []
    return [model for model in standings if model.rank.low == 1]


def _name_best_bare(
    ranked: Sequence[Standing],
    bare: Sequence[Standing],
    uncounted: Sequence[Uncounted],
    *,
    because: bool = True,
) -> str:
    """Return the sentence on the best model without the guidelines.

    Empty without such models, and for a single model that ``ranked`` has too.
    """
    if not bare:
        return ""
    if len(bare) == 1:
        score = _write_score(bare[0])
        alone = bare[0].name not in {model.name for model in ranked}
        return f"One model was measured without the guidelines: {score}." if alone else ""
    others = _describe_uncounted(uncounted)
    lead = _name_lead(bare, because=because)
    return f"{len(bare)} models were measured without the guidelines{others}. {lead}"


def _describe_uncounted(uncounted: Sequence[Uncounted]) -> str:
    """Return a clause on further models that were asked and have no score yet; empty for none."""
    if len(uncounted) > 1:
        return f"; {len(uncounted)} more were asked, but not all attempts have a verdict yet"
    if not uncounted:
        return ""
    (model,) = uncounted
    verb = "has" if model.unjudged == 1 else "have"
    return (
        f"; {mark_name(model.name)} was asked, too, but {model.unjudged} of"
        f" {format_count(model.planned, 'attempt')} {verb} no verdict yet"
    )


def _name_best(ranked: Sequence[Standing], bare: Sequence[Standing]) -> str:
    """Return the sentence on the best model of ``ranked``.

    A single model is called measured `with the guidelines` if ``bare`` has other models.
    """
    if len(ranked) > 1:
        return _name_lead(ranked)
    bare_names = {model.name for model in bare} - {ranked[0].name}
    condition = " with the guidelines" if bare_names else ""
    return f"One model was measured{condition}: {_write_score(ranked[0])}."


def _describe_higher(ranked: Sequence[Standing], elsewhere: Sequence[tuple[str, float]]) -> str:
    """Return a sentence on models with a higher score on other evals; empty for none."""
    best = max(standing.percent for standing in ranked)
    higher = [(name, percent) for name, percent in elsewhere if percent > best]
    if not higher:
        return ""
    if len(higher) > 1:
        return (
            f" {len(higher)} models below have higher scores, but on other evals, so these scores"
            " are not comparable."
        )
    ((name, percent),) = higher
    return (
        f" {mark_name(name)} has {format_whole_percent(percent)}%, but on other evals, "
        "so this score is"
        " not comparable."
    )


def _name_lead(standings: Sequence[Standing], *, because: bool = True) -> str:
    """Return a sentence on who leads two or more models; with ``because`` why several lead."""
    number = len(standings)
    leaders = _find_leaders(standings)
    if not leaders:
        return "No model passes an eval."
    if len(leaders) > 1:
        every = "Both" if number == 2 else f"All {number}"  # noqa: PLR2004 - two are both
        who = every if len(leaders) == number else f"{len(leaders)} of {number}"
        reason = ", because the evals cannot tell them apart" if because else ""
        return (
            f"{who} models share the lead{reason}: "
            f"{list_in_prose([_write_score(model) for model in leaders])}."
            f"{_explain_higher_followers(standings, leaders[-1])}"
        )
    first = leaders[0]
    lead = f"{first.name} leads with {_write_percent(first)}"
    beaten = number - first.rank.high
    if beaten == number - 1:
        weaker = standings[1].name if beaten == 1 else f"each of the other {beaten} models"
        return f"{lead}: better than {weaker}."
    return (
        f"{lead}: better than {beaten} of the other {number - 1} models, and the evals cannot tell"
        " it from the rest."
    )


def _explain_higher_followers(standings: Sequence[Standing], last: Standing) -> str:
    """Return a sentence on models that score more than the leader ``last`` but do not lead."""
    higher = [model for model in standings if model.rank.low > 1 and model.percent > last.percent]
    if not higher:
        return ""
    fewer = last.attempts < min(model.attempts for model in higher)
    but = f"{last.name}, which has fewer attempts, is not" if fewer else f"{last.name} is not"
    names = list_in_prose(
        [f"{model.name} {format_whole_percent(model.percent)}%" for model in higher]
    )
    if len(higher) > 1:
        return f" {names} are not among them: each is shown to be worse than another model; {but}."
    better = format_count(higher[0].rank.low - 1, "model")
    return f" {names} is not among them: it is shown to be worse than {better}; {but}."


def _describe_prices_and_times(ranked: Sequence[Standing], *, imported: bool) -> dict[str, str]:
    """Return the sentences on cost, value and time; a single sentence if none is known."""
    leaders = _find_leaders(ranked)
    unknown = "Not published with these results." if imported else "Not recorded for these models."
    knows_cost = any(model.cost is not None or model.cost_per_pass is not None for model in ranked)
    knows_time = any(model.seconds is not None for model in ranked)
    if not knows_cost and not knows_time:
        return {"Cost, time": unknown}
    value = _name_best_value(ranked)
    cost = _name_cheapest(ranked, leaders, names_value=value is not None)
    return {
        "Cost": cost if knows_cost else unknown,
        "Value": value or "",
        "Time": _name_fastest(leaders) if knows_time else unknown,
    }


def _name_fastest(leaders: Sequence[Standing]) -> str:
    """Return a sentence on the leader with the least time for an answer; empty without leaders."""
    if not leaders:
        return ""
    timed = [model for model in leaders if model.seconds is not None]
    if not timed:
        return "Not known of the models that lead."
    least = format_seconds(min(map(_get_time, timed)))
    names = [model.name for model in timed if format_seconds(model.seconds) == least]
    if len(leaders) == 1:
        return f"{names[0]} takes {least} for an answer, in the mean."
    each = least if len(names) == 1 else f"each {least}"
    unknown = [model.name for model in leaders if model.seconds is None]
    lacking = f" The times of {len(unknown)} of them are not known." if unknown else ""
    if len(unknown) == 1:
        lacking = f" The time of {unknown[0]} is not known."
    return (
        f"Fastest of the leading models: {list_in_prose(names)}, {each} for an answer, in the"
        f" mean.{lacking}"
    )


def _name_best_value(standings: Sequence[Standing]) -> str | None:
    """Return a sentence on the model that passes the most for its price; None if not proven."""
    by_name = {str(key): standing for key, standing in enumerate(standings)}
    best = find_best_value(
        [
            PricedScore(
                key, model.percent / 100, Interval(model.low / 100, model.high / 100), model.cost
            )
            for key, model in by_name.items()
            if model.cost is not None
        ]
    )
    if best is None:
        return None
    return (
        f"{_write_score(by_name[best.first.slug])} passes the most for its price:"
        f" {format_dollars_or_dash(best.first.per_pass)} for each eval passed; next is"
        f" {by_name[best.next.slug].name} with {format_dollars_or_dash(best.next.per_pass)}."
    )


def _name_cheapest(
    standings: Sequence[Standing], leaders: Sequence[Standing], *, names_value: bool
) -> str:
    """Return sentences on the cheapest leaders, and on the cheapest of all models.

    If a leader's cost is known, the cheapest of all are left out if they cost as much, or with
    ``names_value``, when another sentence names the best value. Empty if no cost is known.
    """
    priced, cheapest = _sort_cheapest_first(leaders), _sort_cheapest_first(standings)
    sentences = [_describe_cheapest_leaders(leaders, priced)] if priced else []
    unknown = [model.name for model in leaders if model.cost_per_pass is None]
    if len(unknown) == 1:
        sentences.append(f"The cost of {unknown[0]} is not known.")
    elif unknown:
        whose = f"{len(unknown)} of them" if priced else "the models that lead"
        sentences.append(f"The costs of {whose} are not known.")
    if not cheapest:
        return ""
    least = cheapest[0].cost_per_pass
    if not priced or (_get_cost(cheapest[0]) < _get_cost(priced[0]) and not names_value):
        every = len(cheapest) == len(standings)
        whom = "all" if every else "all whose cost is known"
        scores = list_in_prose([_write_score(model) for model in _select_equal_in_price(cheapest)])
        sentences.append(f"Cheapest of {whom}: {scores}, {format_dollars_or_dash(least)}.")
    return " ".join(sentences)


def _describe_cheapest_leaders(leaders: Sequence[Standing], priced: Sequence[Standing]) -> str:
    """Return the sentence on the cheapest of ``priced``, the leaders with a known cost."""
    names = [model.name for model in _select_equal_in_price(priced)]
    free = _get_cost(priced[0]) == 0
    price = _write_price(priced[0])
    if len(leaders) == 1:
        return f"{names[0]} costs {_FREE if free else price}."
    if free:
        return (
            f"Cheapest of the leading models: {list_in_prose(names)}, {_FREE}."
            f"{_name_cheapest_paid(priced)}"
        )
    if len(names) == len(leaders):
        every = "Both" if len(names) == 2 else "All"  # noqa: PLR2004 - two are both
        return f"{every} leading models cost {price}."
    each = price if len(names) == 1 else f"each {price}"
    return f"Cheapest of the leading models: {list_in_prose(names)}, {each}."


def _name_cheapest_paid(priced: Sequence[Standing]) -> str:
    """Return a sentence on the cheapest leader that is not free; empty if all are free."""
    paid = [model for model in priced if _get_cost(model) > 0]
    if not paid:
        return ""
    names = [model.name for model in _select_equal_in_price(paid)]
    each = "" if len(names) == 1 else "each "
    return f" Cheapest that is not free: {list_in_prose(names)}, {each}{_write_price(paid[0])}."


def _write_price(model: Standing) -> str:
    return f"{format_dollars_or_dash(model.cost_per_pass)} for each eval passed"


def _sort_cheapest_first(standings: Sequence[Standing]) -> list[Standing]:
    """Return the models whose cost is known, cheapest first."""
    priced = [model for model in standings if model.cost_per_pass is not None]
    return sorted(priced, key=_get_cost)


def _select_equal_in_price(priced: Sequence[Standing]) -> list[Standing]:
    """Return the models of ``priced`` whose written price is that of the first."""
    price = format_dollars_or_dash(priced[0].cost_per_pass)
    return [model for model in priced if format_dollars_or_dash(model.cost_per_pass) == price]


def _describe_gains(measured: Sequence[Standing], overall: Gain | None) -> str:
    gains = [(model.name, model.gain) for model in measured if model.gain is not None]
    if len(gains) == 1:
        return _describe_effect(*gains[0])
    if overall is None or not gains:
        return ""
    text = _describe_effect(f"the mean of {len(gains)} models", overall)
    name, most = max(gains, key=lambda item: item[1].difference.points)
    if most.certain and most.difference.points > 0:
        points = format_points(most.difference.points, 0)
        text += f" Most: {name}, {points}{_write_ends(most.difference)}."
    return text


def _describe_effect(who: str, gain: Gain) -> str:
    """Return a sentence on the effect of the guidelines, which notes if it may be chance."""
    change = gain.difference
    size = round_half_up(abs(change.points))
    amount = f"{size} {'point' if size == '1' else 'points'}"
    if change.real:
        verb = "gains" if change.points > 0 else "loses"
        return f"With the guidelines {who} {verb} {amount}{_write_ends(change)}."
    if size == "0":
        return f"With the guidelines {who} scores as without{_write_ends(change)}."
    than = "more" if change.points > 0 else "less"
    return f"With the guidelines {who} scores {amount} {than}, {_MAY_BE_CHANCE}{_write_odds(gain)}."


def _write_odds(gain: Gain) -> str:
    """Return a clause on the evals behind a difference, and how often chance makes such a one."""
    clauses: list[str] = []
    if gain.gained is not None and gain.lost is not None and gain.gained + gain.lost:
        clauses.append(f"{format_count(gain.gained, 'eval')} gained, {gain.lost} lost")
    if gain.p_value is not None:
        clauses.append(f"chance alone makes such a difference {describe_p_value(gain.p_value)}")
    return f": {'; '.join(clauses)}" if clauses else ""


def _write_ends(gain: Difference) -> str:
    if gain.low is None or gain.high is None:
        return ""
    return f" ({format_points(gain.low, 0)} to {format_points(gain.high, 0)})"


def _get_time(model: Standing) -> float:
    return model.seconds if model.seconds is not None else float("inf")


def _get_cost(model: Standing) -> float:
    return model.cost_per_pass if model.cost_per_pass is not None else float("inf")


def _write_score(model: Standing) -> str:
    return f"{model.name} {_write_percent(model)}"


def _write_percent(model: Standing) -> str:
    """Return a score with its interval, in whole percent."""
    low, high = round_half_up(model.low), round_half_up(model.high)
    return f"{format_whole_percent(model.percent)}% ({low} to {high})"
