"""What several kinds of pages show."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple


class Frame(NamedTuple):
    """What the layout around every page needs."""

    title: str
    """Of the page, without the site's."""
    description: str
    """One sentence for search engines and link previews."""
    root: str
    """Relative path to the site's root, such as ``../../``: pages work under any address."""
    path: str
    """Of this page below the root."""
    section: str
    """The entry of the site's navigation that the page belongs to; empty for none."""
    card: str
    """Picture for link previews, below the root."""


class Link(NamedTuple):
    """A link within the site."""

    href: str
    """Below the root."""
    label: str
    current: bool = False
    """Whether it leads to the page it stands on."""


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
    def passes(self) -> str:
        """Such as ``55`` or, as a mean over runs, ``54.5``."""
        return f"{self.passed:g}" if self.passed == int(self.passed) else f"{self.passed:.1f}"


class Score(NamedTuple):
    """A share with the interval it is known to."""

    share: Share
    low: float | None
    """Lower end of the 95% interval in percent; None where too little is known for one."""
    high: float | None
    """Upper end."""
    chart: str
    """The bar with its whisker, SVG."""


class HeatCell(NamedTuple):
    """A share in a table of shares."""

    share: Share
    level: int
    """0 to 9: how strongly the cell is coloured."""
    best: bool
    """Whether no row of the table does better."""
    counted: bool
    """Whether there are too few evals for a percentage, so that the count is shown."""


class Difference(NamedTuple):
    """A paired difference of two shares over the same evals."""

    points: float
    """Percentage points; positive where the first does better."""
    low: float | None
    """Lower end of the 95% interval in percentage points; None where none can be given."""
    high: float | None
    """Upper end."""
    real: bool
    """Whether the evidence is clear that they differ."""


class Category(NamedTuple):
    """A category's folder name and what a reader calls it."""

    key: str
    label: str


class ModelLink(NamedTuple):
    """A model where another page names it."""

    slug: str
    name: str
    provider: str
    href: str
    """Of its page, below the root."""


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
    corrected_passed: int | None
    """Passes by the publisher's own later correction, where they said."""
    local: bool
    """Whether it is a development run."""
    reports: Sequence[Link]


class Fact(NamedTuple):
    """A label and a value in a list of facts."""

    label: str
    value: str


class Bar(NamedTuple):
    """One bar of a list of counts."""

    label: str
    number: int
    chart: str
    """SVG."""


class Blame(NamedTuple):
    """Whose fault a failure is, by a report."""

    kind: str
    """Its class in a reader's words; empty where nobody has looked."""
    mark: str
    """One letter for the cells of a matrix."""
    note: str
    href: str
    """Of the report's entry, below the root."""
