"""Words on the difference between two models."""

from collections.abc import Sequence

from generator.facts.run_pairs import RunPair
from generator.facts.shares import Difference, conclude_in_words, convert_to_points
from generator.facts.site_data import SiteData
from generator.render.environment import Row
from generator.render.template_filters import format_points
from generator.scores.differences.difference import Conclusion
from generator.scores.differences.model_pairs import Against
from generator.scores.leaderboards import Entry
from records.text.numbers import format_count
from records.text.visible import make_visible


def label_columns(heads: Sequence[Row]) -> list[str]:
    """Return a label for each column: name and condition, and the key if labels were the same."""
    plain = [
        make_visible(f"{head.model.name} ({head.experiment})" if head.short else head.model.name)
        for head in heads
    ]
    return [
        label if plain.count(label) == 1 else f"{label} [{head.key}]"
        for label, head in zip(plain, heads, strict=True)
    ]


def find_newest_pair(site: SiteData, entry: Entry, other: Entry) -> RunPair | None:
    """Return the pair of the newest runs of two entries; None if the pair has no page."""
    return site.pairs_of_ids.get(frozenset((entry.newest.run_id, other.newest.run_id)))


def convert_comparison_to_points(against: Against) -> Difference:
    """Return the difference between two models in points, with its interval."""
    return convert_to_points(against.difference, against.interval, against.conclusion)


def describe_conclusion(against: Against) -> str:
    """Return the conclusion about the difference between two models in words."""
    if against.conclusion is Conclusion.TOO_FEW:
        return "too few evals to say"
    if against.conclusion is Conclusion.NOISE:
        return conclude_in_words(against.conclusion, against.interval, against.uncorrected, "pairs")
    return "is more than chance"


def describe_comparison(against: Against, evals: int) -> str:
    """Return a sentence on how two models differ over ``evals`` evals.

    The templates and scripts that show the sentence replace ``{one}`` and ``{other}`` by the
    models' names, each in an element of its own.
    """
    if against.better or against.worse:
        evals_said = (
            f"{{one}} does better than {{other}} on {_format_eval_count(against.better)}"
            f" and worse on {_format_eval_count(against.worse)} of {format_count(evals, 'eval')}."
        )
    else:
        evals_said = "{one} and {other} do equally well on every eval."
    if against.difference == 0:
        return f"{evals_said} Their scores are the same."
    if against.conclusion is Conclusion.TOO_FEW:
        return f"{evals_said} {evals} evals are too few to say more."
    return f"{evals_said} The {describe_difference(against)}."


def describe_difference(against: Against) -> str:
    """Return the difference between two scores in words, with interval and conclusion."""
    difference = convert_comparison_to_points(against)
    between = f"{format_points(difference.low)} to {format_points(difference.high)}"
    words = f"{format_points(difference.points)} points ({between})"
    return f"difference in score, {words}, {describe_conclusion(against)}"


def _format_eval_count(evals: int) -> str:
    return "none" if evals == 0 else str(evals)
