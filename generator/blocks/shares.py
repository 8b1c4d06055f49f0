"""Shares, differences and scores as pages show them: their figures, words and cells."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import isclose
from typing import Final, NamedTuple

import numpy as np

from generator.charts.plots import draw_whisker_bar
from generator.read.summaries import EvalResult, RunSummary
from generator.render.template_filters import format_points, format_whole_percent, round_half_up
from generator.render.templates import Row
from generator.scores.differences.difference import LEVEL, Conclusion, PairedDifference
from generator.scores.differences.model_pairs import Against
from generator.scores.guidelines_effect import EffectPart
from generator.scores.health import EvalHealth
from generator.scores.intervals import Interval, compute_difference_interval, compute_mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS
from generator.scores.score_table import RankRange, rank_ranges
from records.text.numbers import format_count
from records.text.visible import make_visible


class Share(NamedTuple):
    """A share: the passed out of the judged evals or attempts."""

    passed: float
    """The number of passed ones; a mean, and so a fraction, if an eval has several attempts."""
    judged: int

    @property
    def percent(self) -> float:
        """The share in percent, from 0 to 100."""
        return 100 * self.passed / self.judged

    @property
    def few(self) -> bool:
        """Whether too few were judged for a percentage; pages then show the counts first."""
        return self.judged < FEW_EVALS

    @property
    def passes(self) -> str:
        """The number of passed ones as text, such as ``55``, or ``54.5`` for a mean."""
        whole = round(self.passed)
        # A sum of thirds can miss a whole number by a rounding error, and would be shown as 2.0.
        return f"{whole}" if isclose(self.passed, whole) else round_half_up(self.passed, 1)


class Difference(NamedTuple):
    """A paired difference of two shares over the same evals."""

    points: float
    """Percentage points; positive if the first side does better."""
    low: float | None
    """Lower end of the 95% interval in percentage points; None if there is no interval."""
    high: float | None
    """Upper end of the 95% interval in percentage points; None if there is no interval."""
    real: bool
    """Whether the sides differ by more than chance."""


def compute_share(results: Iterable[EvalResult]) -> Share | None:
    """Return the share of passed evals; an eval with several attempts counts as their mean.

    None if no eval was judged.
    """
    rates = [result.passed / result.judged for result in results if result.judged]
    return Share(_tidy(sum(rates)), len(rates)) if rates else None


def compute_run_share(run: RunSummary) -> Share | None:
    """Return the share of passed evals of a run; None if no eval was judged."""
    tally = run.tally
    return Share(_tidy(tally.evals_passed), tally.evals_judged) if tally.evals_judged else None


def compute_entry_share(entry: Entry, evals: Sequence[str]) -> Share:
    """Return the share of ``evals`` that an entry passes; there must be at least one eval."""
    return Share(_tidy(entry.sum_passes(evals)), len(evals))


def add_shares(shares: Iterable[Share]) -> Share | None:
    """Return the sum of shares; None if nothing was judged."""
    all_shares = list(shares)
    judged = sum(each.judged for each in all_shares)
    return Share(_tidy(sum(each.passed for each in all_shares)), judged) if judged else None


def compute_share_at_eval(entries: Sequence[Entry], name: str) -> Share | None:
    """Return the share of ``entries`` that pass an eval, their pass rates added; None for none."""
    passed = sum([entry.passes[name] for entry in entries])
    return Share(_tidy(passed), len(entries)) if entries else None


def compute_health_share(health: EvalHealth) -> Share:
    """Return the share of models asked with guidelines that pass an eval, their rates added."""
    return Share(_tidy(sum(health.rates)), health.models)


def _tidy(value: float) -> float:
    """Return a sum of floats without its rounding errors, which depend on the order."""
    return round(value, 9)


SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})
"""The conclusions of which a difference is more than chance."""

RANKED_EVALS: Final = 30
"""With fewer evals, models are not ranked."""

CONCLUSIONS: Final = {
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals",
}
"""The words for conclusions about a difference."""


def conclude_in_words(
    conclusion: Conclusion, interval: Interval, uncorrected: float | None, compared: str
) -> str:
    """Return a conclusion in words; add the reason if the interval alone would show more.

    Args:
        conclusion: the conclusion by the p-value that is corrected for other comparisons.
        interval: the uncorrected interval of the difference.
        uncorrected: the p-value before the correction; None for too few evals.
        compared: the plural noun for the compared items, such as ``pairs``.
    """
    words = CONCLUSIONS[conclusion]
    if conclusion is not Conclusion.NOISE:
        return words
    if uncorrected is not None and uncorrected < LEVEL:
        return f"{words}, because many {compared} are compared"
    if interval.low > 0 or interval.high < 0:
        return f"{words}, because only one of two tests shows it"
    return words


def compute_share_interval(
    leaderboard: Leaderboard, entry: Entry, evals: Sequence[str]
) -> tuple[float, float]:
    """Return the 95% interval of an entry's share of ``evals``, in percent."""
    indexes = [leaderboard.scored.place[name] for name in evals]
    pool = entry.row.pool
    bounds = compute_mean_interval(pool.means[indexes], pool.judged[indexes].astype(np.float64))
    return 100 * bounds.low, 100 * bounds.high


def compute_ranks(
    leaderboard: Leaderboard, entries: Sequence[Entry], evals: Sequence[str]
) -> Sequence[RankRange | None]:
    """Return the ranks that each of ``entries`` may have among these, by ``evals`` alone.

    With fewer evals than `RANKED_EVALS`, all are None, because so few hardly separate models.
    """
    if not entries or len(evals) < RANKED_EVALS:
        return [None] * len(entries)
    indexes = np.array([leaderboard.scored.place[name] for name in evals])
    return rank_ranges([entry.row.pool.side.select_evals(indexes) for entry in entries])


def convert_effect_to_points(effect: PairedDifference | EffectPart) -> Difference:
    """Return an effect of the guidelines in percentage points."""
    return convert_to_points(effect.value, effect.interval, effect.conclusion)


def convert_to_points(
    value: float, interval: Interval, conclusion: Conclusion | None = None
) -> Difference:
    """Return a difference in percentage points; without a test, it never is more than chance."""
    return Difference(100 * value, 100 * interval.low, 100 * interval.high, conclusion in SHOWN)


def compute_difference_from_field(
    entry: Entry, others: Sequence[Entry], evals: Sequence[str]
) -> Difference | None:
    """Return a model's difference from the mean of ``others`` over ``evals``, in percentage points.

    No test is made, so it never counts as more than chance. None without others, or with fewer
    evals than `FEW_EVALS`.
    """
    if not others or len(evals) < FEW_EVALS:
        return None
    field = np.array([[other.passes[name] for name in evals] for other in others]).mean(axis=0)
    differences = np.array([entry.passes[name] for name in evals]) - field
    interval = compute_difference_interval(differences)
    return convert_to_points(float(differences.mean()), interval)


def compute_entry_attributed_share(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports blame on grader, task or machinery.

    None without such reports.
    """
    score = entry.row.attributed
    if score is None or score.estimate is None:
        return None
    return Share(round(score.estimate.passed, 9), score.estimate.evals)


class Score(NamedTuple):
    """A share with its 95% interval and its drawing."""

    share: Share
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end of the 95% interval in percent."""
    chart: str
    """A bar with a whisker for the interval, as SVG."""


class HeatCell(NamedTuple):
    """A share in a table of shares."""

    share: Share
    text: str
    """The percentage; `align_cells` of `model_rows` gives all cells of a column equal digits."""
    level: int
    """How strongly the cell is coloured, from 0 to 9."""
    best: bool
    """Whether the cell is marked as the best of its column."""


_LEVELS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""The percentages from which a cell's colour is stronger; closer where most scores are."""


def build_entry_score(
    leaderboard: Leaderboard, entry: Entry, evals: Sequence[str] | None = None
) -> Score:
    """Return the score of an entry over ``evals``; without them, over all of its version."""
    chosen = leaderboard.list_eval_names() if evals is None else evals
    share = compute_entry_share(entry, chosen)
    low, high = compute_share_interval(leaderboard, entry, chosen)
    return Score(share, low, high, draw_whisker_bar(share.percent, low, high))


def build_heat_cell(share: Share, best: float | None) -> HeatCell:
    """Return a coloured cell; ``best`` is the best percentage of the column, None for no mark."""
    return HeatCell(
        share=share,
        text=format_whole_percent(share.percent),
        level=bisect_right(_LEVELS, share.percent),
        best=best is not None and share.percent >= best,
    )


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
    difference = convert_to_points(against.difference, against.interval, against.conclusion)
    between = f"{format_points(difference.low)} to {format_points(difference.high)}"
    words = f"{format_points(difference.points)} points ({between})"
    return f"difference in score, {words}, {describe_conclusion(against)}"


def _format_eval_count(evals: int) -> str:
    return "none" if evals == 0 else str(evals)
