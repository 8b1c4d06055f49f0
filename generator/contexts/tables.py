"""What the pages that rank models are given."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.contexts.shared import (
    Category,
    Difference,
    Frame,
    HeatCell,
    Link,
    ModelLink,
    Score,
    Share,
)


class Row(NamedTuple):
    """A model under an experiment, in a table."""

    model: ModelLink
    rank: int | None
    """None where the row is not ranked."""
    tied: bool
    """Whether another row has the same rank."""
    score: Score
    attributed: Share | None
    """The score without the failures that reports blame on the grader or the task."""
    tests_percent: float | None
    """Mean share of tests passed; None where tests were not published."""
    cells: Sequence[HeatCell | None]
    """In the order of the table's columns; None where nothing was judged."""
    without: Share | None
    """The same model's share without guidelines."""
    effect: Difference | None
    """Of the guidelines; None unless the model ran with and without them."""
    cost_usd: float | None
    """Mean per run over the runs whose cost is known."""
    generation_s: float | None
    """Mean per run over the runs whose generation time is known."""
    runs: int
    latest: date
    latest_href: str
    source: str | None
    """Where the results were published, for imported runs."""
    local: bool


class Group(NamedTuple):
    """Rows that are compared with one another."""

    title: str
    note: str
    imported: bool
    """Whether every row's results were published elsewhere."""
    rows: Sequence[Row]


class Point(NamedTuple):
    """A model in the scatter of score against cost."""

    model: ModelLink
    cost_usd: float
    percent: float
    frontier: bool
    """Whether no model is both cheaper and better."""


class Version(NamedTuple):
    """The benchmark version that a page is about."""

    version: str
    title: str
    source: str | None
    """Where its definition was published, for imported ones."""
    evals: int
    switch: Sequence[Link]
    """The same page for every version."""


class TablePage(NamedTuple):
    """The leaderboard of one benchmark version."""

    frame: Frame
    heading: str
    lead: str
    version: Version
    conditions: Sequence[Link]
    """The same table under other conditions."""
    columns: Sequence[Category]
    categories: Sequence[Link]
    """Their pages."""
    groups: Sequence[Group]
    amounts: Sequence[str]
    """Which optional columns some row has a value for: effect, attributed, tests, cost, time."""
    unknown: str
    """The optional columns that no row has a value for, as a list of words; empty for none."""
    incomplete: int
    """Runs of this version that are shown on their model's page only."""
    scatter: str | None
    """Score against cost, SVG; None where no row's cost is known."""
    points: Sequence[Point]
    costless: int
    """Rows without a known cost."""


class CategoryEval(NamedTuple):
    """An eval as a column of its category's table."""

    name: str
    label: str
    href: str
    share: Share | None
    """Over the rows of the table."""


class CategoryPage(NamedTuple):
    """One category of one benchmark version: models by evals."""

    frame: Frame
    category: Category
    version: Version
    categories: Sequence[Link]
    evals: Sequence[CategoryEval]
    groups: Sequence[Group]


class VersionLine(NamedTuple):
    """One benchmark version in the archive."""

    version: str
    title: str
    href: str
    evals: int
    runs: int
    models: int
    minted: date | None
    """None where an imported version's date was not published."""
    protocol: int | None
    source: str | None
    guidelines_tokens: int | None
    current: bool


class ArchivePage(NamedTuple):
    """Every benchmark version."""

    frame: Frame
    versions: Sequence[VersionLine]
