"""The first screen of a table: a sentence, three answers, and the map of score against amounts.

All of it is computed from the table's ranked rows. "The best" are the models that cannot be told
apart from the first.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from generator.render.score_map import MapAxis, MapDot, ScoreMap
from generator.render.template_filters import format_thousands, format_whole_percent
from generator.render.templates import Row
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import Estimate
from generator.site_data import SiteData
from records.text.escaping import format_sentence, mark_name, render_sentence
from records.text.numbers import format_count, format_dollars, round_half_up

_LONGEST_SENTENCE = 75
_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_LEAST_PRICED = 0.6
"""The share of ranked models with a cost from which the map is drawn."""
_OF = " of the best"


class Answer(NamedTuple):
    """An answer to the question which model is the best, the cheapest or the fastest."""

    label: str
    of: str
    """The end of the label, which has a line of its own on a phone."""
    name: str
    """The model's name as HTML; empty if no single model is the answer."""
    figure: str
    fine: str
    """Further words as HTML."""


def find_leaders(ranked: Sequence[Entry]) -> list[Entry]:
    """Return the models than which no other is better; none if all of several pass no eval."""
    if len(ranked) > 1 and all(entry.row.score.value == 0 for entry in ranked):
        return []
    return [entry for entry in ranked if entry.row.rank and entry.row.rank.low == 1]


def count_in_words(number: int, noun: str) -> str:
    """Return a number, as a word up to ten, with its noun."""
    words = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{words} {noun}" if number == 1 else f"{words} {noun}s"


def write_headline(ranked: Sequence[Entry], subject: str) -> str:
    """Return the sentence of at most 75 letters that names the leaders among ranked models.

    ``subject`` is what they lead at. Names in it are marked.
    """
    leaders, models = find_leaders(ranked), len(ranked)
    if models == 1:
        share = ranked[0].row.score.share
        passes = f"passes {format_whole_percent(share.percent)}%"
        evals = format_count(share.judged, "eval")
        return _choose_short([f"{{}} {passes} of {evals}"], ranked[0].newest.name)
    if not leaders:
        return "No model passes an eval"
    tie = f"{count_in_words(len(leaders), 'model').capitalize()} share the lead"
    if len(leaders) == models:
        # A name would set one of equal models above the others.
        tie = f"{models} models share the lead"
        return _choose_short([f"{tie}{subject}", tie], "")
    if len(leaders) == 1:
        rank, name = leaders[0].row.rank, leaders[0].newest.name
        leads = "is best" if rank and rank.high == 1 else "leads"
        return _choose_short([f"{{}} {leads}{subject}", f"{{}} {leads}"], name)
    tied = len(leaders) - 1
    return _choose_short(
        [
            f"{{}} and {count_in_words(tied, 'other')} share the lead{subject}",
            f"{{}} and {format_count(tied, 'other')} share the lead{subject}",
            f"{{}} and {format_count(tied, 'other')} share the lead",
            f"{tie}{subject}",
            tie,
        ],
        leaders[0].newest.name,
    )


def _choose_short(sentences: Sequence[str], name: str) -> str:
    """Return the first sentence that is short enough with a name; the last with a cut name."""
    for sentence in sentences:
        text = sentence.replace("{}", mark_name(name), 1)
        if len(format_sentence(text)) <= _LONGEST_SENTENCE:
            return text
    # A letter that cannot be shown is replaced by several, so the place of the cut is tried.
    text = ""
    for end in range(_LONGEST_SENTENCE, -1, -1):
        text = sentences[-1].replace("{}", mark_name(f"{name[:end]}…"), 1)
        if len(format_sentence(text)) <= _LONGEST_SENTENCE:
            break
    return text


def build_answers(ranked: Sequence[Entry], *, imported: bool) -> list[Answer]:
    """Return the answers for ranked models; none without any.

    ``imported`` tells whether others published the results.
    """
    leaders, models = find_leaders(ranked), len(ranked)
    if not leaders:
        return []
    first, ties = leaders[0].row.score, len(leaders) - 1
    name = render_sentence(mark_name(leaders[0].newest.name))
    figure = f"{format_whole_percent(first.share.percent)}%"
    fine = f"range {_write_range(first)}"
    best = Answer("Score" if models == 1 else "Best", "", name, figure, fine)
    if ties:
        tie = f"{fine}, tied with {count_in_words(ties, 'other')}"
        best = best._replace(label="Highest", of=_OF, fine=tie)
    if ties and len(leaders) == models:
        last = f"{format_whole_percent(leaders[-1].row.score.share.percent)}%"
        span = figure if figure == last else f"{last} to {figure}"
        best = Answer("Best", "", "", "", f"{models} models share the lead: {span}")
    verb = "published" if imported else "recorded"
    return [
        best,
        _find_least(
            [(entry.row.cost_per_pass, mark_name(entry.newest.name)) for entry in leaders],
            ("Cheapest", "Cost", "a pass"),
            _write_cost,
            verb,
        ),
        _find_least(
            [(entry.row.generation_s.mean, mark_name(entry.newest.name)) for entry in leaders],
            ("Fastest", "Time", "for an answer"),
            _write_time,
            verb,
        ),
    ]


def _find_least(
    amounts: Sequence[tuple[float | None, str]],
    words: tuple[str, str, str],
    write: Callable[[float], str],
    verb: str,
) -> Answer:
    """Return the leader with the least amount, and the next one; ``amounts`` has all with names."""
    several, noun, unit = words
    label, of = (several, _OF) if len(amounts) > 1 else (noun, "")
    ascending = sorted((amount, name) for amount, name in amounts if amount is not None)
    if not ascending:
        return Answer(label, of, "", "", f"{noun} was not {verb}")
    least, first = ascending[0]
    above = [(write(amount), name) for amount, name in ascending if write(amount) != write(least)]
    equal, unknown = len(ascending) - 1 - len(above), len(amounts) - len(ascending)
    parts = [unit] if least else []
    if equal:
        parts.append(f"like {count_in_words(equal, 'other')}")
    elif unknown:
        parts.append(f"not known of {count_in_words(unknown, 'other')}")
    elif above:
        amount, name = above[0]
        parts.append(
            f"next {name}, {amount}" if least else f"cheapest paid: {name}, {amount} {unit}"
        )
    return Answer(
        label, of, render_sentence(first), write(least), render_sentence("; ".join(parts))
    )


def _write_range(score: Estimate) -> str:
    low, high = (round_half_up(100 * end) for end in score.interval)
    return f"{low}\N{EN DASH}{high}"


def _write_cost(cost: float) -> str:
    return format_dollars(cost) if cost else "free"


def _write_time(seconds: float) -> str:
    return f"{round_half_up(seconds)} s" if seconds >= 1 else f"{round_half_up(seconds, 1)} s"


_COST_AXIS = MapAxis("Dollars for a pass", "best paid value", _write_cost)
_HARD_AXIS = _COST_AXIS._replace(score="Hard evals")
_TIME_AXIS = MapAxis("Seconds for an answer", "fastest for its score", "{:g} s".format)
_TOKENS_AXIS = MapAxis("Tokens of an answer", "fewest for its score", format_thousands)


def draw_maps(ranked: Sequence[Entry]) -> list[Row]:
    """Return the maps of ranked models, one for each amount; none if few costs are known.

    If there are hard evals, another map has the share of these against dollars.
    """
    costs = [entry.row.cost_per_pass for entry in ranked]
    priced = sum(cost is not None for cost in costs)
    if len(ranked) == 1 or sum(map(bool, costs)) < 2 or priced < _LEAST_PRICED * len(ranked):  # noqa: PLR2004 - an axis has two ends
        return []
    prices = [
        "cost unknown" if cost is None else f"{_write_cost(cost)} a pass" if cost else "free"
        for cost in costs
    ]
    scores = [entry.row.score for entry in ranked]
    leaders = {entry.newest.slug for entry in find_leaders(ranked)}
    maps: list[Row] = []
    for axis, drawn, amounts in (
        (_COST_AXIS, scores, costs),
        (_TIME_AXIS, scores, [entry.row.generation_s.mean for entry in ranked]),
        (_TOKENS_AXIS, scores, [entry.row.output_tokens.mean for entry in ranked]),
        (_HARD_AXIS, [entry.row.hard for entry in ranked], costs),
    ):
        dots = [
            MapDot(
                key=entry.newest.slug,
                name=entry.newest.name,
                percent=score.share.percent,
                interval=score.interval,
                leads=entry.newest.slug in leaders,
                amount=amount,
                note=f"{round_half_up(score.share.percent, 1)}% ({_write_range(score)}), {price}",
            )
            for entry, score, amount, price in zip(ranked, drawn, amounts, prices, strict=True)
            if score is not None
        ]
        if any(dot.amount for dot in dots):
            narrow = ScoreMap(dots, axis, narrow=True) if not maps else None
            label = "Hard evals" if axis is _HARD_AXIS else axis.label
            maps.append(Row(label=label, desk=ScoreMap(dots, axis), narrow=narrow))
    return maps


def build_headline(
    site: SiteData, leaderboard: Leaderboard, ranked: Sequence[Entry], *, without: bool
) -> Row:
    """Return the headline over ranked models as text and as HTML.

    ``without`` tells whether they were asked without guidelines.
    """
    imported = leaderboard.benchmark.imported
    subject = f" at {imported.name}" if imported else f" at writing {site.settings.code}"
    subject = " without the guidelines" if without else subject
    text = write_headline(ranked, subject) if ranked else "No model has a score yet"
    return Row(text=format_sentence(text), html=render_sentence(text))
