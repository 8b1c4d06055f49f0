"""What the pages on evals are given: health, the matrix, comparisons, the effect of guidelines."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.contexts.shared import Blame, Category, Difference, Frame, Link, ModelLink, Share
from generator.contexts.tables import Version


class Measure(NamedTuple):
    """How an eval measures within one benchmark version, over the models asked with guidelines."""

    version: Link
    share: Share
    """Passed out of judged, each model counting once."""
    correlation: float | None
    """Between passing this eval and the share of the other evals passed."""
    flips: int
    """Verdicts that changed from one run of a model to its next."""
    chances: int
    """Pairs of runs, one after the other, in which they could."""
    note: str
    """Solved by none or by one; else empty."""


class EvalPage(NamedTuple):
    """One eval: what it asks and how models fare at it."""

    frame: Frame
    name: str
    title: str | None
    """None where only its name was published."""
    category: Category
    category_href: str
    concept: str | None
    why: str | None
    task: str | None
    sections: Sequence[str]
    """Of the guidelines that it exercises."""
    versions: Sequence[Link]
    """The benchmark versions it is in."""
    measures: Sequence[Measure]
    """One for each version in which models were asked with guidelines."""
    rows: str
    """How each model under each experiment fared, HTML."""
    blamed: int
    """Failures here that reports speak of."""
    notes: str
    """What they say, a line each, HTML."""


class HealthLine(NamedTuple):
    """An eval in the list of all evals."""

    name: str
    title: str | None
    href: str
    share: Share | None
    """None where no model was asked with guidelines."""
    flips: int
    correlation: float | None
    blamed: int
    """Failures that reports blame on the grader or the task."""
    note: str
    """Solved by none or by one; else empty."""


class HealthGroup(NamedTuple):
    """The evals of one category."""

    category: Category
    lines: Sequence[HealthLine]


class HealthPage(NamedTuple):
    """Every eval of one benchmark version and how it measures."""

    frame: Frame
    version: Version
    models: int
    """Models asked with guidelines: those that it is over."""
    groups: Sequence[HealthGroup]


class Column(NamedTuple):
    """A model under an experiment at the head of a matrix."""

    key: str
    """What an address calls it."""
    model: ModelLink
    experiment: str
    short: str
    """The experiment in a word; empty for the usual one."""
    share: Share


class MatrixRow(NamedTuple):
    """An eval in a matrix."""

    name: str
    label: str
    href: str
    solved: str
    """Such as ``7/9``."""
    note: str
    """Solved by none or by one; else empty."""
    cells: str
    """How each model fares, HTML."""


class MatrixGroup(NamedTuple):
    """The evals of one category, hardest first."""

    category: Category
    rows: Sequence[MatrixRow]


class MatrixPage(NamedTuple):
    """Evals by models for one benchmark version."""

    frame: Frame
    version: Version
    columns: Sequence[Column]
    groups: Sequence[MatrixGroup]
    by_none: int
    """Evals that no model passes, of those asked with guidelines."""
    by_one: int
    """Evals that one of them passes."""
    by_all: int
    """Evals that each of them passes at least once."""
    models: int
    """How many were asked with guidelines."""
    blames: Sequence[Blame]
    """What the letters mean."""


class PairRow(NamedTuple):
    """A model against every other."""

    column: Column
    pairs: str
    """A cell for each, HTML."""


class ComparePage(NamedTuple):
    """Every pair of models, and the evals where they differ."""

    frame: Frame
    version: Version
    columns: Sequence[Column]
    pairs: Sequence[PairRow]
    groups: Sequence[MatrixGroup]


class EffectLine(NamedTuple):
    """What the guidelines did, for one model, category or section."""

    label: str
    href: str | None
    with_guidelines: Share
    without: Share
    difference: Difference
    fixed: int
    """Evals passed only with the guidelines."""
    broken: int
    """Evals passed only without them."""
    same: int
    p_value: float
    """Two-sided, of no difference at all."""
    smallest: float
    """The smallest effect in percentage points that these evals could have shown."""
    evidence: str
    """clear, borderline or none."""
    chart: str
    """The difference with its interval on a shared scale, SVG."""


class Moved(NamedTuple):
    """An eval that the guidelines fixed or broke for a model."""

    name: str
    href: str
    model: ModelLink
    with_href: str
    without_href: str
    step: str | None
    """Where the failing side failed."""


class GuidelinesPage(NamedTuple):
    """The effect of the guidelines in one benchmark version."""

    frame: Frame
    version: Version
    guidelines_tokens: int | None
    models: Sequence[EffectLine]
    overall: EffectLine | None
    """Over all models together; None unless there are several."""
    by_category: Sequence[EffectLine]
    by_section: Sequence[EffectLine]
    sections_known: bool
    """Whether it is known which sections of the guidelines the evals exercise."""
    detectable: float | None
    """The smallest effect in percentage points that the suite could have shown."""
    fixed: Sequence[Moved]
    broken: Sequence[Moved]
    unpaired: Sequence[ModelLink]
    """Models that ran under one condition only."""
