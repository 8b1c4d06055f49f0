"""The sentences above a table: who leads, which of them costs least, what the guidelines gave.

Each sentence is computed from the rows that are there and says how sure it is. A table that cannot
answer a question has no sentence about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from generator.render.escaping import name_in_text, plain_sentence, sentence_html
from generator.render.filters import dollars, points, rounded, whole_percent
from generator.scores.ranks import RankRange
from generator.site.parts import Difference
from generator.site.prose import list_in_prose

_NOT_ENOUGH: Final = "besides the interval, an exact test has to show it."
"""Said of a difference whose interval leaves 0 out and which is inside the noise all the same."""


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
    gain: Difference | None
    """What the guidelines did; None where it was not asked with and without them."""
    certain_gain: bool = False
    """Whether the gain is more than noise among those of all models that have one."""


class Answer(NamedTuple):
    """A sentence above a table, and the question that it answers."""

    question: str
    text: str
    """Without markup."""
    html: str
    """The same, each model's name in an element of its own."""
    more: str | None = None
    """Words of a link to what the method says of when two sides differ; None for no link."""


def answers(
    standings: Sequence[Standing],
    overall: Difference | None,
    bare: Sequence[Standing] = (),
) -> list[Answer]:
    """Return what the rows of a table answer; best score first.

    ``overall`` is what the guidelines did in the mean of all models that ran with and without
    them; it is asked for only where there are several. ``bare`` are the models without guidelines,
    where the table is not of these.
    """
    if not standings:
        return []
    standings, bare = _named(standings), _named(bare)
    leaders = _leaders(standings)
    found = {
        "Best": _best(standings, leaders),
        "Cost": _cheapest(standings, leaders),
        "Guidelines": _gained([one for one in standings if one.gain], overall),
        "Without": _bare(bare),
    }
    return [_answer(question, text) for question, text in found.items() if text]


def _answer(question: str, text: str) -> Answer:
    more = "Which test decides" if text.endswith(_NOT_ENOUGH) else None
    return Answer(question, plain_sentence(text), sentence_html(text), more)


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


def _cheapest(standings: Sequence[Standing], leaders: Sequence[Standing]) -> str:
    known = [one for one in leaders if one.cost_per_pass is not None]
    if not known:
        return ""
    first = min(known, key=_cost)
    free = [one.name for one in known if _cost(one) == 0]
    if len(free) > 1:
        return f"Of those that lead, {list_in_prose(free)} cost nothing."
    said = f"{dollars(first.cost_per_pass)} for each eval passed"
    if len(leaders) == 1:
        text = f"{first.name} costs {said}."
    else:
        text = f"Cheapest of those that lead: {first.name}, {said}."
        unknown = len(leaders) - len(known)
        if unknown:
            text += f" What {unknown} of them {'costs' if unknown == 1 else 'cost'} is not known."
    least = min((one for one in standings if one.cost_per_pass is not None), key=_cost)
    if _cost(least) < _cost(first):
        every = all(one.cost_per_pass is not None for one in standings)
        whom = "all" if every else "all whose cost is known"
        text += f" Cheapest of {whom}: {_scored(least)}, {dollars(least.cost_per_pass)}."
    return text


def _gained(measured: Sequence[Standing], overall: Difference | None) -> str:
    if len(measured) == 1 and measured[0].gain is not None:
        return _effect(measured[0].name, measured[0].gain)
    if overall is None or not measured:
        return ""
    text = _effect(f"the mean of {len(measured)} models", overall)
    most = max(measured, key=lambda one: one.gain.points if one.gain else 0)
    if most.gain is not None and most.certain_gain and most.gain.points > 0:
        text += f" Most: {most.name}, {points(most.gain.points, 0)}{_ends(most.gain)}."
    return text


def _effect(who: str, gain: Difference) -> str:
    """Say what the guidelines did; a difference that may be chance is called that."""
    size = rounded(abs(gain.points))
    amount = f"{size} {'point' if size == '1' else 'points'}"
    if gain.real:
        verb = "gains" if gain.points > 0 else "loses"
        return f"With the guidelines {who} {verb} {amount}{_ends(gain)}."
    if size == "0":
        return f"With the guidelines {who} scores as without{_ends(gain)}."
    than = "more" if gain.points > 0 else "less"
    said = f"With the guidelines {who} scores {amount} {than}{_ends(gain)}, which may be chance"
    return f"{said}: {_NOT_ENOUGH}" if gain.only_interval else f"{said}."


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
