"""The frames of runs, attempts and tests, and the tables that select columns of them.

Unknown is null. A new field of a record gets a column here: in `ListedOfRun`, or where a table
lists its name.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from json import dumps
from typing import Annotated, Any, NamedTuple

from generator.read.summaries import RunSummary, Why, get_category_key
from generator.tables.columns import Columns, Computed, Read, ResultTable
from records.files.data_folder import encode_slug
from records.shapes.attempt import Attempt, Outcome, StepName, Test
from records.shapes.run import Run, RunHead


class RunSource(NamedTuple):
    """A run with the facts that the columns of runs are read from."""

    run: RunSummary
    why: Why | None = None
    """Whether it counts; None if the table does not show it."""
    record: Run | None = None
    """Its record; None if the table counts no attempts."""

    @property
    def head(self) -> RunHead:
        """The record without its attempts."""
        return self.run.head


def _count_outcome(outcome: Outcome) -> Read:
    def count(source: RunSource) -> int:
        attempts = source.record.attempts if source.record else ()
        return sum(attempt.outcome is outcome for attempt in attempts)

    return count


def _build_data_path(source: RunSource, kind: str, suffix: str) -> str:
    run = source.run
    folder = "local/" if run.local else ""
    return f"{folder}{kind}/{encode_slug(run.slug)}/{run.run_id}{suffix}"


def _build_archive_path(source: RunSource) -> str | None:
    has_archive = source.run.archive_digest is not None
    return _build_data_path(source, "artifacts", ".zip") if has_archive else None


class RowOfRun(Columns):
    """The run of a row."""

    run_id: Annotated[str, "run.run_id"]
    """The run's identity."""
    benchmark_version: Annotated[str, "run.version"]
    """The version under which the run was made."""
    model: Annotated[str, "run.slug"]
    """The model's slug."""
    experiment: Annotated[str, "run.experiment"]
    """The condition."""


class ListedOfRun(Columns):
    """Fields of a run's record that each list has: tables, that of the API, and `runs --json`.

    Each has a default, because servers and clients of other versions lack it.
    """

    published_because: str | None = None
    """Why it was published although readers could not rely on it; null if no reason was needed."""


def list_recorded(run: RunHead) -> dict[str, Any]:
    """Return the fields of a run that each list has, for JSON."""
    return ListedOfRun.model_validate(run, from_attributes=True).model_dump(mode="json")


class RunFrame(RowOfRun, ListedOfRun):
    """A run with its totals."""

    UNDER = "head"

    name: Annotated[str, "run.name"]
    """The model's display name."""
    provider: Annotated[str, "run.provider"]
    """Who made the model."""
    baseline: Annotated[bool, "run.baseline"]
    """True for a baseline, which is no language model."""
    guidelines: Annotated[str | None, "head.experiment.guidelines"]
    """SHA-256 of the guidelines that were sent; null where none were, or it is not known."""
    date: date
    """The day on which the run began, UTC; for some imports that of the import, see
    ``day_of_import``."""
    day_of_import: bool
    """True if the source names no day, so that the day is that of the import."""
    started_at: datetime | None
    """When it began; null where only the day was published."""
    finished_at: datetime | None
    """When it ended; null where that is not known."""
    status: str
    """running, completed or aborted."""
    withdrawn: Annotated[str | None, "head.withdrawn?.reason"]
    """Why the run no longer counts; null if it was not withdrawn."""
    passed: Annotated[int, "run.tally.passed"]
    """Number of attempts that passed."""
    failed: Annotated[int, Computed(_count_outcome(Outcome.FAILED))]
    """Number of attempts that failed."""
    judged: Annotated[int, "run.tally.judged"]
    """Number of attempts that passed or failed."""
    infrastructure: Annotated[int, Computed(_count_outcome(Outcome.INFRASTRUCTURE))]
    """Number of attempts without a verdict, because of a fault of the provider or the machinery."""
    not_run: Annotated[int, Computed(_count_outcome(Outcome.NOT_RUN))]
    """Number of attempts that were not reached."""
    planned: Annotated[int, "run.tally.planned"]
    """Number of planned attempts."""
    samples: int
    """Number of attempts planned at each eval."""
    cost_usd: Annotated[float | None, "head.totals.cost_usd"]
    """US dollars for the answers that this run asked for, as far as their costs are known."""
    cost_known_for: Annotated[int, "head.totals.cost_known_for"]
    """Number of attempts whose cost is known."""
    carried_over: Annotated[int, "run.carried"]
    """Number of attempts whose answers an earlier run asked for."""
    input_tokens: Annotated[int | None, "head.totals.tokens.input"]
    """Tokens read, over the attempts for which they are known; null where none is."""
    output_tokens: Annotated[int | None, "head.totals.tokens.output"]
    """Tokens written, likewise."""
    generation_s: Annotated[float | None, "head.totals.generation_s"]
    """Seconds of generation, over the attempts for which they are known."""
    grading_s: Annotated[float | None, "head.totals.grading_s"]
    """Seconds of grading, over all known steps."""
    parameters: Annotated[
        str, Computed(lambda source: dumps(source.head.model.parameters, sort_keys=True))
    ]
    """The parameters that were asked for, as JSON."""
    max_output_tokens: Annotated[int | None, "head.model.max_output_tokens"]
    """The limit on output tokens that was sent; null where none was, or it is not known."""
    program_version: Annotated[str | None, "head.harness?.version"]
    """Version of the program that made it; null for imports."""
    git_commit: Annotated[str | None, "head.harness?.git_commit"]
    """Commit of that program."""
    backend: Annotated[str | None, "head.harness?.backend"]
    """The Convex backend that answers were deployed to."""
    sandbox: Annotated[str | None, "head.harness?.sandbox"]
    """The jail of model-written code."""
    source: Annotated[str | None, "run.source"]
    """Where an imported run was published; null for runs made by this program."""
    record: Annotated[str, Computed(lambda source: _build_data_path(source, "runs", ".json"))]
    """The path of the run's record below `data/`."""
    record_sha256: Annotated[str, "run.digest"]
    """SHA-256 of the record's bytes, as `sha256sum` prints it."""
    archive: Annotated[str | None, Computed(_build_archive_path)]
    """The path of the archive of its attempts below `data/`; null if none was kept."""
    archive_sha256: Annotated[str | None, "run.archive_digest"]
    """SHA-256 of the archive's bytes; null without an archive."""
    counts: Annotated[bool, Computed(lambda source: source.why == "counted")]
    """True if scores are computed from the run."""
    why: Annotated[Why, "why"]
    """counted, or the first reason why the run does not count: withdrawn; not_completed (running or
    given up); partial (an eval of its version was not planned); incomplete (an attempt has no
    verdict); changed_program (made by a program with changes that no commit has, and published
    without a reason); taken_over (its answers are in a later run that counts); older (than ten
    others that count); lacks_evals (that another run of its model has); version_not_defined; or
    edition_of_the_guidelines (made for a trial of the guidelines)."""


class AttemptSource(NamedTuple):
    """An attempt with the facts that the columns of attempts are read from."""

    run: RunSummary
    attempt: Attempt
    seconds: Mapping[StepName, float | None]
    """The time of each step that ran."""


def _read_seconds(name: StepName) -> Read:
    return lambda source: source.seconds.get(name)


class AttemptFrame(RowOfRun):
    """One attempt of a published run."""

    UNDER = "attempt"

    eval: str
    """category/name."""
    category: Annotated[str, Computed(lambda source: get_category_key(source.attempt.eval))]
    """The category alone."""
    sample: int
    """Which attempt at the eval, from 1."""
    outcome: str
    """passed, failed, infrastructure (never the model's failure) or not_run."""
    failed_step: str | None
    """The first step that failed; null unless it failed, or where that was not published."""
    reason: str | None
    """Why it failed, in one line."""
    fault: Annotated[str | None, "attempt.fault?.kind"]
    """The kind of fault where the outcome is infrastructure."""
    tests: Annotated[
        int | None,
        Computed(
            lambda source: None if source.attempt.tests is None else len(source.attempt.tests)
        ),
    ]
    """Tests of the grader; null where they did not run or were not published."""
    tests_passed: Annotated[
        int | None,
        Computed(
            lambda source: None if source.attempt.tests is None else source.attempt.tests_passed
        ),
    ]
    """Tests that passed."""
    generation_s: Annotated[float | None, "attempt.generation?.duration_s"]
    """Seconds from the request to the last byte of the reply."""
    time_to_first_token_s: Annotated[float | None, "attempt.generation?.time_to_first_token_s"]
    """Seconds to the first piece of the reply."""
    finish_reason: Annotated[str | None, "attempt.generation?.finish_reason"]
    """Why the reply ended, in the provider's words."""
    answered_by: Annotated[str | None, "attempt.generation?.answered_by"]
    """The model's name in the reply."""
    tries: Annotated[int | None, "attempt.generation?.tries"]
    """Requests made."""
    input_tokens: Annotated[int | None, "attempt.generation?.tokens.input"]
    """All input tokens, with the cached."""
    cached_input_tokens: Annotated[int | None, "attempt.generation?.tokens.cached_input"]
    """Input tokens read from a cache."""
    output_tokens: Annotated[int | None, "attempt.generation?.tokens.output"]
    """All output tokens, reasoning included."""
    reasoning_tokens: Annotated[int | None, "attempt.generation?.tokens.reasoning"]
    """Output tokens spent on reasoning."""
    tokens_basis: Annotated[str | None, "attempt.generation?.tokens_basis"]
    """reported, counted or unknown."""
    cost_usd: Annotated[float | None, "attempt.generation?.cost_usd"]
    """Cost in US dollars."""
    cost_basis: Annotated[str | None, "attempt.generation?.cost_basis"]
    """reported, estimated or unknown."""
    filesystem_s: Annotated[float | None, Computed(_read_seconds(StepName.FILESYSTEM))]
    """Seconds of the step; null where it did not run or was not measured. So are those below."""
    install_s: Annotated[float | None, Computed(_read_seconds(StepName.INSTALL))]
    """Seconds of the step."""
    deploy_s: Annotated[float | None, Computed(_read_seconds(StepName.DEPLOY))]
    """Seconds of the step."""
    typecheck_s: Annotated[float | None, Computed(_read_seconds(StepName.TYPECHECK))]
    """Seconds of the step."""
    lint_s: Annotated[float | None, Computed(_read_seconds(StepName.LINT))]
    """Seconds of the step."""
    tests_s: Annotated[float | None, Computed(_read_seconds(StepName.TESTS))]
    """Seconds of the step."""
    graded_at: datetime | None
    """When the verdict was reached."""
    answer: Annotated[str | None, "attempt.key?.answer"]
    """SHA-256 of the files that were graded."""
    grader: Annotated[str | None, "attempt.key?.grader"]
    """SHA-256 of the grader and the texts that it compares with."""
    toolchain: Annotated[str | None, "attempt.key?.toolchain"]
    """SHA-256 of the toolchain and the grading protocol."""
    carried_over_from: Annotated[str | None, "attempt.carried_over?.run"]
    """The earlier run that asked for the answer; null where this run asked."""


class DetailedAttempt(AttemptFrame):
    """An attempt with the facts that Parquet leaves out."""

    failed_tries_usd: float | None
    """US dollars for requests of the attempt that failed."""
    served_by: Annotated[str | None, "attempt.generation?.served_by"]
    """The provider to which a router passed the request on."""
    system_fingerprint: Annotated[str | None, "attempt.generation?.system_fingerprint"]
    """The provider's name for the configuration that answered."""
    reply_digest: Annotated[str | None, "attempt.generation?.reply_digest"]
    """SHA-256 of the reply."""


class TestSource(NamedTuple):
    """A test of an attempt with its number."""

    __test__ = False  # pytest would otherwise collect this class

    run: RunSummary
    attempt: Attempt
    number: int
    test: Test


class TestFrame(Columns):
    """One test of a grader on one attempt."""

    UNDER = "test"

    __test__ = False  # pytest would otherwise collect this class

    run_id: Annotated[str, "run.run_id"]
    """The run."""
    eval: Annotated[str, "attempt.eval"]
    """The eval."""
    sample: Annotated[int, "attempt.sample"]
    """Which attempt at it."""
    number: Annotated[int, "number"]
    """The test's place, from 1."""
    name: str
    """The grader's function, with parameters in brackets where there are any."""
    title: str
    """The tested behaviour."""
    outcome: str
    """How it ended."""
    duration_s: float | None
    """In seconds; null where it was not measured."""
    message: str | None
    """The failing assertion."""


def list_attempt_sources(run: RunSummary, record: Run) -> Iterator[AttemptSource]:
    """Yield the attempts of a run."""
    for attempt in record.attempts:
        seconds = {step.name: step.duration_s for step in attempt.steps or ()}
        yield AttemptSource(run, attempt, seconds)


def list_test_sources(run: RunSummary, record: Run) -> Iterator[TestSource]:
    """Yield the tests of a run."""
    for attempt in record.attempts:
        for number, test in enumerate(attempt.tests or (), start=1):
            yield TestSource(run, attempt, number, test)


_IDENTITY = ("run_id", "benchmark_version", "model", "experiment")

RUNS = ResultTable(
    "runs",
    RunFrame,
    (
        *(*_IDENTITY, "date", "day_of_import", "status", "withdrawn", *ListedOfRun.model_fields),
        *("passed", "judged", "planned", "cost_usd", "carried_over", "source"),
    ),
    title="RunRow",
)
MANIFEST = ResultTable(
    "manifest",
    RunFrame,
    (*_IDENTITY, "record", "record_sha256", "archive", "archive_sha256", "counts", "why"),
    about="A run's files with their digests, and whether the run counts.",
    title="ManifestRow",
)
PARQUET_RUNS = ResultTable(
    "runs",
    RunFrame,
    (
        *("run_id", "benchmark_version", "model", "name", "provider", "baseline", "experiment"),
        *("guidelines", "date", "day_of_import", "started_at", "finished_at", "status"),
        *("withdrawn", *ListedOfRun.model_fields, "source", "planned", "samples"),
        *("passed", "failed", "infrastructure", "not_run", "cost_usd", "cost_known_for"),
        *("input_tokens", "output_tokens", "generation_s", "grading_s", "parameters"),
        *("max_output_tokens", "program_version", "git_commit", "backend", "sandbox"),
        *("record_sha256", "archive_sha256"),
    ),
    about="One published run.",
)
PARQUET_ATTEMPTS = ResultTable("attempts", AttemptFrame)
PARQUET_TESTS = ResultTable("tests", TestFrame)
PARQUET_TABLES = (PARQUET_RUNS, PARQUET_ATTEMPTS, PARQUET_TESTS)
"""The Parquet files of a snapshot."""
