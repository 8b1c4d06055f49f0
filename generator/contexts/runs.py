"""What the pages on models, runs, attempts, reports and changes are given."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.contexts.shared import (
    Bar,
    Blame,
    Category,
    Difference,
    Fact,
    Frame,
    Link,
    ModelLink,
    RunLine,
    Score,
    Share,
)


class StandingLine(NamedTuple):
    """Where a model stands in one benchmark version under one experiment."""

    version_title: str
    version_href: str
    experiment: str
    rank: int | None
    tied: bool
    field: int
    """Models ranked with it."""
    score: Score
    attributed: Share | None
    effect: Difference | None
    cost_usd: float | None
    generation_s: float | None
    input_tokens: float | None
    """Mean per run over the runs that say."""
    output_tokens: float | None
    runs: int


class Strength(NamedTuple):
    """A model's share of one category beside the field's."""

    category: Category
    href: str
    share: Share
    field_percent: float | None
    """Mean of the other models; None where there is none."""
    chart: str
    """SVG."""


class FailedEval(NamedTuple):
    """An eval that the model fails, over its counted runs of the newest version."""

    name: str
    href: str
    failed: int
    judged: int
    steps: str
    field: Share | None
    """Of the other models."""
    blames: Sequence[Blame]


class ModelPage(NamedTuple):
    """One model: where it stands, what it fails, all its runs."""

    frame: Frame
    model: ModelLink
    baseline: bool
    facts: Sequence[Fact]
    standings: Sequence[StandingLine]
    basis: str
    """Which version and experiment the strengths and failures are of."""
    strengths: Sequence[Strength]
    failed: Sequence[FailedEval]
    by_step: Sequence[Bar]
    by_class: Sequence[Bar]
    history: str | None
    """Score over time, SVG; None unless there are several runs."""
    runs: str
    """A row for each, newest first, HTML."""


class AttemptLine(NamedTuple):
    """How an attempt ended, as its page says it."""

    eval: str
    sample: int
    outcome: str
    failed_step: str | None
    reason: str | None
    fault: str | None
    tests: str
    """Such as ``5 of 6``; empty where it is not known."""
    eval_href: str
    blame: Blame | None
    regraded: str | None
    """What earlier grading said, in a sentence."""


class AttemptGroup(NamedTuple):
    """The attempts of one category."""

    category: Category
    score: Share | None
    rows: str
    """A row for each, HTML."""


class RunPage(NamedTuple):
    """One run: its facts and every attempt."""

    frame: Frame
    line: RunLine
    facts: Sequence[Fact]
    command: str | None
    """What runs the same again; None for imports."""
    groups: Sequence[AttemptGroup]


class Excerpt(NamedTuple):
    """Text that may be too long for a page."""

    text: str
    """All of it, or its beginning and end."""
    left_out: int
    """Characters that are not shown."""
    href: str | None
    """Of the whole text beside the page; None where nothing is left out, or there is too much."""


class StepLine(NamedTuple):
    """A step of an attempt, with its log."""

    name: str
    outcome: str
    duration_s: float | None
    message: str | None
    log: Excerpt | None
    """None where the step said nothing."""


class TestLine(NamedTuple):
    """A test of an attempt."""

    anchor: str
    name: str
    title: str
    outcome: str
    message: str | None


class DiffRow(NamedTuple):
    """One line of a diff, or a run of equal lines folded away."""

    kind: str
    """same, changed, added, removed or folded."""
    left: int | None
    """Line number in the answer; None where it has no such line."""
    left_html: str
    right: int | None
    """Line number in the reference."""
    right_html: str
    folded: int
    """Lines folded away."""


class FileView(NamedTuple):
    """A file of an answer beside the reference's."""

    anchor: str
    path: str
    state: str
    """same, changed, only in the answer, or not written."""
    rows: Sequence[DiffRow]
    """Empty where the file is too large to compare."""
    plain: Excerpt | None
    """The answer's text where the file is too large to compare."""


class Said(NamedTuple):
    """A message that was sent or received."""

    role: str
    text: Excerpt


class AttemptPage(NamedTuple):
    """One attempt: what was asked, what came back, and how it was judged."""

    frame: Frame
    run: RunLine
    line: AttemptLine
    facts: Sequence[Fact]
    task: str | None
    steps: Sequence[StepLine]
    tests: Sequence[TestLine]
    files: Sequence[FileView]
    reference_known: bool
    """Whether there is a reference to compare with."""
    messages: Sequence[Said]
    neighbours: Sequence[Link]
    """Other samples of the eval in the run."""


class ReportPage(NamedTuple):
    """A maintainer's analysis of one run."""

    frame: Frame
    title: str
    run: RunLine
    author: str
    date: date
    source: str | None
    share: Share
    attributed: Share | None
    """Without the failures blamed on the grader or the task; None where there are none."""
    by_class: Sequence[Bar]
    failures: str
    """A row for each, HTML; empty where it lists none."""
    patterns: Sequence[str]
    actions: Sequence[str]
    net_impact: str | None
    body: str
    """The markdown, rendered and sanitised."""


class ReportLine(NamedTuple):
    """A report in the list of reports."""

    href: str
    title: str
    model: ModelLink
    experiment: str
    version_title: str
    date: date
    author: str
    share: Share
    classes: str
    """Such as ``3 model fault, 1 overly strict``."""


class ReportsPage(NamedTuple):
    """Every report, newest first."""

    frame: Frame
    reports: Sequence[ReportLine]
    by_class: Sequence[Bar]


class ChangesPage(NamedTuple):
    """The log of rows, newest first."""

    frame: Frame
    changes: str
    """A row for each, HTML."""


class TextPage(NamedTuple):
    """A page of prose."""

    frame: Frame
    heading: str
    body: str
    """HTML, rendered from markdown and sanitised."""
    contents: Sequence[Link]
    """Its sections."""


class EmptyPage(NamedTuple):
    """What stands where the navigation leads before anything was measured."""

    frame: Frame
    heading: str
    evals: Sequence[Link]
    """Those of the suite, on the page that lists them."""


class MissingPage(NamedTuple):
    """What stands where nothing is."""

    frame: Frame
