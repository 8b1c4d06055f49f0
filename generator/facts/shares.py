"""Shares, differences and lines of runs: parts of contexts, and functions that compute them."""

from collections.abc import Iterable, Sequence
from datetime import date
from math import isclose
from typing import NamedTuple

from generator.facts.links import Link, ModelLink
from generator.read.summaries import EvalResult, RunSummary
from generator.render.template_filters import round_half_up
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import FEW_EVALS


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
