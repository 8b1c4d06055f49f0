"""Phrases for differences, the same in comments, terminals and pages."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from generator.diff.data_diff import DataDiff
from generator.diff.runs_diff import RunsDiff
from generator.render.template_filters import (
    describe_p_value,
    format_dollars_or_dash,
    round_half_up,
)
from generator.scores.differences.difference import Conclusion
from records.text.numbers import format_count

UNKNOWN: Final = "not published"
"""The words for a step or reason that the record does not have."""
SAID: Final = {
    Conclusion.BETTER: "better, by more than chance",
    Conclusion.WORSE: "worse, by more than chance",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals to show any difference",
}
"""The words for conclusions, the same in all commands."""


def format_runs_headline(pair: RunsDiff) -> str:
    """Return the change and its certainty in one line."""
    paired = pair.difference
    if paired is None:
        return "No eval was judged on both sides: nothing is compared."
    flips = f"{format_count(len(pair.fixed), 'eval')} fixed, {len(pair.broken)} broken"
    words = f"{flips} of {paired.evals}: {SAID[paired.conclusion]}"
    if paired.conclusion is Conclusion.TOO_FEW:
        return f"{words}."
    often = f"{words}; chance alone makes such a difference {describe_p_value(paired.p_value)}."
    if pair.smallest_effect is None:
        return often
    least = round(pair.smallest_effect * paired.evals)
    fixed = format_count(least, "eval")
    return f"{often} {fixed} fixed and none broken would be noticed 80 times in 100."


def format_share(share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage; ``none`` for None."""
    return "none" if share is None else f"{round_half_up(100 * share, 1)}%"


def build_score_rows(pair: RunsDiff) -> list[tuple[str, str, str]]:
    """Return rows with the scores and costs of both sides: name, before, after."""
    before, after = (
        "not known" if cost is None else format_dollars_or_dash(cost) for cost in pair.costs
    )
    costs = ("cost per attempt", before, after)
    if pair.scores is None:
        return [costs]
    before, after = map(format_share, pair.scores)
    return [("score over the evals compared", before, after), costs]


def group_uncompared_evals(pair: RunsDiff) -> dict[str, Sequence[str]]:
    """Return the evals that are not compared, by reason; reasons without evals are left out."""
    names = {
        "Not compared, for task or grader changed": pair.changed_evals,
        "Only before": pair.only_before,
        "Only after": pair.only_after,
    }
    return {reason: evals for reason, evals in names.items() if evals}


def format_data_headline(diff: DataDiff) -> str:
    """Return the changes between two states of a data folder in one line."""
    if diff.is_empty:
        return "No published result and no report changed."
    if len(diff.pairs) == 1:
        pair = diff.pairs[0]
        return format_runs_headline(pair)
    conclusions = Counter(pair.difference.conclusion for pair in diff.pairs if pair.difference)
    clauses = [f"{number} {SAID[conclusion]}" for conclusion, number in sorted(conclusions.items())]
    number = format_count(len(diff.pairs), "run")
    parts = [f"{number} compared: {', '.join(clauses) or 'nothing in common'}"]
    if not diff.pairs:
        parts = []
    if diff.new:
        parts.append(format_count(len(diff.new), "new run"))
    if diff.gone:
        parts.append(f"{format_count(len(diff.gone), 'run')} removed or withdrawn")
    if diff.reports:
        parts.append(f"{format_count(len(diff.reports), 'report')} changed")
    return "; ".join(parts or ["Scores or ranks moved"]) + "."
