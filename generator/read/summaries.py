"""Summaries of runs and reports, for pages that need more than one record at a time.

A build holds these summaries and never all records, which would not fit into memory: the page of a
run is rendered while its record is at hand.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from generator.read.audits import AuditedLabels
from generator.read.prices import NO_PRICES, PriceMap
from records.shapes.registry import DescribedModel
from records.shapes.report import Report
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark


@lru_cache(maxsize=1 << 12)
def category_of(evaluation: str) -> str:
    """Return the category's folder name of an eval's name."""
    return evaluation.partition("/")[0]


def compact(value: object) -> str:
    """Return JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class EvalResult(NamedTuple):
    """How one eval ended in one run."""

    passed: int
    judged: int
    """Attempts that passed or failed."""
    planned: int
    failed_step: str | None
    """Step of the first failed attempt."""
    tests_share: float | None
    """Mean share of tests passed, 0 for an attempt that failed before them; None where it was not
    published which tests there were."""


class Tally(NamedTuple):
    """Sums over a whole run's results."""

    passed: int
    judged: int
    """Attempts that passed or failed."""
    planned: int
    evals_passed: float
    """An eval with several attempts counts their mean."""
    evals_judged: int
    """Evals of which any attempt was judged."""


class RequestTally(NamedTuple):
    """How asking went, over the attempts of one run or several; an attempt may count in many."""

    asked: int
    """Attempts that were begun."""
    refused: int
    """The provider would not answer, or its filter kept the answer back."""
    cut_off: int
    """The reply ended at a limit, the sent limit or the server's."""
    retried: int
    """Answered, but not at the first request."""
    spoiled: int
    """Infrastructure: not judged, for any reason."""


class ReplacedVerdict(NamedTuple):
    """A replaced verdict: its attempt was graded again."""

    eval: str
    sample: int
    date: date
    """The day of the new verdict."""
    before: str
    """Outcome by the old verdict."""
    after: str
    """Outcome by the new verdict."""
    causes: tuple[str, ...]
    """Parts of the key that differ: ``grader``, ``toolchain``, ``answer``."""
    grader: str
    """Digest of the grader that gave the new verdict."""
    why: str | None
    """In the words of the person who asked for it; None without a reason."""


class PlannedEvals:
    """The evals that a run planned, with the place of each: one for all runs that planned them."""

    __slots__ = ("categories", "evals", "place")

    def __init__(self, evals: Sequence[str]) -> None:
        self.evals = tuple(evals)
        self.place = {name: number for number, name in enumerate(self.evals)}
        self.categories: dict[str, slice] = {}
        """Where the evals of each category stand: they are sorted."""
        for number, name in enumerate(self.evals):
            key = name.partition("/")[0]
            first = self.categories[key].start if key in self.categories else number
            self.categories[key] = slice(first, number + 1)


class Results(Mapping[str, EvalResult]):
    """How each planned eval ended; the list of evals is shared by all runs that planned it."""

    __slots__ = ("_values", "plan")

    def __init__(self, plan: PlannedEvals, values: tuple[EvalResult, ...]) -> None:
        """Take the evals, and a result for each in their order."""
        self.plan = plan
        self._values = values

    def __getitem__(self, name: str) -> EvalResult:
        return self._values[self.plan.place[name]]

    def __contains__(self, name: object) -> bool:
        return name in self.plan.place

    def __iter__(self) -> Iterator[str]:
        return iter(self.plan.evals)

    def __len__(self) -> int:
        return len(self.plan.evals)

    def values(self) -> tuple[EvalResult, ...]:  # pyright: ignore[reportIncompatibleMethodOverride] - a tuple does for a view
        """Return the results in the plan's order."""
        return self._values


@dataclass(frozen=True, slots=True, eq=False)
class FiledReport:
    """A report, and where it lies."""

    slug: str
    file_name: str
    path: Path
    report: Report
    local: bool
    digest: str
    """Digest of the file's bytes."""


Day = date
"""A type that a class with a field of this name can use."""


class UndoneLine(NamedTuple):
    """A withdrawal that was taken back."""

    reason: str
    on: date | None
    """When the run was withdrawn; None where no record has it."""
    undone_because: str
    undone_on: date


@dataclass(frozen=True, slots=True, eq=False)
class RunSummary:
    """The facts about a run on other pages than its own."""

    run_id: str
    local: bool
    slug: str
    name: str
    provider: str
    baseline: bool
    experiment: str
    version: str
    status: str
    date: date
    began: str
    """When, as ISO 8601; the day alone where no more was published. Sorts as time passes."""
    source: str | None
    """Where an imported run was published."""
    corrected_passed: int | None
    withdrawn: str | None
    """Why the run no longer counts."""
    effort: str | None
    """The reasoning effort that was asked for; None where none was, or it is not known."""
    withdrawn_on: Day | None
    """When it was withdrawn; None where it was not, or no record has it."""
    undone_withdrawals: Sequence[UndoneLine]
    """Withdrawals that were taken back, oldest first."""
    lacks_reason: bool
    """A program with changes made it, and its record has no reason why it is published."""
    published_because: str | None
    """Why it was published though readers could not rely on it; None where they can."""
    results: Results
    tally: Tally
    cost_usd: float | None
    """Cost of all answers whose cost is known, answers of earlier runs included; so are the amounts
    that follow."""
    cost_known_for: int
    generation_s: float | None
    generation_known_for: int
    input_tokens: int | None
    """Sum over the attempts for which it is known."""
    input_known_for: int
    output_tokens: int | None
    output_known_for: int
    own_cost_usd: float | None
    """Cost of the answers that this run asked for."""
    carried: int
    """Attempts whose answers earlier runs asked for."""
    carried_from: Sequence[str]
    """Ids of those runs, sorted."""
    requests: RequestTally | None
    """None for baselines, imports, and runs that asked for no answer themselves."""
    artifact: Path | None
    failed_steps: Mapping[str, int]
    """Failed attempts by the step they failed at; attempts without a known step under no name."""
    reasons: Mapping[str, str]
    """By eval: why its first failed attempt failed, as one line, cut where it is long."""
    failed_tests: Mapping[str, Sequence[tuple[str, int]]]
    """By eval: the grader's functions that some attempt failed, each with the first such sample."""
    kept: frozenset[tuple[str, int]]
    """Eval and sample of the attempts whose files were kept."""
    regraded: Sequence[ReplacedVerdict]
    """By attempt, oldest first."""
    digest: str
    """SHA-256 of the record's bytes."""
    archive_digest: str | None
    """SHA-256 of the archive's bytes; None where there is none."""

    def judged_among(self, evals: Iterable[str]) -> bool:
        """Return whether every attempt planned at each of ``evals`` was judged."""
        return self.tally.judged == self.tally.planned or all(
            self.results[name].judged == self.results[name].planned for name in evals
        )


@dataclass(frozen=True, slots=True)
class Summaries:
    """All that was read."""

    benchmarks: Mapping[str, Benchmark]
    runs: Sequence[RunSummary]
    """Newest first."""
    reports: Sequence[FiledReport]
    """Newest first, those of one day by the addresses of their pages."""
    registry: Mapping[str, DescribedModel]
    """The models of `models.toml` by their slugs, models that cannot be asked included."""
    trials: Sequence[GuidelinesTrial]
    """Trials of the guidelines; their runs are among ``runs`` where they are recorded."""
    audits: Sequence[AuditedLabels] = ()
    """Newest first."""
    prices: PriceMap = NO_PRICES
    """Prices of tokens as litellm's map has them."""
