"""Shares, differences and amounts as pages show them, and functions that compute them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import isclose
from typing import Final, NamedTuple

import numpy as np

from generator.facts.urls import Link, ModelLink
from generator.read.prices import TokenPrice
from generator.read.summaries import EvalResult, RequestTally, RunSummary
from generator.render.template_filters import round_half_up
from generator.scores.differences.difference import LEVEL, Conclusion, PairedDifference
from generator.scores.guidelines_effect import EffectPart, PairedChange
from generator.scores.health import EvalHealth
from generator.scores.intervals import Interval, compute_difference_interval, compute_mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS, PerAttempt
from generator.scores.score_table import RankRange, rank_ranges
from records.shapes.registry import DescribedModel


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


class RunLine(NamedTuple):
    """A run in a list of runs."""

    run_id: str
    href: str
    model: ModelLink
    experiment: str
    version_title: str
    version_href: str
    date: date
    day_of_import: bool
    """Whether ``date`` is the day of the import, because the source names none."""
    status: str
    score: Share | None
    """None if nothing was judged."""
    unjudged: int
    """The number of attempts without a verdict: infrastructure, or not run."""
    source: str | None
    """The source of imported results; None for our own runs."""
    withdrawn: str | None
    """Why the run no longer counts; None if it was not withdrawn."""
    undone: Sequence[str]
    """A sentence for each withdrawal that was undone."""
    corrected_passed: int | None
    """The number of passes by the publisher's later correction; None without a correction."""
    local: bool
    """Whether the run is in `data/local/`."""
    regraded: Sequence[str]
    """A sentence for each day on which attempts were graded again, newest first."""
    reports: Sequence[Link]

    @property
    def afterwards(self) -> list[str]:
        """The later events of the run as notes: withdrawals, corrections, gradings."""
        notes = [] if self.withdrawn is None else [self.withdrawn]
        if self.corrected_passed is not None:
            notes.append(f"{self.corrected_passed} passed under mended graders")
        return [*notes, *self.undone, *self.regraded]


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


def convert_effect_to_points(
    change: PairedChange | EffectPart, conclusion: Conclusion
) -> Difference:
    """Return an effect of the guidelines in percentage points."""
    return _convert_to_points(change.difference, change.interval, real=conclusion in SHOWN)


def _convert_to_points(value: float, interval: Interval, *, real: bool) -> Difference:
    return Difference(100 * value, 100 * interval.low, 100 * interval.high, real)


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
    return _convert_to_points(float(differences.mean()), interval, real=False)


def convert_attributed_to_points(difference: PairedDifference | None) -> Difference | None:
    """Return the effect without the failures that reports set aside, in percentage points."""
    if difference is None:
        return None
    real = difference.conclusion in SHOWN
    return _convert_to_points(difference.value, difference.interval, real=real)


def compute_entry_attributed_share(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports blame on grader, task or machinery.

    None without such reports.
    """
    score = entry.row.attributed
    if score is None or score.estimate is None:
        return None
    return Share(round(score.estimate.passed, 9), score.estimate.evals)


@dataclass(frozen=True, slots=True)
class DescribedEntry:
    """An entry of a table, with facts about its model that are not in runs."""

    entry: Entry
    model: DescribedModel | None
    """The model's entry in `data/models.toml`; None if it has none."""
    price: TokenPrice | None


@dataclass(frozen=True, slots=True)
class ColumnAmount:
    """An amount of an entry before it is formatted, with its tooltip and the link to its source."""

    value: float | str | None
    title: str | None = None
    href: str | None = None


def read_attributed(row: DescribedEntry) -> ColumnAmount:
    """Return the percentage without failures that reports do not blame on the model."""
    share = compute_entry_attributed_share(row.entry)
    if share is None:
        return ColumnAmount(None)
    return ColumnAmount(round(share.percent, 4), f"{share.passes} of {share.judged}")


def read_tests(row: DescribedEntry) -> ColumnAmount:
    """Return the mean share of tests passed, in percent."""
    tests = row.entry.row.tests
    return ColumnAmount(None if tests is None else 100 * tests)


def read_mean(amount: Callable[[DescribedEntry], PerAttempt], row: DescribedEntry) -> ColumnAmount:
    """Return the mean of an amount, with the number of attempts for which it is known."""
    mean = amount(row)
    title = None if mean.mean is None else f"{mean.n} of {mean.of} attempts"
    return ColumnAmount(mean.mean, title)


def read_pass_cost(row: DescribedEntry) -> ColumnAmount:
    """Return the US dollars for each eval passed."""
    return ColumnAmount(row.entry.row.cost_per_pass)


def read_rerun(row: DescribedEntry) -> ColumnAmount:
    """Return the most percentage points by which the score of as many new attempts would differ."""
    error = row.entry.row.rerun
    return ColumnAmount(None if error is None else 100 * error)


def read_all_of_three(row: DescribedEntry) -> ColumnAmount:
    """Return how likely three attempts at an eval all pass, in percent."""
    shares = row.entry.row.passes_all
    return ColumnAmount(100 * shares[3] if 3 in shares else None)  # noqa: PLR2004 - as the column says


def count_attempts(counted: Callable[[RequestTally], int], row: DescribedEntry) -> ColumnAmount:
    """Return the number of attempts that ``counted`` takes from the entry's requests."""
    requests = row.entry.requests
    if requests is None:
        return ColumnAmount(None)
    number = counted(requests)
    return ColumnAmount(number, f"{number} of {requests.asked} attempts")


def read_release(row: DescribedEntry) -> ColumnAmount:
    """Return the day of the model's release, with the link to its source."""
    if row.model is None or row.model.released is None:
        return ColumnAmount(None)
    return ColumnAmount(row.model.released.isoformat(), href=row.model.source)


def read_weights(row: DescribedEntry) -> ColumnAmount:
    """Return the words on the model's weights, with the link to their source."""
    if row.model is None or row.model.weights is None:
        return ColumnAmount(None)
    return ColumnAmount(f"{row.model.weights} weights", href=row.model.weights_source)


def read_effort(row: DescribedEntry) -> ColumnAmount:
    """Return the reasoning efforts of the runs that count; no value if no run set one."""
    efforts = {run.effort for run in row.entry.runs}
    if not any(efforts):
        return ColumnAmount(None)
    return ColumnAmount(", ".join(sorted(effort or "not set" for effort in efforts)))


def read_price(part: Callable[[TokenPrice], float], row: DescribedEntry) -> ColumnAmount:
    """Return a part of the model's price, in US dollars per million tokens."""
    return ColumnAmount(part(row.price) if row.price else None)
