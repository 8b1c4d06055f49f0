"""The importer of published analyses of runs: which evals failed, and why.

The file lists suites (the names of their evals) and runs (their failures). An eval of a run's
suite has passed if no failure of the run names it. Steps, tests, usage, cost and durations were
not published and stay unknown. If an outage broke a run, all its attempts are infrastructure,
because the run shows nothing about its model.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, JsonValue, ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.json_limits import find_large_object
from records.foreign.files import ForeignFile
from records.reader import build_record_error, find_duplicate_keys, read_run
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome, StepName, make_attempt
from records.shapes.base import (
    Count,
    EvalName,
    ExperimentName,
    ModelSlug,
    Record,
    RunId,
    compute_text_digest,
)
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, encode_report
from records.shapes.run import Experiment, Imported, Run, Withdrawal
from records.suites.benchmark import EvalDigests
from records.writer import encode_record, encode_run
from runner.published_results.board_import import keep_withdrawal, refuse_invalid
from runner.published_results.board_records import make_imported_benchmark, make_imported_run

IMPORTER = "published_analyses"

_PUBLISHER = "the maintainers of get-convex/convex-evals"

_STEPS: Mapping[str, StepName] = {
    "install": StepName.INSTALL,
    "deploy": StepName.DEPLOY,
    "tsc": StepName.TYPECHECK,
    "eslint": StepName.LINT,
    "tests": StepName.TESTS,
}

_CLASSES: Mapping[str, FailureClass] = {
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

    @property
    def digest(self) -> str:
        """The digest of the names of its evals, of which its signature is the beginning."""
        return compute_text_digest("\0".join(sorted(self.evals)))

    @property
    def version(self) -> str:
        """The name of its benchmark version."""
        return f"convex-evals-{len(self.evals)}-{self.digest[:8]}"


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
    data = file.data
    if reason := find_large_object(data):
        raise InvalidRecordError(file.path, "", reason)
    try:
        published = _Published.model_validate_json(data, strict=True)
    except ValidationError as error:
        raise build_record_error(file.path, error) from error
    if repeated := find_duplicate_keys(data):
        raise InvalidRecordError(file.path, repeated[0], "is repeated in one object")
    # The file is copied as it is.
    for location, text in _walk_texts(published.model_dump(mode="json"), ""):
        if file.clean(text) != text:
            reason = "has a secret, or the path of a home folder: take it out"
            raise file.make_error(location, reason)
    _check(file.path, published)
    copy = folder.imports / f"{IMPORTER}-{file.digest[:12]}{file.path.suffix}"
    planned = {} if copy.exists() else {copy: file.data}
    with refuse_invalid(file.path):
        unpublished = EvalDigests(task=None, grader=None, config=None)
        for suite in published.suites.values():
            benchmark = make_imported_benchmark(
                version=suite.version,
                title=f"convex-evals · {len(suite.evals)} evals",
                digest=suite.digest,
                evals=dict.fromkeys(sorted(suite.evals), unpublished),
                source="https://github.com/get-convex/convex-evals",
            )
            planned[folder.benchmarks.get_file(benchmark.version)] = encode_record(benchmark)
        for run in published.runs:
            run_file = folder.get_run_file(run.model, run.run_id)
            record = _make_run(file.digest, run, published.suites[run.suite])
            with suppress(MissingRecordError):
                record = keep_withdrawal(read_run(run_file), record)
            planned[run_file] = encode_run(record)
            report = folder.get_report_file(run.model, run.run_id, run.date)
            if run.failures and not report.exists():
                planned[report] = encode_report(_make_report(run)).encode()
    return planned


def _check(path: Path, published: _Published) -> None:
    """Refuse a file that contradicts itself, before anything of it is imported.

    Raises:
        InvalidRecordError: a signature, a suite, an id, a failure or a count is wrong.
    """
    for name, suite in published.suites.items():
        if suite.digest[:12] != suite.signature_sha256_12:
            raise InvalidRecordError(path, f"suites.{name}", "its signature is of other evals")
    numbers = Counter(run.run_id for run in published.runs)
    for number, run in enumerate(published.runs):
        evals = set(published.suites[run.suite].evals) if run.suite in published.suites else None
        failed = {failure.eval for failure in run.failures}
        planned = len(evals or ())
        passed = 0 if run.infrastructure else planned - len(failed)
        reason = ""
        if numbers[run.run_id] > 1:
            reason = "has the id of another run"
        elif evals is None:
            reason = f"there is no suite {run.suite}"
        elif strays := sorted(failed - evals):
            reason = f"failures outside its suite: {', '.join(strays)}"
        elif len(failed) != len(run.failures):
            reason = "an eval is listed as failed twice"
        elif (run.planned, run.passed) != (planned, passed):
            reason = f"says {run.passed} of {run.planned} passed, its failures give {passed}"
        if reason:
            raise InvalidRecordError(path, f"runs.{number} ({run.run_id[:8]})", reason)


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


def _make_run(source_digest: str, run: _PublishedRun, suite: _Suite) -> Run:
    failures = {failure.eval: failure for failure in run.failures}
    planned = tuple(sorted(suite.evals))
    reason = "taken down after faulty graders were found"
    fault: Fault | None = None
    if run.infrastructure:
        reason = "the run was an outage and has no model result"
        evidence = f"The publisher's analysis calls the whole run an outage: {run.source}"
        fault = Fault(kind=FaultClass.OUTAGE, evidence=evidence)
    attempts: list[Attempt] = []
    for name in planned:
        failure = failures.get(name)
        outcome = Outcome.FAILED if failure else Outcome.PASSED
        step = failure.failed_step if failure else None
        attempts.append(
            make_attempt(
                name,
                1,
                Outcome.INFRASTRUCTURE if run.infrastructure else outcome,
                failed_step=_STEPS[step] if step else None,
                reason=failure.reason if failure else None,
                fault=fault,
            )
        )
    return make_imported_run(
        (run.model, run.model.partition("/")[2], run.provider),
        tuple(attempts),
        run_id=run.run_id,
        experiment=Experiment(name=run.experiment, guidelines=None),
        benchmark_version=suite.version,
        provenance=Imported(
            kind="imported",
            importer=IMPORTER,
            source=run.source,
            source_digest=source_digest,
            corrected_passed=run.corrected_passed,
        ),
        date=run.date,
        planned=planned,
        withdrawn=Withdrawal(by=_PUBLISHER, reason=reason) if run.withdrawn else None,
    )


def _make_report(run: _PublishedRun) -> Report:
    """Return a report with the class that the publisher gave to each failure."""
    text = (
        f"Facts of the analysis published as `{run.source}`: which evals failed, at which step, "
        "and whose fault its authors found it to be. This report words them anew.\n"
    )
    if run.corrected_passed is not None:
        text += (
            "\nUnder the graders as they were mended later, the same outputs pass "
            f"{run.corrected_passed} of {run.planned} evals by that analysis.\n"
        )
    return Report(
        schema_version=2,
        run=run.run_id,
        author=_PUBLISHER,
        date=run.date,
        source=run.source,
        planned=run.planned,
        passed=run.passed,
        failures=tuple(
            ClassedFailure.model_validate(
                {
                    "eval": failure.eval,
                    "class": _CLASSES.get(failure.classification or ""),
                    "note": failure.reason,
                }
            )
            for failure in run.failures
        ),
        text=text,
    )
