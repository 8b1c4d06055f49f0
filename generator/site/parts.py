"""Parts that several kinds of pages show: their contexts, and functions that fill them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from math import isclose
from typing import NamedTuple

from generator.charts.bars import whisker
from generator.read.summaries import EvalResult, RunSummary
from generator.render.environment import Frame
from generator.render.filters import rounded, whole_percent
from generator.scores.estimates import FEW_EVALS
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry
from generator.site.urls import SITE_CARD, model_path


class Link(NamedTuple):
    """A link within the site."""

    href: str
    """Below the root."""
    label: str
    current: bool = False
    """The link leads to the page it stands on."""


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


class Score(NamedTuple):
    """A share with the interval it is known to."""

    share: Share
    low: float
    """Lower end of the 95% interval in percent."""
    high: float
    """Upper end."""
    chart: str
    """The bar with its whisker, SVG."""


class HeatCell(NamedTuple):
    """A share in a table of shares."""

    share: Share
    text: str
    """The percentage; of one digits for the whole column once its table is complete."""
    level: int
    """0 to 9: how strongly the cell is coloured."""
    best: bool
    """No row of the table does better."""


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


class Category(NamedTuple):
    """A category's folder name and label."""

    key: str
    label: str


class ModelLink(NamedTuple):
    """A model where another page names it."""

    slug: str
    name: str
    provider: str
    href: str
    """Address of its page, below the root."""


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


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str
    href: str | None = None
    """Where the value leads, outside of the site."""


class Bar(NamedTuple):
    """One bar of a list of counts."""

    label: str
    number: int
    chart: str
    """SVG."""


_LEVELS = (40, 50, 60, 70, 80, 85, 90, 95, 100)
"""Percentages at which a cell's colour grows stronger: finer where models differ."""


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


def score(found: Share, low: float, high: float) -> Score:
    """Return a share with its interval and its drawing."""
    return Score(found, low, high, whisker(found.percent, low, high))


def heat_cell(found: Share, best: float | None) -> HeatCell:
    """Return a share as a coloured cell."""
    return HeatCell(
        share=found,
        text=whole_percent(found.percent),
        level=bisect_right(_LEVELS, found.percent),
        best=best is not None and found.percent >= best,
    )


def frame(
    title: str, path: str, description: str, section: str = "", card: str = SITE_CARD
) -> Frame:
    """Return the frame of the page at ``path``, which ends in a slash or is empty for `/`."""
    return Frame(
        title=title,
        description=description,
        root="../" * path.count("/"),
        path=path,
        section=section,
        card=card,
    )


def model_link(slug: str, name: str, provider: str) -> ModelLink:
    """Return a model as other pages name it."""
    return ModelLink(slug=slug, name=name, provider=provider, href=model_path(slug))
