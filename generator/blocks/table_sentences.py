"""The sentences below a table: why models lead, the best value, and the guidelines' effect.

Each sentence is computed from the table's rows. If the rows cannot answer a question, its sentence
is left out. Later counts of publishers, models on other versions and attempts without a verdict
have their places below the table.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from math import fsum
from typing import NamedTuple

from generator.blocks.first_screen import find_leaders
from generator.render.template_filters import (
    format_dollars_or_dash,
    format_points,
    format_whole_percent,
)
from generator.scores.best_value import find_best_value
from generator.scores.differences.difference import Conclusion, Difference
from generator.scores.guidelines_effect import find_certain_effects
from generator.scores.leaderboards import Entry, Leaderboard
from generator.site_links import Link, format_month, label_category, list_in_prose
from records.text.escaping import format_sentence, mark_name, render_sentence
from records.text.numbers import round_half_up

_MAY_BE_CHANCE = "which may be chance"
_CHANCE = Link("about/#text-when-two-sides-differ", "How chance is judged")
_VALUE = Link("about/#text-the-best-value", "How value is found")


class TableSentence(NamedTuple):
    """A sentence below a table, and the question that it answers."""

    question: str
    text: str
    """Without markup."""
    html: str
    """The same text as HTML, each model's name in an element of its own."""
    more: Link | None = None
    """A link to the paragraph of the method page that explains the sentence."""


def build_sentences(
    ranked: Sequence[Entry], bare: Sequence[Entry], further: Mapping[str, str]
) -> list[TableSentence]:
    """Return the sentences below a table.

    Args:
        ranked: the ranked entries of the table, best score first.
        bare: the ranked entries without guidelines; empty if ``ranked`` are these.
        further: further sentences by question.
    """
    measured = ranked or bare
    if not measured:
        return []
    only_bare = {entry.newest.slug for entry in bare} - {entry.newest.slug for entry in ranked}
    usual = " with the guidelines" if only_bare and len(ranked) == 1 else ""
    without = " without the guidelines"
    texts = {
        "Score" if len(measured) == 1 else "Best": _name_best(
            measured, usual if ranked else without
        ),
        "Value": _describe_value(measured),
        "Guidelines": "",
        "Without": _name_best(bare, without) if ranked and (only_bare or len(bare) > 1) else "",
        **further,
    }
    links = {"Value": _VALUE}
    if _MAY_BE_CHANCE in texts["Guidelines"]:
        links["Guidelines"] = _CHANCE
    return [
        TableSentence(question, format_sentence(text), render_sentence(text), links.get(question))
        for question, text in texts.items()
        if text
    ]


def _name_best(entries: Sequence[Entry], condition: str) -> str:
    """Return sentences on the best of the models that were measured under a condition."""
    leaders, number = find_leaders(entries), len(entries)
    scores = list_in_prose([_write_score(entry) for entry in leaders]) if leaders else ""
    if number == 1:
        return f"One model was measured{condition}: {scores}."
    measured = f"{number} models were measured{condition}. " if condition else ""
    if not leaders:
        return f"{measured}No model passes an eval."
    if len(leaders) > 1:
        lead = f"{len(leaders)} of {number} models share the lead"
        text = f"{measured}{lead}, because the evals cannot tell them apart: {scores}."
        least = leaders[-1]
        above = [
            mark_name(entry.newest.name)
            for entry in entries
            # Shares have no errors of rounding, so that equal scores are equal.
            if entry.row.rank
            and entry.row.rank.low > 1
            and entry.row.score.share.passed > least.row.score.share.passed
        ]
        if above:
            verbs = ("scores", "is") if len(above) == 1 else ("score", "are")
            text += (
                f" {list_in_prose(above)} {verbs[0]} more than {mark_name(least.newest.name)},"
                f" but {verbs[1]} behind: models are compared eval by eval, not by score."
            )
        return text
    rank, every = leaders[0].row.rank, number - 1
    better = number - rank.high if rank else 0
    beaten = f"{better} of the other {every}"
    if better == every:
        beaten = "every other model" if every > 1 else mark_name(entries[1].newest.name)
    return f"{measured}{scores} leads: shown to be better than {beaten}."


def describe_categories(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str:
    """Return a sentence on the categories that models pass least and most; empty without two."""
    shares = {
        key: fsum(entry.row.categories[key].value for entry in entries) / len(entries)
        for key in leaderboard.list_categories()
        if entries and all(key in entry.row.categories for entry in entries)
    }
    if len(shares) < 2 or len({*shares.values()}) == 1:  # noqa: PLR2004 - one has no other
        return ""
    hardest, easiest = (choose(shares, key=shares.__getitem__) for choose in (min, max))
    models = "the model" if len(entries) == 1 else f"the mean of {len(entries)} models"
    low, high = (format_whole_percent(100 * shares[key]) for key in (hardest, easiest))
    return (
        f"The hardest category is {label_category(hardest)}, of which {models} passes {low}%;"
        f" the easiest is {label_category(easiest)} with {high}%."
    )


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


def _describe_value(measured: Sequence[Entry]) -> str:
    """Return a sentence on the model that passes the most for its price; empty if none is shown."""
    best = find_best_value(entry.row for entry in measured)
    if best is None:
        return ""
    first, after = (entry for each in best for entry in measured if entry.row is each)
    price, dearer = (format_dollars_or_dash(each.cost_per_pass) for each in best)
    return (
        f"{_write_score(first)} passes the most for its price: {price} for each eval passed;"
        f" next is {mark_name(after.newest.name)} with {dearer}."
    )


def describe_gains(leaderboard: Leaderboard, ranked: Sequence[Entry]) -> str:
    """Return a sentence on the guidelines' effect on the ranked model, or on several in the mean.

    With several models, the largest gain is named if it is certain. Empty for models that were
    asked without the guidelines.
    """
    gains = [
        (entry.newest, effect.difference)
        for entry in ranked
        if (effect := leaderboard.find_effect(entry))
    ]
    if len(gains) == 1:
        ((run, change),) = gains
        return describe_effect(mark_name(run.name), change)
    if leaderboard.overall is None or not gains:
        return ""
    text = describe_effect(f"the mean of {len(gains)} models", leaderboard.overall.whole)
    run, most = max(gains, key=lambda gain: gain[1].points)
    if most.points > 0 and run.slug in find_certain_effects(leaderboard.effects):
        text += f" Most: {mark_name(run.name)}, {format_points(most.points, 0)}{_write_ends(most)}."
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
    # By the ends as they are printed.
    leaves_out_0 = change.low >= 0.5 or change.high <= -0.5  # noqa: PLR2004 - rounded to a point
    if chance and leaves_out_0 and change.conclusion is Conclusion.NOISE:
        chance += ", although the interval leaves out 0"
    return f"With the guidelines {who} scores {amount}{_write_ends(change)}{chance}."


def _write_ends(change: Difference) -> str:
    return f" ({format_points(change.low, 0)} to {format_points(change.high, 0)})"


def _write_score(entry: Entry) -> str:
    """Return a model with its score and interval, in whole percent."""
    score = entry.row.score
    low, high = (round_half_up(100 * end) for end in score.interval)
    percent = format_whole_percent(score.share.percent)
    return f"{mark_name(entry.newest.name)} {percent}% ({low} to {high})"
