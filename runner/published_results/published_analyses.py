"""The importer of published analyses of runs: which evals failed, and why.

The file lists suites (the names of their evals) and runs (their failures). An eval of a run's
suite has passed if no failure of the run names it. Steps, tests, usage, cost and durations were
not published and stay unknown. If an outage broke a run, all its attempts are infrastructure,
because the run shows nothing about its model.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, JsonValue, ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.json_limits import find_large_object
from records.foreign.files import ForeignFile
from records.reader import build_record_error, find_duplicate_keys, read_run
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome, StepName
from records.shapes.base import Count, EvalName, ExperimentName, ModelSlug, Record, RunId
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, encode_report
from records.shapes.run import RUN_VERSION, Experiment, Imported, Run, RunModel, Withdrawal
from records.shapes.totals import compute_run_totals
from records.suites.benchmark import Benchmark, EvalDigests
from records.writer import encode_record, encode_run
from runner.published_results.board_import import keep_withdrawal, refuse_invalid

IMPORTER: Final = "published_analyses"

_PUBLISHER: Final = "the maintainers of get-convex/convex-evals"

_STEPS: Final[Mapping[str, StepName]] = {
    "install": StepName.INSTALL,
    "deploy": StepName.DEPLOY,
    "tsc": StepName.TYPECHECK,
    "eslint": StepName.LINT,
    "tests": StepName.TESTS,
}

_CLASSES: Final[Mapping[str, FailureClass]] = {
    "MODEL_FAULT": FailureClass.MODEL_FAULT,
    "KNOWN_GAP": FailureClass.KNOWN_GAP,
    "OVERLY_STRICT": FailureClass.OVERLY_STRICT,
    "TEST_FAILURE": FailureClass.OVERLY_STRICT,  # a test that refused a right answer
    "AMBIGUOUS_TASK": FailureClass.AMBIGUOUS_TASK,
    "HARNESS_FAILURE": FailureClass.HARNESS_FAULT,
}


def _check_word(known_words: Collection[str], word: str) -> str:
    if word not in known_words:
        raise ValueError(f"must be one of {', '.join(known_words)}")
    return word


class _Failure(Record):
    eval: EvalName
    failed_step: Annotated[str, AfterValidator(partial(_check_word, _STEPS))] | None
    classification: Annotated[str, AfterValidator(partial(_check_word, _CLASSES))] | None
    reason: str


class _PublishedRun(Record):
    run_id: RunId
    model: ModelSlug
    provider: str
    experiment: ExperimentName
    date: date
    suite: str
    planned: Count
    passed: Count
    infrastructure: bool
    corrected_passed: Count | None = None
    withdrawn: bool = False
    failures: tuple[_Failure, ...] = ()
    source: str


class _Suite(Record):
    evals: tuple[EvalName, ...]
    signature_sha256_12: str


class _Published(Record):
    about: str
    suites: dict[str, _Suite]
    runs: tuple[_PublishedRun, ...]


def recognise_analyses(file: ForeignFile) -> bool:
    """Return whether a file has the fields of published analyses."""
    return file.fields.keys() == _Published.model_fields.keys()


def plan_analyses(file: ForeignFile, folder: DataFolder) -> dict[Path, bytes]:
    """Return the files of a source: a copy of it, runs, benchmark versions and reports.

    The name of the copy has a part of the digest. The same source gives the same bytes, but what
    people decided since an earlier import stays: withdrawals, and reports that are there.

    Raises:
        InvalidRecordError: the file does not have the shape of published analyses, or contradicts
            itself: a failure is outside of its suite, or a count differs from the failures. Or it
            has a secret, which its copy would keep.
    """
    published = _parse_analyses(file.path, file.data)
    _check_secrets(file, published)
    _check(file.path, published)
    copy = folder.imports / f"{IMPORTER}-{file.digest[:12]}{file.path.suffix}"
    planned = {} if copy.exists() else {copy: file.data}
    with refuse_invalid(file.path):
        for suite in published.suites.values():
            benchmark = _make_benchmark(suite)
            planned[folder.get_benchmark_file(benchmark.version)] = encode_record(benchmark)
        for run in published.runs:
            run_file = folder.get_run_file(run.model, run.run_id)
            record = _make_run(file.digest, run, published.suites[run.suite])
            planned[run_file] = encode_run(_keep_decisions(run_file, record))
            report = folder.get_report_file(run.model, run.run_id, run.date)
            if run.failures and not report.exists():
                planned[report] = encode_report(_make_report(run)).encode()
    return planned


def _keep_decisions(run_file: Path, run: Run) -> Run:
    try:
        return keep_withdrawal(read_run(run_file), run)
    except MissingRecordError:
        return run


def _parse_analyses(path: Path, data: bytes) -> _Published:
    if reason := find_large_object(data):
        raise InvalidRecordError(path, "", reason)
    try:
        published = _Published.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise build_record_error(path, error) from error
    if repeated := find_duplicate_keys(data):
        raise InvalidRecordError(path, repeated[0], "is repeated in one object")
    return published


def _check(path: Path, published: _Published) -> None:
    """Refuse a file that contradicts itself, before anything of it is imported.

    Raises:
        InvalidRecordError: a signature, a suite, an id, a failure or a count is wrong.
    """
    for name, suite in published.suites.items():
        if _compute_suite_digest(suite)[:12] != suite.signature_sha256_12:
            raise InvalidRecordError(path, f"suites.{name}", "its signature is of other evals")
    numbers = Counter(run.run_id for run in published.runs)
    for number, run in enumerate(published.runs):
        reason = _find_contradiction(run, published.suites)
        if numbers[run.run_id] > 1:
            reason = "has the id of another run"
        if reason:
            raise InvalidRecordError(path, f"runs.{number} ({run.run_id[:8]})", reason)


def _check_secrets(file: ForeignFile, published: _Published) -> None:
    """Refuse a file with secrets: it is copied as it is."""
    for location, text in _walk_texts(published.model_dump(mode="json"), ""):
        if file.clean(text) != text:
            raise file.make_error(
                location, "has a secret, or the path of a home folder: take it out"
            )


def _walk_texts(value: JsonValue, location: str) -> Iterator[tuple[str, str]]:
    """Yield each text in a JSON value with its location.

    A name in an object is a text of the object, so no message shows a name that is a secret.
    """
    if isinstance(value, str):
        yield location, value
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _walk_texts(item, f"{location}.{number}")
    elif isinstance(value, dict):
        for name, each in value.items():
            yield location, name
            yield from _walk_texts(each, f"{location}.{name}" if location else name)


def _find_contradiction(run: _PublishedRun, suites: Mapping[str, _Suite]) -> str | None:
    if run.suite not in suites:
        return f"there is no suite {run.suite}"
    evals = set(suites[run.suite].evals)
    failed = {failure.eval for failure in run.failures}
    passed = 0 if run.infrastructure else len(evals) - len(failed)
    if strays := sorted(failed - evals):
        return f"failures outside its suite: {', '.join(strays)}"
    if len(failed) != len(run.failures):
        return "an eval is listed as failed twice"
    if (run.planned, run.passed) != (len(evals), passed):
        return f"says {run.passed} of {run.planned} passed, its failures give {passed}"
    return None


def _compute_suite_digest(suite: _Suite) -> str:
    return hashlib.sha256("\0".join(sorted(suite.evals)).encode()).hexdigest()


def _name_version(suite: _Suite) -> str:
    return f"convex-evals-{len(suite.evals)}-{_compute_suite_digest(suite)[:8]}"


def _make_benchmark(suite: _Suite) -> Benchmark:
    unpublished = EvalDigests(task=None, grader=None, config=None)
    return Benchmark(
        schema_version=1,
        version=_name_version(suite),
        title=f"convex-evals · {len(suite.evals)} evals",
        protocol=None,
        digest=_compute_suite_digest(suite),
        system_prompt=None,
        guidelines=None,
        guidelines_tokens=None,
        evals=dict.fromkeys(sorted(suite.evals), unpublished),
        minted_at=None,
        source="https://github.com/get-convex/convex-evals",
    )


def _make_run(source_digest: str, run: _PublishedRun, suite: _Suite) -> Run:
    failures = {failure.eval: failure for failure in run.failures}
    planned = tuple(sorted(suite.evals))
    attempts = tuple(_make_attempt(name, run, failures.get(name)) for name in planned)
    return Run(
        schema_version=RUN_VERSION,
        run_id=run.run_id,
        model=RunModel(
            slug=run.model,
            name=run.model.partition("/")[2],
            provider=run.provider,
            litellm_id=None,
            kind="llm",
            parameters={},
            max_output_tokens=None,
            origin=None,
        ),
        experiment=Experiment(name=run.experiment, guidelines=None),
        benchmark_version=_name_version(suite),
        provenance=Imported(
            kind="imported",
            importer=IMPORTER,
            source=run.source,
            source_digest=source_digest,
            corrected_passed=run.corrected_passed,
        ),
        status="completed",
        date=run.date,
        started_at=None,
        finished_at=None,
        harness=None,
        planned=planned,
        samples=1,
        budget_usd=None,
        totals=compute_run_totals(attempts),
        withdrawn=_make_withdrawal(run),
        attempts=attempts,
    )


def _make_withdrawal(run: _PublishedRun) -> Withdrawal | None:
    if not run.withdrawn:
        return None
    if run.infrastructure:
        reason = "the run was an outage and has no model result"
    else:
        reason = "taken down after faulty graders were found"
    return Withdrawal(by=_PUBLISHER, reason=reason)


def _make_attempt(name: str, run: _PublishedRun, failure: _Failure | None) -> Attempt:
    return Attempt(
        eval=name,
        sample=1,
        outcome=_find_outcome(run, failure),
        failed_step=_STEPS[failure.failed_step] if failure and failure.failed_step else None,
        reason=failure.reason if failure else None,
        fault=_make_fault(run),
        steps=None,
        tests=None,
        generation=None,
        failed_tries_usd=None,
        graded_at=None,
        key=None,
        artifact=None,
    )


def _find_outcome(run: _PublishedRun, failure: _Failure | None) -> Outcome:
    if run.infrastructure:
        return Outcome.INFRASTRUCTURE
    return Outcome.FAILED if failure else Outcome.PASSED


def _make_fault(run: _PublishedRun) -> Fault | None:
    if not run.infrastructure:
        return None
    evidence = f"The publisher's analysis calls the whole run an outage: {run.source}"
    return Fault(kind=FaultClass.OUTAGE, evidence=evidence)


def _make_report(run: _PublishedRun) -> Report:
    """Return a report with the class that the publisher gave to each failure."""
    return Report(
        schema_version=2,
        run=run.run_id,
        author=_PUBLISHER,
        date=run.date,
        source=run.source,
        planned=run.planned,
        passed=run.passed,
        failures=tuple(_convert_failure(failure) for failure in run.failures),
        text=_format_report_body(run),
    )


def _convert_failure(failure: _Failure) -> ClassedFailure:
    classification = failure.classification
    return ClassedFailure.model_validate(
        {
            "eval": failure.eval,
            "class": _CLASSES[classification] if classification else None,
            "note": failure.reason,
        }
    )


def _format_report_body(run: _PublishedRun) -> str:
    origin = (
        f"Facts of the analysis published as `{run.source}`: which evals failed, at which step, "
        "and whose fault its authors found it to be. This report words them anew."
    )
    if run.corrected_passed is None:
        return f"{origin}\n"
    mended = (
        "Under the graders as they were mended later, the same outputs pass "
        f"{run.corrected_passed} of {run.planned} evals by that analysis."
    )
    return f"{origin}\n\n{mended}\n"
