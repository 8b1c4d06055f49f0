"""The evidence on each failed attempt of a run: task, message, answer and reference."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from records.archives.archive import Archive
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import read_report
from records.shapes.attempt import Attempt, Outcome, Test
from records.shapes.failure_classes import FailureClass
from records.shapes.run import Run
from runner.evals.discovery import Suite


@dataclass(frozen=True, slots=True)
class EarlierFinding:
    """The class that the report on another run gave to a failure of the same eval."""

    report: Path
    """The report's file, relative to the data folder."""
    slug: str
    """The model of the report."""
    failure_class: FailureClass
    note: str


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A failed attempt with its task, its answer and the reference."""

    attempt: Attempt
    task: str | None
    """The text of the task; null if today's suite has no such eval."""
    reference: Mapping[str, str]
    """Files of the reference answer by path; empty if today's suite has no such eval."""
    answer: Mapping[str, str] | None
    """Files of the model's answer by path; null if no archive has them."""
    sections: Sequence[str]
    """Slugs of the sections of the guidelines that the eval exercises."""
    earlier: Sequence[EarlierFinding]
    """Findings of other reports on this eval; findings on the same model come first."""

    @property
    def expectation(self) -> str | None:
        """The title of the first failed test, as the grader has it; null if no test failed."""
        return next((test.title for test in self._list_failed_tests()), None)

    @property
    def message(self) -> str:
        """The message of the first failed test, else of the failed step, else the reason."""
        for test in self._list_failed_tests():
            return (test.message or "").strip()
        for step in self.attempt.steps or ():
            if step.outcome is Outcome.FAILED and step.message:
                return step.message.strip()
        return self.attempt.reason or ""

    def _list_failed_tests(self) -> Iterator[Test]:
        return (test for test in self.attempt.tests or () if test.outcome is Outcome.FAILED)


def list_failed_attempts(
    data: DataFolder, home: DataFolder, run: Run, suite: Suite
) -> list[FailedAttempt]:
    """Return the failed attempts of ``run``, in its order.

    Args:
        data: the data folder with the reports, published and local, that have earlier findings.
        home: the part of ``data`` that holds the run and its archive.
        run: the run.
        suite: today's suite, with the tasks and references.

    Raises:
        InvalidRecordError: the archive or an earlier report cannot be read.
        InvalidEvalError: a reference cannot be read.
    """
    evals = {evaluation.name: evaluation for evaluation in suite.evals}
    failed = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    answers = _read_answers(home.get_artifact_file(run.model.slug, run.run_id), failed)
    earlier = _read_earlier_findings(data, run)
    failures: list[FailedAttempt] = []
    for attempt in failed:
        evaluation = evals.get(attempt.eval)
        failures.append(
            FailedAttempt(
                attempt=attempt,
                task=evaluation.task if evaluation else None,
                reference=evaluation.read_answer() if evaluation else {},
                answer=answers.get((attempt.eval, attempt.sample)),
                sections=evaluation.config.guidelines if evaluation else (),
                earlier=earlier[attempt.eval],
            )
        )
    return failures


def _read_answers(
    archive: Path, attempts: Iterable[Attempt]
) -> dict[tuple[str, int], Mapping[str, str]]:
    """Return the files of each archived attempt, by eval and sample; empty without an archive."""
    answers: dict[tuple[str, int], Mapping[str, str]] = {}
    with suppress(MissingRecordError), Archive(archive) as opened:
        for attempt in attempts:
            if attempt.artifact is not None:
                key = (attempt.eval, attempt.sample)
                answers[key] = opened.read(*key).files
    return answers


def _read_earlier_findings(data: DataFolder, run: Run) -> defaultdict[str, list[EarlierFinding]]:
    """Return the findings of finished reports on other runs, by eval; no proposals of models."""
    findings_by_eval: defaultdict[str, list[EarlierFinding]] = defaultdict(list)
    for path in chain(data.list_report_files(), data.local.list_report_files()):
        report = read_report(path)
        if report.run == run.run_id or report.draft:
            continue
        for failure in report.failures:
            if failure.failure_class is not None:
                slug, name = get_model_slug(path), path.relative_to(data.root)
                finding = EarlierFinding(name, slug, failure.failure_class, failure.note)
                findings_by_eval[failure.eval].append(finding)
    for findings in findings_by_eval.values():
        findings.sort(key=lambda entry: (entry.slug != run.model.slug, entry.report.as_posix()))
    return findings_by_eval
