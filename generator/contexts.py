"""What each kind of page is given: the contract between Python and the templates.

A template may use every field of its page and nothing else; a test holds both to that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Frame:
    """What the layout around every page needs."""

    title: str
    """Of the page, without the site's."""
    root: str
    """Relative path to the site's root, such as ``../../``: pages work under any address."""
    path: str
    """Of this page below the root."""


@dataclass(frozen=True, slots=True)
class Share:
    """Passed out of judged; both are shown, and the bar is their ratio."""

    passed: float
    """Mean over runs where there is more than one."""
    judged: int

    @property
    def percent(self) -> float:
        """Between 0 and 100."""
        return 100 * self.passed / self.judged

    @property
    def count(self) -> str:
        """Such as ``55`` or, as a mean over runs, ``54.5``."""
        return f"{self.passed:g}" if self.passed == int(self.passed) else f"{self.passed:.1f}"


@dataclass(frozen=True, slots=True)
class Category:
    """A category's folder name and what a reader calls it."""

    key: str
    label: str


@dataclass(frozen=True, slots=True)
class Row:
    """A model under an experiment, in a table."""

    slug: str
    name: str
    provider: str
    experiment: str
    score: Share
    by_category: Sequence[Share | None]
    """In the order of the table's categories; None where nothing was judged."""
    cost_usd: float | None
    """Mean per run over the runs whose cost is known."""
    generation_s: float | None
    runs: int
    latest: date
    latest_run: str
    source: str | None
    """Where the results were published, for imported runs."""
    local: bool


@dataclass(frozen=True, slots=True)
class VersionLink:
    """One benchmark version in the switch."""

    version: str
    title: str
    current: bool


@dataclass(frozen=True, slots=True)
class TablePage:
    """The leaderboard of one benchmark version."""

    frame: Frame
    version: str
    version_title: str
    version_source: str | None
    evals: int
    categories: Sequence[Category]
    rows: Sequence[Row]
    """Models, best first."""
    baselines: Sequence[Row]
    incomplete: int
    """Runs of this version that are shown on their model's page only."""
    versions: Sequence[VersionLink]


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list of runs."""

    run_id: str
    slug: str
    name: str
    experiment: str
    version: str
    version_title: str
    date: date
    status: str
    score: Share | None
    """None where nothing was judged."""
    unjudged: int
    """Attempts that are infrastructure or were not run."""
    source: str | None
    withdrawn: str | None
    corrected_passed: int | None
    local: bool


@dataclass(frozen=True, slots=True)
class ModelPage:
    """One model: all its runs."""

    frame: Frame
    name: str
    slug: str
    provider: str
    runs: Sequence[RunLine]


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a value in a list of facts."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """An attempt in the table of its run."""

    eval: str
    sample: int
    outcome: str
    failed_step: str | None
    reason: str | None
    fault: str | None
    tests: str
    """Such as ``5 of 6``; empty where it is not known."""
    grading_s: float | None
    cost_usd: float | None
    href: str | None
    """Of the attempt's page, where its files were kept."""
    eval_href: str | None


@dataclass(frozen=True, slots=True)
class AttemptGroup:
    """The attempts of one category."""

    category: Category
    score: Share | None
    attempts: Sequence[AttemptLine]


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run: its facts and every attempt."""

    frame: Frame
    line: RunLine
    facts: Sequence[Fact]
    groups: Sequence[AttemptGroup]


@dataclass(frozen=True, slots=True)
class StepLine:
    """A step of an attempt, with its log."""

    name: str
    outcome: str
    duration_s: float | None
    message: str | None
    log: str


@dataclass(frozen=True, slots=True)
class TestLine:
    """A test of an attempt."""

    anchor: str
    name: str
    title: str
    outcome: str
    message: str | None


@dataclass(frozen=True, slots=True)
class FileView:
    """A file of an answer beside the reference's."""

    path: str
    answer: str | None
    reference: str | None


@dataclass(frozen=True, slots=True)
class Said:
    """A message that was sent."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """One attempt: what was asked, what came back, and how it was judged."""

    frame: Frame
    run: RunLine
    line: AttemptLine
    facts: Sequence[Fact]
    steps: Sequence[StepLine]
    tests: Sequence[TestLine]
    files: Sequence[FileView]
    messages: Sequence[Said]
    reply: str | None


@dataclass(frozen=True, slots=True)
class EvalRow:
    """How one run fared at an eval."""

    run: RunLine
    outcome: str
    failed_step: str | None
    href: str


@dataclass(frozen=True, slots=True)
class EvalPage:
    """One eval: what it asks and how models fare at it."""

    frame: Frame
    name: str
    title: str | None
    """None where only its name was published."""
    concept: str | None
    why: str | None
    task: str | None
    score: Share | None
    rows: Sequence[EvalRow]
