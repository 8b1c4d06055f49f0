"""Summaries of runs and reports, for pages that need many records at the same time.

A build has these summaries in memory and never all records, which would not fit. The page of a run
is rendered when its record is read.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, PlainSerializer, PlainValidator, ValidationInfo

from generator.read.prices import NO_PRICES, PriceMap
from records.archives.archive import OpenArchives
from records.errors import MissingRecordError
from records.files.plain_files import Stamp
from records.reader import read_record
from records.runs.failure_words import FailureWords
from records.sessions.audit import Audit
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.shapes.registry import DescribedModel
from records.shapes.report import Report
from records.shapes.run import RunHead
from records.shapes.trial import GuidelinesTrial
from records.suites.benchmark import Benchmark


class AuditedLabels(NamedTuple):
    """An audit with the label logs of its sessions."""

    audit: Audit
    logs: Mapping[str, Sequence[LabelEvent]]
    """The changes of labels, by session."""


def read_audits(
    paths: Mapping[str, Stamp], label_file: Callable[[str], Path]
) -> list[AuditedLabels]:
    """Return the audits at ``paths``, newest first.

    ``get_label_file`` returns the path of a session's label log.

    Raises:
        RecordsError: an audit or a label log is invalid.
    """
    audits = [read_record(Audit, Path(path)) for path in paths]
    return [
        AuditedLabels(
            audit,
            {item.session: read_log(LabelEvent, label_file(item.session)) for item in audit.items},
        )
        for audit in sorted(audits, key=lambda item: (item.drawn_at, item.audit_id), reverse=True)
    ]


@lru_cache(maxsize=1 << 12)
def get_category_key(evaluation: str) -> str:
    """Return the folder name of an eval's category."""
    return evaluation.partition("/")[0]


class EvalResult(NamedTuple):
    """The result of an eval in a run."""

    passed: int
    judged: int
    """The number of attempts that passed or failed."""
    planned: int
    failed_step: str | None
    """The failed step of the first failed attempt; None if none failed or it is not known."""
    tests_share: float | None
    """The mean share of passed tests; 0 for an attempt that failed before the tests. None if the
    tests are not known."""


class Tally(NamedTuple):
    """The sums over all results of a run."""

    passed: int
    judged: int
    """The number of attempts that passed or failed."""
    planned: int
    evals_passed: float
    """The number of passed evals; an eval with several attempts counts as their mean."""
    evals_judged: int
    """The number of evals with at least one judged attempt."""

    @property
    def unjudged(self) -> int:
        """The number of planned attempts without a verdict."""
        return self.planned - self.judged


class Amount(NamedTuple):
    """An amount of the attempts of a run, with answers that earlier runs asked for."""

    total: float
    """The sum over the attempts for which it is known; 0 if it is known for none."""
    known_for: int
    """The number of these attempts."""


class RequestTally(NamedTuple):
    """How requests ended, as numbers of attempts; an attempt may count in several fields."""

    asked: int
    """Attempts that began."""
    refused: int
    """Attempts that the provider refused to answer, or whose answer its filter kept back."""
    cut_off: int
    """Attempts whose reply ended at a limit, either the sent limit or the server's."""
    retried: int
    """Attempts that were answered, but not at the first request."""
    spoiled: int
    """Attempts without a verdict because of a fault of infrastructure."""


class ReplacedVerdict(NamedTuple):
    """A verdict that was replaced, because its attempt was graded again."""

    eval: str
    sample: int
    date: date
    """The day of the new verdict."""
    before: str
    """The outcome of the old verdict."""
    after: str
    """The outcome of the new verdict."""
    causes: tuple[str, ...]
    """The parts of the key that differ: ``grader``, ``toolchain``, ``answer``."""
    grader: str
    """The digest of the grader of the new verdict."""
    why: str | None
    """The reason that a person gave for the new grading; None without a reason."""


class PlannedEvals:
    """A list of planned evals with their indexes; see `share_plan`."""

    __slots__ = ("evals", "place")

    def __init__(self, evals: Sequence[str]) -> None:
        self.evals = tuple(evals)
        self.place = {name: number for number, name in enumerate(self.evals)}


class Results(Mapping[str, EvalResult]):
    """The results of a run by eval; runs with the same plan share the list of evals."""

    __slots__ = ("_values", "plan")

    def __init__(self, plan: PlannedEvals, values: tuple[EvalResult, ...]) -> None:
        """Prepare; ``values`` has a result for each eval of ``plan``, in its order."""
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


@lru_cache(maxsize=1 << 12)
def share_plan(evals: tuple[str, ...]) -> PlannedEvals:
    """Return the plan of evals: one object for all runs with the same evals."""
    return PlannedEvals(evals)


@lru_cache(maxsize=1 << 16)
def _share_result(*values: Any) -> EvalResult:  # noqa: ANN401 - as JSON holds them
    return EvalResult(*values)


def _encode_results(results: Results) -> dict[str, object]:
    """Return results for JSON: each as an index into the few kinds of results that there are."""
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(results.values()))}
    return {"kinds": [*numbers], "indexes": [numbers[result] for result in results.values()]}


def _decode_results(stored: Any, summary: ValidationInfo) -> Results:  # noqa: ANN401 - as JSON holds it
    if isinstance(stored, Results):
        return stored
    kinds = [_share_result(*kind) for kind in stored["kinds"]]
    plan = share_plan(summary.data["head"].planned)
    return Results(plan, tuple(map(kinds.__getitem__, stored["indexes"])))


Text = Annotated[str, AfterValidator(sys.intern)]
"""A text that many runs have, such as an eval's name; it is in memory once."""


class AttemptFailure(NamedTuple):
    """A failed attempt at an eval of a run."""

    sample: int
    step: Text | None
    """The first step that failed; None if it is not known."""
    tests: Sequence[Text]
    """The failed test functions, in the order of the grader."""
    expected: Text | None
    """What should have been, as `FailureWords`; None if it is not known."""
    got: Text | None
    """What was instead, as one line that may be cut; None if it is not known."""
    more: int
    """The number of further failed tests."""

    @property
    def words(self) -> FailureWords | None:
        """Why it failed; None if it is not known."""
        words = FailureWords(self.expected, self.got, self.more)
        return words if any(words) else None


Obstacle = Literal["withdrawn", "not_completed", "partial", "incomplete", "changed_program"]
"""A reason why a run cannot count: a person withdrew it; it is still running or was given up; it
did not plan every eval of the version, and did not move to it with enough of them; some attempts
have no verdict; or a program with uncommitted changes made it, and no reason to publish it is
recorded."""


Why = Literal[
    "counted",
    Obstacle,
    "taken_over",
    "older",
    "lacks_evals",
    "version_not_defined",
    "edition_of_the_guidelines",
]
"""`counted`, or the reason why a run does not count."""


@dataclass(frozen=True, slots=True, eq=False)
class FiledReport:
    """A report with the path of its file."""

    path: Path
    report: Report
    local: bool
    digest: str
    """The digest of the file's bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class RunSummary:
    """The facts about a run that pages show, and the kept files of its attempts."""

    head: RunHead
    """The record of the run without its attempts."""
    local: bool
    name: str
    """The name of the model in `models.toml`; else that of the record. So is the maker."""
    provider: str
    asked_from: date
    """The earliest day of an answer: before that of the run if answers were carried over."""
    source: str | None
    """The source of an imported run; None for our own runs."""
    of_other_tool: bool
    """Whether the run is of a benchmark of another tool, which has no guidelines."""
    corrected_passed: int | None
    effort: str | None
    """The reasoning effort that was asked for; None if none was, or it is not known."""
    results: Annotated[Results, PlainValidator(_decode_results), PlainSerializer(_encode_results)]
    tally: Tally
    cost_usd: Amount
    generation_s: Amount
    input_tokens: Amount
    output_tokens: Amount
    timed_tokens: int
    """The tokens written in the attempts of which tokens and time are known."""
    timed_s: float
    """The seconds of the same attempts."""
    carried: int
    """The number of attempts whose answers earlier runs asked for."""
    carried_from: Sequence[str]
    """The ids of the earlier runs that asked for answers, sorted."""
    requests: RequestTally | None
    """None for baselines, imported runs, and runs that asked for no answer themselves."""
    artifact: Path | None
    failed_steps: Mapping[str, int]
    """The number of failed attempts by failed step; under the empty name if it is not known."""
    failures: Mapping[Text, Sequence[AttemptFailure]]
    """The failed attempts by eval."""
    kept: frozenset[tuple[Text, int]]
    """The eval and sample of each attempt whose files were kept."""
    regraded: Sequence[ReplacedVerdict]
    """The replaced verdicts by attempt, those of an attempt oldest first."""
    digest: str
    """SHA-256 of the record's bytes."""
    archive_digest: str | None
    """SHA-256 of the archive's bytes; None without an archive."""

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.head.run_id

    @property
    def slug(self) -> str:
        """The slug of the model."""
        return self.head.model.slug

    @property
    def baseline(self) -> bool:
        """Whether the answers came without a model."""
        return self.head.model.kind == "baseline"

    @property
    def experiment(self) -> str:
        """The name of the experiment."""
        return self.head.experiment.name

    @property
    def version(self) -> str:
        """The benchmark version."""
        return self.head.benchmark_version

    @property
    def date(self) -> date:
        """The day of the run."""
        return self.head.date

    def has_files(self, name: str, sample: int) -> bool:
        """Return whether the files of an attempt were kept."""
        return self.artifact is not None and (name, sample) in self.kept

    def read_files(
        self, archives: OpenArchives, name: str, sample: int
    ) -> Mapping[str, str] | None:
        """Return the files of an answer; None if they were not kept."""
        if self.artifact is None or not self.has_files(name, sample):
            return None
        with suppress(MissingRecordError):
            return archives.read(self.artifact, name, sample).files
        return None

    def select_category(self, key: str) -> list[EvalResult]:
        """Return the results at the evals of a category."""
        return [each for name, each in self.results.items() if get_category_key(name) == key]


def sort_newest_first(runs: Iterable[RunSummary]) -> list[RunSummary]:
    """Return runs by when they began, the newest first."""
    return sorted(runs, key=lambda run: (run.head.began, run.run_id), reverse=True)


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries and records of a project."""

    benchmarks: Mapping[str, Benchmark]
    runs: Sequence[RunSummary]
    """All runs, newest first."""
    reports: Sequence[FiledReport]
    """All reports, newest first, those of the same day by the paths of their pages."""
    registry: Mapping[str, DescribedModel]
    """All models of `models.toml` by slug, also models that cannot be asked."""
    trials: Sequence[GuidelinesTrial]
    """All trials of the guidelines; ``runs`` has those of their runs that are recorded."""
    audits: Sequence[AuditedLabels] = ()
    """All audits, newest first."""
    prices: PriceMap = NO_PRICES
    """The price map of litellm."""
