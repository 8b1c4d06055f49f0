"""Parts that several kinds of pages show: their contexts, and functions that fill them."""

from collections.abc import Iterable, Sequence
from datetime import date
from math import isclose
from typing import NamedTuple

from generator.facts.links import Link, ModelLink
from generator.read.summaries import EvalResult, RunSummary
from generator.render.template_filters import rounded
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry
from generator.scores.score_estimate import FEW_EVALS


class Share(NamedTuple):
    """Passed out of judged; both are shown, and the bar is their ratio."""

    passed: float
    """Mean over runs where there is more than one."""
    judged: int

    @property
    def percent(self) -> float:
        """Between 0 and 100."""
        return 100 * self.passed / self.judged

    @property
    def few(self) -> bool:
        """Too few for a percentage to mean much: then the count stands first."""
        return self.judged < FEW_EVALS

    @property
    def passes(self) -> str:
        """Such as ``55`` or, as a mean over runs, ``54.5``."""
        whole = round(self.passed)
        # Thirds add up to a whole number but for a rounding error, which would be shown as 2.0.
        return f"{whole}" if isclose(self.passed, whole) else rounded(self.passed, 1)


class Difference(NamedTuple):
    """A paired difference of two shares over the same evals."""

    points: float
    """Percentage points; positive where the first does better."""
    low: float | None
    """Lower end of the 95% interval in percentage points; None where none can be given."""
    high: float | None
    """Upper end."""
    real: bool
    """The sides differ by more than noise."""


class RunLine(NamedTuple):
    """A run in a list of runs."""

    run_id: str
    href: str
    model: ModelLink
    experiment: str
    version_title: str
    version_href: str
    date: date
    status: str
    score: Share | None
    """None where nothing was judged."""
    unjudged: int
    """Attempts that are infrastructure or were not run."""
    source: str | None
    """Where the results were published, for imported runs."""
    withdrawn: str | None
    """Why the run no longer counts."""
    undone: Sequence[str]
    """A sentence for each withdrawal that was taken back."""
    corrected_passed: int | None
    """Passes by the publisher's own later correction, where there is any."""
    local: bool
    """The run is a development run."""
    regraded: Sequence[str]
    """A sentence for each day on which attempts were graded again, newest first."""
    reports: Sequence[Link]

    @property
    def afterwards(self) -> list[str]:
        """Later events of the run: why it was withdrawn, corrected, graded again."""
        notes = [] if self.withdrawn is None else [self.withdrawn]
        if self.corrected_passed is not None:
            notes.append(f"{self.corrected_passed} passed under mended graders")
        return [*notes, *self.undone, *self.regraded]


def share(results: Iterable[EvalResult]) -> Share | None:
    """Count evals passed among those judged; an eval with several attempts counts its mean."""
    rates = [result.passed / result.judged for result in results if result.judged]
    return Share(_tidy(sum(rates)), len(rates)) if rates else None


def run_share(run: RunSummary) -> Share | None:
    """Count evals passed among those judged of a whole run."""
    tally = run.tally
    return Share(_tidy(tally.evals_passed), tally.evals_judged) if tally.evals_judged else None


def entry_share(entry: Entry, evals: Sequence[str]) -> Share:
    """Return a standing's share of ``evals``, of which there must be one."""
    return Share(_tidy(entry.passed(evals)), len(evals))


def pooled(shares: Iterable[Share]) -> Share | None:
    """Add shares up."""
    all_shares = list(shares)
    judged = sum(each.judged for each in all_shares)
    return Share(_tidy(sum(each.passed for each in all_shares)), judged) if judged else None


def mean_of(entries: Sequence[Entry], name: str) -> Share | None:
    """Add up how ``entries`` fare at one eval; None where there are none."""
    passed = sum([entry.passes[name] for entry in entries])
    return Share(_tidy(passed), len(entries)) if entries else None


def health_share(health: EvalHealth) -> Share:
    """Return how many of the models asked with guidelines pass an eval, each counting once."""
    return Share(_tidy(sum(health.rates)), health.models)


def _tidy(value: float) -> float:
    """Drop the rounding errors of adding floats in some order."""
    return round(value, 9)
