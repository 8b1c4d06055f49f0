"""The evidence on each failed attempt of a run, and the patterns that several failures share."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from records.archives.archive import Archive
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import read_report
from records.runs.failure_words import generalize_message
from records.shapes.attempt import Attempt, AttemptKey, Outcome, Test
from records.shapes.failure_classes import FailureClass
from records.shapes.run import Run
from runner.evals.discovery import Suite

FEWEST = 2
"""The number of failures from which a message or section is a pattern."""

MOST_NAMED = 3
"""The most evals of a pattern that are named; further evals are only counted."""


class EarlierFinding(NamedTuple):
    """The class that the report on another run gave to a failure of the same eval."""

    report: Path
    """The report's file, relative to the data folder."""
    slug: str
    """The model of the report."""
    failure_class: FailureClass
    note: str


class FailedAttempt(NamedTuple):
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
    answers: dict[AttemptKey, Mapping[str, str]] = {}
    with suppress(MissingRecordError), Archive(home.get_artifact_file(*run.key)) as archive:
        for attempt in failed:
            if attempt.artifact is not None:
                answers[attempt.place] = archive.read(*attempt.place).files
    # Findings of finished reports on other runs, by eval; no proposals of models.
    earlier: defaultdict[str, list[EarlierFinding]] = defaultdict(list)
    for path in chain(data.list_report_files(), data.local.list_report_files()):
        report = read_report(path)
        for entry in () if report.run == run.run_id or report.draft else report.failures:
            if entry.failure_class is not None:
                slug, name = get_model_slug(path), path.relative_to(data.root)
                finding = EarlierFinding(name, slug, entry.failure_class, entry.note)
                earlier[entry.eval].append(finding)
    for findings in earlier.values():
        findings.sort(key=lambda each: (each.slug != run.model.slug, each.report.as_posix()))
    failures: list[FailedAttempt] = []
    for attempt in failed:
        evaluation = evals.get(attempt.eval)
        failures.append(
            FailedAttempt(
                attempt=attempt,
                task=evaluation.task if evaluation else None,
                reference=evaluation.read_answer() if evaluation else {},
                answer=answers.get(attempt.place),
                sections=evaluation.config.guidelines if evaluation else (),
                earlier=earlier[attempt.eval],
            )
        )
    return failures


class Pattern(NamedTuple):
    """Failures that share the shape of their message, or a section of the guidelines."""

    claim: str
    """The pattern in words."""
    evals: Sequence[str]
    """The evals of these failures, sorted."""

    @property
    def examples(self) -> Sequence[str]:
        """The evals of these failures that are named: the first ones."""
        return self.evals[:MOST_NAMED]

    @property
    def left_out_note(self) -> str:
        """The number of evals that are not named, in words; empty if there are none."""
        left_out = len(self.evals) - MOST_NAMED
        return f" and {left_out} more" if left_out > 0 else ""


def find_patterns(
    failures: Sequence[FailedAttempt], exercised: Mapping[str, int], planned: int
) -> list[Pattern]:
    """Return the patterns of at least two failures: messages first, then sections.

    A section is a pattern only if its attempts fail more often than the attempts of the whole run.
    Otherwise many failures may only mean that many evals exercise the section.

    Args:
        failures: the failed attempts of one run.
        exercised: the number of the run's attempts that exercise each section of the guidelines.
        planned: the number of attempts that the run planned.
    """
    messages: defaultdict[str, list[str]] = defaultdict(list)
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for failure in failures:
        messages[generalize_message(failure.message)].append(failure.attempt.eval)
        for section in failure.sections:
            sections[section].append(failure.attempt.eval)
    patterns = [
        Pattern(f"{len(evals)} failed with \u201c{shape}\u201d", sorted(set(evals)))
        for shape, evals in _list_shared(messages)
    ]
    for section, evals in _list_shared(sections):
        number, of, failed = len(evals), exercised[section], len(failures)
        if number * planned > of * failed:
            claim = (
                f"{number} of {of} attempts that exercise {section} failed ({number / of:.0%}), "
                f"of all {failed} of {planned} ({failed / planned:.0%})"
            )
            patterns.append(Pattern(claim, sorted(set(evals))))
    return patterns


def _list_shared(groups: Mapping[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Return what several failures share, with their evals; the most common first."""
    shared = [(key, evals) for key, evals in groups.items() if key and len(evals) >= FEWEST]
    return sorted(shared, key=lambda pair: (-len(pair[1]), pair[0]))
