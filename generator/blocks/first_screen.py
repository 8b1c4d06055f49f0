"""The first screen of a table: a sentence, three answers, and the map of score against amounts.

All of it is computed from the table's ranked rows. "The best" are the models that cannot be told
apart from the first.
"""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from generator.blocks.leaderboard_columns import COST_PER_PASSED, TIME, TOKENS, get_number
from generator.render.map_names import MapDot
from generator.render.score_map import MapAxis, ScoreMap, choose_floor
from generator.render.template_filters import format_thousands, format_whole_percent
from generator.render.templates import Row
from generator.scores.leaderboards import Leaderboard
from generator.scores.score_estimate import Estimate
from generator.scores.score_table import ScoredRow
from generator.site_data import SiteData
from generator.site_links import build_category
from records.text.escaping import format_sentence, mark_name, render_sentence
from records.text.numbers import format_count, format_dollars, round_half_up

_LONGEST_SENTENCE = 75
_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_LEAST_PRICED = 0.6
"""The share of ranked models with a cost from which the map is drawn."""


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


def find_leaders(rows: Sequence[Row]) -> list[Row]:
    """Return the models than which no other is better; none if all of several pass no eval."""
    if len(rows) > 1 and all(row.score.value == 0 for row in rows):
        return []
    return [row for row in rows if row.rank.low == 1]


def count_in_words(number: int, noun: str) -> str:
    """Return a number, as a word up to ten, with its noun."""
    words = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{words} {noun}" if number == 1 else f"{words} {noun}s"


def write_headline(rows: Sequence[Row], subject: str) -> str:
    """Return the sentence of at most 75 letters that names the leaders among ranked models.

    ``subject`` is what they lead at. Names in it are marked.
    """
    leaders, models = find_leaders(rows), len(rows)
    if models == 1:
        share = rows[0].score.share
        passes = f"passes {format_whole_percent(share.percent)}%"
        evals = format_count(share.judged, "eval")
        return _choose_short([f"{{}} {passes} of {evals}"], rows[0].model.name)
    if not leaders:
        return "No model passes an eval"
    tie = f"{count_in_words(len(leaders), 'model').capitalize()} share the lead"
    if len(leaders) == models:
        # A name would set one of equal models above the others.
        tie = f"{models} models share the lead"
        return _choose_short([f"{tie}{subject}", tie], "")
    if len(leaders) == 1:
        leads = "is best" if leaders[0].rank.high == 1 else "leads"
        return _choose_short([f"{{}} {leads}{subject}", f"{{}} {leads}"], leaders[0].model.name)
    tied = len(leaders) - 1
    return _choose_short(
        [
            f"{{}} and {count_in_words(tied, 'other')} share the lead{subject}",
            f"{{}} and {format_count(tied, 'other')} share the lead{subject}",
            f"{{}} and {format_count(tied, 'other')} share the lead",
            f"{tie}{subject}",
            tie,
        ],
        leaders[0].model.name,
    )


def _choose_short(sentences: Sequence[str], name: str) -> str:
    """Return the first sentence that is short enough with a name; the last with a cut name."""
    for sentence in sentences:
        text = sentence.replace("{}", mark_name(name), 1)
        if len(format_sentence(text)) <= _LONGEST_SENTENCE:
            return text
    room = _LONGEST_SENTENCE - len(sentences[-1]) + 1
    return sentences[-1].replace("{}", mark_name(f"{name[:room]}…"), 1)


def build_answers(rows: Sequence[Row], *, imported: bool) -> list[Answer]:
    """Return the answers for ranked models; none without any.

    ``imported`` tells whether others published the results.
    """
    leaders, models = find_leaders(rows), len(rows)
    if not leaders:
        return []
    first, ties = leaders[0], len(leaders) - 1
    name = render_sentence(mark_name(first.model.name))
    figure = f"{format_whole_percent(first.score.share.percent)}%"
    fine = f"range {_write_range(first.score)}"
    best = Answer("Score" if models == 1 else "Best", "", name, figure, fine)
    if ties:
        best = best._replace(fine=f"{fine}, tied with {count_in_words(ties, 'other')}")
    if ties and len(leaders) == models:
        last = f"{format_whole_percent(leaders[-1].score.share.percent)}%"
        span = figure if figure == last else f"{last} to {figure}"
        best = Answer("Best", "", "", "", f"{models} models share the lead: {span}")
    verb = "published" if imported else "recorded"
    return [
        best,
        _find_least(leaders, COST_PER_PASSED, ("Cheapest", "Cost"), _write_cost, verb),
        _find_least(leaders, TIME, ("Fastest", "Time"), _write_time, verb),
    ]


def _find_least(
    leaders: Sequence[Row],
    key: str,
    labels: tuple[str, str],
    write: Callable[[float], str],
    verb: str,
) -> Answer:
    """Return the leader with the least amount, and the next one."""
    several, noun = labels
    label, of = (several, " of the best") if len(leaders) > 1 else (noun, "")
    amounts = [(get_number(row.amounts[key]), mark_name(row.model.name)) for row in leaders]
    ascending = sorted((amount, name) for amount, name in amounts if amount is not None)
    if not ascending:
        return Answer(label, of, "", "", f"{noun} was not {verb}")
    least, first = ascending[0]
    above = [(write(amount), name) for amount, name in ascending if write(amount) != write(least)]
    equal, unknown = len(ascending) - 1 - len(above), len(leaders) - len(ascending)
    unit = "for an answer" if key == TIME else "a pass"
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


_AXES = {
    COST_PER_PASSED: MapAxis(
        "Dollars for a pass",
        "cost unknown",
        "best value",
        _write_cost,
    ),
    TIME: MapAxis(
        "Seconds for an answer",
        "time unknown",
        "fastest for its score",
        "{:g} s".format,
    ),
    TOKENS: MapAxis("Tokens of an answer", "unknown", "fewest for its score", format_thousands),
}


_HARD_AXIS = _AXES[COST_PER_PASSED]._replace(score="Hard evals")


def draw_maps(rows: Sequence[Row], root: str) -> list[Row]:
    """Return the maps of ranked models, one for each amount; none if few costs are known.

    If there are hard evals, another map has the share of these against dollars.

    ``root`` leads from the page to the site's root.
    """
    costs = [get_number(row.amounts[COST_PER_PASSED]) for row in rows]
    priced = sum(cost is not None for cost in costs)
    if len(rows) == 1 or sum(map(bool, costs)) < 2 or priced < _LEAST_PRICED * len(rows):  # noqa: PLR2004 - an axis has two ends
        return []
    scores = [(row, row.score) for row in rows]
    hard = [(row, row.hard) for row in rows if row.hard is not None]
    leaders = {row.model.slug for row in find_leaders(rows)}
    maps: list[Row] = []
    for key, axis, drawn in (
        *((key, axis, scores) for key, axis in _AXES.items()),
        (COST_PER_PASSED, _HARD_AXIS, hard),
    ):
        dots = [
            MapDot(
                key=row.model.slug,
                name=row.model.name,
                href=root + row.model.href,
                percent=score.share.percent,
                interval=score.interval,
                leads=row.model.slug in leaders,
                amount=get_number(row.amounts[key]),
                note=_describe_dot(row, score),
            )
            for row, score in drawn
        ]
        if any(dot.amount for dot in dots):
            narrow = ScoreMap(dots, axis, narrow=True) if not maps else None
            label = "Hard evals" if axis is _HARD_AXIS else axis.label
            maps.append(Row(label=label, desk=ScoreMap(dots, axis), narrow=narrow))
    return maps


def _describe_dot(row: Row, score: Estimate) -> str:
    cost = get_number(row.amounts[COST_PER_PASSED])
    words = "cost unknown" if cost is None else f"{_write_cost(cost)} a pass"
    percent = round_half_up(score.share.percent, 1)
    return f"{percent}% ({_write_range(score)}), {words if cost != 0 else 'free'}"


def build_headline(
    site: SiteData, leaderboard: Leaderboard, rows: Sequence[Row], *, without: bool
) -> Row:
    """Return the headline over ranked models as text and as HTML.

    ``without`` tells whether they were asked without guidelines.
    """
    imported = leaderboard.benchmark.imported
    subject = f" at {imported.name}" if imported else f" at writing {site.settings.code}"
    subject = " without the guidelines" if without else subject
    text = write_headline(rows, subject) if rows else "No model has a score yet"
    return Row(text=format_sentence(text), html=render_sentence(text))


def describe_table(
    site: SiteData, leaderboard: Leaderboard, models: int, days: Sequence[date]
) -> str:
    """Return the line below the headline: version, models, evals, how answers are judged, when."""
    benchmark = leaderboard.benchmark
    origin = f"answers {site.settings.graded}"
    if benchmark.imported is not None:
        origin = f"imported from {benchmark.imported.format.tool}"
    elif benchmark.source is not None:
        origin = f"results published by {site.settings.find_publisher(benchmark.source)}"
    counts = [format_count(len(leaderboard.scored.evals), "eval"), origin]
    if models:
        counts.insert(0, format_count(models, "model"))
    if days:
        first, last = min(days), max(days)
        counts.append(f"asked {first}" + (f" to {last}" if last > first else ""))
    return f"{site.titles[leaderboard.version]}: {', '.join(counts)}."


def draw_categories(leaderboard: Leaderboard, scored: ScoredRow) -> list[Row]:
    """Return the categories of a model, each with its score."""
    return [
        Row(
            label=build_category(key).label,
            score=scored.categories[key],
        )
        for key in leaderboard.list_categories()
    ]


def mark_leaders(rows: Sequence[Row], ranked: Sequence[Row]) -> int:
    """Mark the rows of leaders; return the percentage at which the axis of whiskers begins."""
    floor = choose_floor(row.score.interval for row in ranked or rows)
    leaders = {row.model.slug for row in find_leaders(ranked)} if len(ranked) > 1 else set[str]()
    for row in rows:
        row.leads = row.rank is not None and row.model.slug in leaders
    return floor
