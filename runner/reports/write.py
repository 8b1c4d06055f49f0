"""Reports on runs: new ones and updates, the classes of failures, and the scores by them.

The evidence on each failed attempt is from the run's record and archive, with the patterns that
several failures share. All text of models and graders is in fenced blocks that the text of a report
cannot close.
"""

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from records.archives.archive import Archive
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import find_reports, read_report
from records.runs.failure_words import generalize_message
from records.runs.run_lookup import find_run
from records.shapes.attempt import JUDGED, Attempt, AttemptKey, Outcome, Test
from records.shapes.failure_classes import SET_ASIDE, FailureClass
from records.shapes.report import REPORT_VERSION, ClassedFailure, Proposal, Report, encode_report
from records.shapes.run import Run
from records.text.numbers import format_count, format_dollars
from records.text.run_days import describe_day
from records.text.visible import make_one_line, make_visible
from records.writer import write_atomically
from runner.errors import NotReportableError
from runner.evals.discovery import Suite
from runner.suite.mint import make_benchmark

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


class Subject(NamedTuple):
    """The run of a report, and its data folders."""

    data: DataFolder
    home: DataFolder
    """The part of ``data`` that holds the run: published or local."""
    run: Run
    suite: Suite
    """Today's suite, with the tasks and references."""


def list_failed_attempts(subject: Subject) -> list[FailedAttempt]:
    """Return the failed attempts of the run of ``subject``, in its order.

    Raises:
        InvalidRecordError: the archive or an earlier report cannot be read.
        InvalidEvalError: a reference cannot be read.
    """
    data, run = subject.data, subject.run
    evals = {evaluation.name: evaluation for evaluation in subject.suite.evals}
    failed = [attempt for attempt in run.attempts if attempt.outcome is Outcome.FAILED]
    answers: dict[AttemptKey, Mapping[str, str]] = {}
    with suppress(MissingRecordError), Archive(subject.home.get_artifact_file(*run.key)) as archive:
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


KEPT = "<!-- `leaderboard report --update` writes anew what is above and keeps what is below -->"
"""The mark between the text of this program and the text of people."""
TASK_LINES = 15
MESSAGE_LINES = 20
DIFF_LINES = 80
"""The most lines of each diff; the page of the attempt shows all of them."""
WIDEST = 400
"""The most characters of a line."""
COMPARED_LINES = 2_000
"""The most lines of a file that is compared: difflib's time grows with their square."""

_OWN_PART = """\
## Actions taken

None yet.
"""


def _diff_files(reference: Mapping[str, str], answer: Mapping[str, str]) -> Iterator[str]:
    for path in sorted({*reference, *answer}):
        before, after = reference.get(path, ""), answer.get(path, "")
        if before != after:
            yield diff_file(path, before, after)


def diff_file(path: str, before: str, after: str) -> str:
    """Return a unified diff of one file, from the reference to an answer."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > COMPARED_LINES:
        return f"{path}: {len(old)} lines in the reference, {len(new)} in the answer: not compared"
    names = (f"reference/{path}", f"answer/{path}")
    return "\n".join(difflib.unified_diff(old, new, *names, lineterm="", n=2))


def _fence_text(text: str, language: str, longest: int) -> str:
    """Return a code block of at most ``longest`` lines, with a fence that is not in the text."""
    lines = make_visible(text).strip("\n").split("\n")
    left_out = len(lines) - longest
    if left_out > 0:
        lines = [*lines[:longest], f"… {left_out} more lines"]
    lines = [line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in lines]
    fence = "`" * max([3, *(len(backticks) + 1 for backticks in re.findall(r"`+", text))])
    return "\n".join([f"{fence}{language}", *lines, fence])


def _format_inline(text: str) -> str:
    """Return text as one line in which markdown and HTML have no effect."""
    return re.sub(r"([\\`*_{}\[\]<>|~@#])", r"\\\1", make_one_line(text))


class WrittenReport(NamedTuple):
    """A report that was written."""

    path: Path
    report: Report
    failures: Sequence[FailedAttempt]
    is_new: bool
    """True if the run had no report before."""


def find_subject(data: DataFolder, suite: Suite, beginning: str) -> Subject:
    """Return the run whose id starts with ``beginning``, published or local, with its folders.

    A run that has only a journal is returned as it was planned.

    Raises:
        MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        InvalidRecordError: the record cannot be read.
    """
    stored = find_run(data, beginning)
    return Subject(data, stored.folder, stored.read(), suite)


def write_report(
    subject: Subject, author: str, day: date, *, update: bool = False
) -> WrittenReport:
    """Write the report on ``subject`` to the folder of its model's reports.

    An update of an existing report takes figures and failures from the record. Classes, notes,
    proposals and all text of people stay.

    Args:
        subject: the run of the report.
        author: the person responsible for a new report; an existing report keeps its author.
        day: the day of a new report; an existing report keeps its day.
        update: whether an existing report may be updated.

    Raises:
        NotReportableError: the run has not ended, or there is a report and ``update`` is false.
        InvalidRecordError: the archive, or another report, cannot be read.
    """
    run = subject.run
    if run.status == "running":
        raise NotReportableError(
            f"run {run.run_id} has not ended, and a report could become wrong: "
            f"leaderboard run --resume {run.short_id} goes on with the run"
        )
    existing = next(find_reports(subject.home, run), None)
    if existing is not None and not update:
        raise NotReportableError(
            f"{existing[0]} is the report on this run: "
            f"leaderboard report {run.short_id} --update brings it up to date"
        )
    path, before = existing or (subject.home.get_report_file(*run.key, day), None)
    failures = list_failed_attempts(subject)
    report = _make_report(subject, failures, before, author, day)
    write_atomically(path, encode_report(report).encode())
    return WrittenReport(path, report, failures, is_new=existing is None)


def attach_proposal(path: Path, attempt: Attempt, proposal: Proposal) -> None:
    """Write a proposal into the entry of ``attempt`` in the report at ``path``.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
    """
    change_entries(
        path,
        {"proposal": proposal},
        lambda entry: entry.eval == attempt.eval and entry.sample in {None, attempt.sample},
    )


def change_entries(
    path: Path, changes: Mapping[str, object], is_meant: Callable[[ClassedFailure], bool]
) -> list[ClassedFailure]:
    """Write ``changes`` into the entries that are meant; return these entries.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
    """
    report = read_report(path)
    entries = tuple(
        entry.model_copy(update=changes) if is_meant(entry) else entry for entry in report.failures
    )
    changed = report.model_copy(update={"failures": entries})
    write_atomically(path, encode_report(changed).encode())
    return [entry for entry in entries if is_meant(entry)]


def _make_report(
    subject: Subject,
    failures: Sequence[FailedAttempt],
    before: Report | None,
    author: str,
    day: date,
) -> Report:
    """Return the report with an entry for each failed attempt.

    An entry has the class and note that people gave it before. If ``before`` has one entry for all
    failed samples of an eval, it stays one entry. Entries with a class or note whose attempts no
    longer fail are kept for a list of errata.
    """
    run = subject.run
    listed = (*before.mended, *before.failures) if before else ()
    earlier = {old.place: old for old in listed}
    entry_by_key: dict[tuple[str, int | None], ClassedFailure] = {}
    for failure in failures:
        attempt = failure.attempt
        sample = attempt.sample if run.samples > 1 else None
        key = (attempt.eval, sample)
        if key not in earlier and (attempt.eval, None) in earlier:
            key = (attempt.eval, None)
        entry = earlier.get(key) or ClassedFailure(eval=attempt.eval, sample=sample)
        first_lines = "\n".join(line[:200] for line in failure.message.splitlines()[:3]) or None
        facts = {"step": attempt.failed_step, "message": first_lines}
        entry_by_key.setdefault(key, entry.model_copy(update=facts))
    entries = tuple(entry_by_key.values())
    failing = {entry.place for entry in entries}
    mended = tuple(
        entry
        for entry in listed
        if entry.place not in failing and (entry.failure_class or entry.note)
    )
    # The planned attempts that exercise each section of the guidelines.
    exercised: Counter[str] = Counter()
    for evaluation in subject.suite.evals:
        if evaluation.name in run.planned:
            exercised.update(dict.fromkeys(evaluation.config.guidelines, run.samples))
    patterns = find_patterns(failures, exercised, run.planned_attempts)
    net_impact = describe_impact(run, entries)
    totals, cost = run.totals, "not known"
    if totals.cost_usd is not None:
        cost = f"{format_dollars(totals.cost_usd)}, known for {totals.cost_known_for}"
    elif run.attempts and all(each.carried_over is not None for each in run.attempts):
        cost = "none, all answers were carried over"
    environment = Environment(  # noqa: S701 - markdown: `inline` and `fence` escape
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    written = environment.get_template("report.md.jinja").render(
        run=run,
        failures=failures,
        patterns=patterns,
        impact=net_impact,
        same_suite=make_benchmark(subject.suite).version == run.benchmark_version,
        cost=cost,
        day=describe_day(run),
        steps=Counter(str(each.attempt.failed_step or "not published") for each in failures),
        format_count=format_count,
        one_line=make_one_line,
        inline=_format_inline,
        fence=_fence_text,
        diff_files=_diff_files,
        longest={"message": MESSAGE_LINES, "task": TASK_LINES, "diff": DIFF_LINES},
    )
    written = written.rstrip("\n")
    # Of a report without the mark people wrote everything.
    own = before.text if before else _OWN_PART
    if KEPT in own:
        own = own.partition(KEPT)[2].strip("\n")
    return Report.model_validate(
        {
            "author": author,
            "date": day,
            "draft": True,
            "patterns": tuple(
                f"{each.claim}: {', '.join(each.examples)}{each.left_out_note}" for each in patterns
            ),
            **(dict(before) if before else {}),
            "schema_version": REPORT_VERSION,
            "run": run.run_id,
            "benchmark_version": run.benchmark_version,
            "experiment": run.experiment.name,
            "planned": run.planned_attempts,
            "passed": run.passed,
            "failures": entries,
            "mended": mended,
            "net_impact": net_impact,
            "text": f"{written}\n\n{KEPT}\n\n{own}",
        }
    )


class FailureToClass(NamedTuple):
    """An entry of a report, with the attempts that failed."""

    entry: ClassedFailure
    attempts: Sequence[FailedAttempt]
    """At least one attempt: the entry's sample, or all failed samples of its eval if the entry has
    none."""


def list_failures_to_class(
    report: Report, failures: Sequence[FailedAttempt]
) -> list[FailureToClass]:
    """Return the entries of ``report`` in its order, each with its attempts in ``failures``.

    Entries without such attempts are left out.
    """
    single = {entry.place for entry in report.failures if entry.sample}
    listed: list[FailureToClass] = []
    for entry in report.failures:
        attempts = [
            failure
            for failure in failures
            if failure.attempt.eval == entry.eval
            and (
                failure.attempt.sample == entry.sample
                if entry.sample
                else (entry.eval, failure.attempt.sample) not in single
            )
        ]
        if attempts:
            listed.append(FailureToClass(entry, attempts))
    return listed


def save_class(
    path: Path, place: tuple[str, int | None], failure_class: FailureClass, note: str | None
) -> ClassedFailure:
    """Write a class into the entry at ``place`` of the report at ``path``; return the entry.

    The report is read again first, so that changes made in an editor are kept. The file is replaced
    as a whole.

    Args:
        path: the report's file.
        place: eval and sample of the entry.
        failure_class: the class of the failure.
        note: a line about the failure; None leaves the entry's note as it is.

    Raises:
        InvalidRecordError: the report cannot be read, because it was changed.
        MissingRecordError: the report, or its entry, no longer exists.
    """
    changes: dict[str, object] = {"failure_class": failure_class}
    if note is not None:
        changes["note"] = make_one_line(note.encode("utf-8", "replace").decode())
    for entry in change_entries(path, changes, lambda entry: entry.place == place):
        return entry
    raise MissingRecordError(f"{path}: has no failure {place[0]} any more")


def describe_score(run: Run, aside: Collection[tuple[str, int]] = ()) -> str:
    """Return the score of ``run`` in words, without the attempts in ``aside``.

    It is the share of attempts that passed, as the mean over evals.
    """
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for attempt in run.attempts:
        if attempt.outcome in JUDGED and attempt.place not in aside:
            verdicts[attempt.eval].append(attempt.outcome is Outcome.PASSED)
    passes = list(chain.from_iterable(verdicts.values()))
    share = f"{100 * fmean(map(fmean, verdicts.values())):.1f}%" if verdicts else "no score"
    return f"{sum(passes)} of {len(passes)} ({share})"


def describe_impact(run: Run, failures: Collection[ClassedFailure]) -> str:
    """Return sentences with the raw and the attributed score of ``run``, for its report."""
    raw = describe_score(run)
    # The failed attempts whose class is no fault of the model.
    classes = {failure.place: failure.failure_class for failure in failures}
    failed = [a.place for a in run.attempts if a.outcome is Outcome.FAILED]
    aside = {
        (name, sample)
        for name, sample in failed
        if classes.get((name, sample), classes.get((name, None))) in SET_ASIDE
    }
    unclassed = sum(failure.failure_class is None for failure in failures)
    open_ones = f" {unclassed} of the failures listed have no class yet." if unclassed else ""
    if not aside:
        return f"Raw score: {raw}. No failure is set aside.{open_ones}"
    attributed = describe_score(run, aside)
    return f"Raw score: {raw}. Attributed score, {len(aside)} set aside: {attributed}.{open_ones}"
