"""The rows of the Parquet files: runs, attempts and tests, with a type for each column.

Unknown is null. A column has the type of its field, whatever the values are.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from typing import ClassVar, Final

from generator.read.summaries import RunSummary, get_category_key
from records.shapes.attempt import Attempt, Generation, Outcome, StepName
from records.shapes.base import Record
from records.shapes.run import Run


class ParquetRow(Record):
    """A row of a Parquet file."""

    file: ClassVar[str]
    """Name of the file, without its ending."""


class ParquetRun(ParquetRow):
    """One published run."""

    file: ClassVar[str] = "runs"

    run_id: str
    """The run's identity."""
    benchmark_version: str
    """The version, within which scores are comparable."""
    model: str
    """The model's slug."""
    name: str
    """The model's display name."""
    provider: str
    """Who made the model."""
    baseline: bool
    """True for a baseline, which is no language model."""
    experiment: str
    """The condition: default (with guidelines), no_guidelines, or another."""
    guidelines: str | None
    """SHA-256 of the guidelines that were sent; null where none were, or it is not known."""
    date: date
    """The day it began, UTC; for some imports that of the import, see ``day_of_import``."""
    day_of_import: bool
    """True if the source names no day, so that the day is that of the import."""
    started_at: datetime | None
    """When it began; null where only the day was published."""
    finished_at: datetime | None
    """When it ended; null where that is not known."""
    status: str
    """running, completed or aborted."""
    withdrawn: str | None
    """Why it no longer counts; null while it counts."""
    published_because: str | None
    """Why it was published though readers could not rely on it; null where they can."""
    source: str | None
    """Where it was published; null for runs made by this program."""
    planned: int
    """Attempts planned."""
    samples: int
    """Attempts planned at each eval."""
    passed: int
    """Attempts that passed."""
    failed: int
    """Attempts that failed."""
    infrastructure: int
    """Attempts without a verdict, because of a fault of the provider or the machinery."""
    not_run: int
    """Attempts that were not reached."""
    cost_usd: float | None
    """Cost in US dollars of the answers that the run asked for; null where none is known."""
    cost_known_for: int
    """Attempts whose cost is known."""
    input_tokens: int | None
    """Tokens read, over the attempts for which they are known; null where none is."""
    output_tokens: int | None
    """Tokens written, likewise."""
    generation_s: float | None
    """Seconds of generation, over the attempts for which they are known."""
    grading_s: float | None
    """Seconds of grading, over all known steps."""
    parameters: str
    """The parameters that were asked for, as JSON."""
    max_output_tokens: int | None
    """The limit on output tokens that was sent; null where none was, or it is not known."""
    program_version: str | None
    """Version of the program that made it; null for imports."""
    git_commit: str | None
    """Commit of that program."""
    backend: str | None
    """The Convex backend that answers were deployed to."""
    sandbox: str | None
    """The jail of model-written code."""
    record_sha256: str
    """SHA-256 of its record."""
    archive_sha256: str | None
    """SHA-256 of the archive of its attempts; null where none was kept."""


class ParquetAttempt(ParquetRow):
    """One attempt of a published run."""

    file: ClassVar[str] = "attempts"

    run_id: str
    """The run."""
    benchmark_version: str
    """The run's version."""
    model: str
    """The run's model."""
    experiment: str
    """The run's condition."""
    eval: str
    """category/name."""
    category: str
    """The category alone."""
    sample: int
    """Which attempt at the eval, from 1."""
    outcome: str
    """passed, failed, infrastructure (never the model's failure) or not_run."""
    failed_step: str | None
    """The first step that failed; null unless it failed, or where that was not published."""
    reason: str | None
    """Why it failed, in one line."""
    fault: str | None
    """The kind of fault where the outcome is infrastructure."""
    tests: int | None
    """Tests of the grader; null where they did not run or were not published."""
    tests_passed: int | None
    """Tests that passed."""
    generation_s: float | None
    """Seconds from the request to the last byte of the reply."""
    time_to_first_token_s: float | None
    """Seconds to the first piece of the reply."""
    finish_reason: str | None
    """Why the reply ended, in the provider's words."""
    answered_by: str | None
    """The model's name in the reply."""
    tries: int | None
    """Requests made."""
    input_tokens: int | None
    """All input tokens, with the cached."""
    cached_input_tokens: int | None
    """Input tokens read from a cache."""
    output_tokens: int | None
    """All output tokens, reasoning included."""
    reasoning_tokens: int | None
    """Output tokens spent on reasoning."""
    tokens_basis: str | None
    """reported, counted or unknown."""
    cost_usd: float | None
    """Cost in US dollars."""
    cost_basis: str | None
    """reported, estimated or unknown."""
    filesystem_s: float | None
    """Seconds of the step; null where it did not run or was not measured. So are those below."""
    install_s: float | None
    """Seconds of the step."""
    deploy_s: float | None
    """Seconds of the step."""
    typecheck_s: float | None
    """Seconds of the step."""
    lint_s: float | None
    """Seconds of the step."""
    tests_s: float | None
    """Seconds of the step."""
    graded_at: datetime | None
    """When the verdict was reached."""
    answer: str | None
    """SHA-256 of the files that were graded."""
    grader: str | None
    """SHA-256 of the grader and the texts that it compares with."""
    toolchain: str | None
    """SHA-256 of the toolchain and the grading protocol."""
    carried_over_from: str | None
    """The earlier run that asked for the answer; null where this run asked."""


class ParquetTest(ParquetRow):
    """One test of a grader on one attempt."""

    __test__ = False  # pytest would otherwise collect this class

    file: ClassVar[str] = "tests"

    run_id: str
    """The run."""
    eval: str
    """The eval."""
    sample: int
    """Which attempt at it."""
    number: int
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


PARQUET_ROWS: Final[tuple[type[ParquetRow], ...]] = (ParquetRun, ParquetAttempt, ParquetTest)
"""Every Parquet file that there is."""

Values = tuple[object, ...]
"""A row: the values of its columns, in their order."""


def build_run_values(run: RunSummary, record: Run) -> Values:
    """Return the row of a run."""
    ends = Counter(attempt.outcome for attempt in record.attempts)
    harness, totals, tokens = record.harness, record.totals, record.totals.tokens
    return (
        *(record.run_id, record.benchmark_version, record.model.slug, run.name, run.provider),
        *(run.baseline, record.experiment.name, record.experiment.guidelines),
        *(record.date, run.day_of_import),
        *(record.started_at, record.finished_at, record.status),
        *(run.withdrawn, record.published_because, run.source),
        *(record.planned_attempts, record.samples),
        *(ends[outcome] for outcome in Outcome),
        *(totals.cost_usd, totals.cost_known_for, tokens.input, tokens.output),
        *(totals.generation_s, totals.grading_s),
        *(json.dumps(record.model.parameters, sort_keys=True), record.model.max_output_tokens),
        *((harness.version, harness.git_commit) if harness else (None, None)),
        *((harness.backend, harness.sandbox) if harness else (None, None)),
        *(run.digest, run.archive_digest),
    )


def build_attempt_values(record: Run) -> Iterator[Values]:
    """Yield the rows of the attempts of a run."""
    of_run = record.run_id, record.benchmark_version, record.model.slug, record.experiment.name
    for attempt in record.attempts:
        tests, key, carried = attempt.tests, attempt.key, attempt.carried_over
        yield (
            *of_run,
            *(attempt.eval, get_category_key(attempt.eval), attempt.sample, attempt.outcome),
            *(attempt.failed_step, attempt.reason, attempt.fault.kind if attempt.fault else None),
            *((None, None) if tests is None else (len(tests), attempt.tests_passed)),
            *_build_reply_values(attempt.generation),
            *_list_step_seconds(attempt),
            attempt.graded_at,
            *((key.answer, key.grader, key.toolchain) if key else (None, None, None)),
            carried.run if carried else None,
        )


_NO_REPLY: Final = (None,) * 12


def _build_reply_values(generation: Generation | None) -> Values:
    if generation is None:
        return _NO_REPLY
    tokens = generation.tokens
    return (
        *(generation.duration_s, generation.time_to_first_token_s, generation.finish_reason),
        *(generation.answered_by, generation.tries),
        *(tokens.input, tokens.cached_input, tokens.output, tokens.reasoning),
        *(generation.tokens_basis, generation.cost_usd, generation.cost_basis),
    )


def _list_step_seconds(attempt: Attempt) -> list[float | None]:
    taken = {step.name: step.duration_s for step in attempt.steps or ()}
    return [taken.get(name) for name in StepName]


def build_test_values(record: Run) -> Iterator[Values]:
    """Yield the rows of the tests of a run."""
    for attempt in record.attempts:
        key = record.run_id, attempt.eval, attempt.sample
        for number, test in enumerate(attempt.tests or (), start=1):
            yield (
                *(*key, number),
                *(test.name, test.title, test.outcome, test.duration_s, test.message),
            )
