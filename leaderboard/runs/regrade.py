"""The work of `leaderboard regrade` and `leaderboard verify`."""

import re
import shlex
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

import click

from generator.scores.intervals import compute_share_interval
from leaderboard.git import find_changed_evals
from leaderboard.project import build_data_option
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, is_json, say, say_aside, say_result
from records.files.data_folder import DataFolder
from records.reader import read_benchmarks, read_run
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.errors import CannotRegradeError
from runner.evals.discovery import Eval, Suite, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, Submission, describe_verdict
from runner.grading.worker.protocol import ALL_TESTS
from runner.python_toolchain import find_grading_toolchain
from runner.runs import regrade
from runner.runs.launch import open_graders
from runner.runs.plan import Destination, define_version, write_version
from runner.suite.mint import make_benchmark

Drawn = TypeVar("Drawn")
"""An answer of a sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradeOptions(GradingSettings):
    """The options that `leaderboard regrade` and `leaderboard verify` share, a field for each."""

    runs: Sequence[str]
    """The beginnings of the ids of runs."""
    everything: bool
    """True for all published runs that were made here and are not withdrawn."""
    evals_root: Path
    data: DataFolder

    def read_runs(self) -> list[tuple[DataFolder, Run]]:
        """Return each run with its data folder.

        Raises:
            UsageError: neither runs nor --all are given, or both.
            MissingRecordError, AmbiguousRunError: no run has such an id, or several have.
        """
        if bool(self.runs) is self.everything:
            raise click.UsageError("which runs? Name them by the beginnings of their ids, or --all")
        if not self.everything:
            stored = {
                stored_run.run_id: stored_run
                for stored_run in map(partial(find_run, self.data), self.runs)
            }
            return [(stored_run.folder, stored_run.read()) for stored_run in stored.values()]
        return [
            (self.data, run)
            for run in map(read_run, self.data.list_run_files())
            if run.provenance.kind == "executed" and run.withdrawn is None
        ]


def regrade_runs(options: RegradeOptions, since: str | None, why: str | None) -> int:
    """Grade the answers again whose verdicts may differ today; return the exit code.

    Args:
        options: the runs and the settings of grading.
        since: a git revision; only evals that changed since are graded. None for all.
        why: the reason for the new verdicts, which the records keep.
    """
    data, suite = options.data, discover(options.evals_root)
    grading = build_grading(suite, options)
    only = None if since is None else find_changed_evals(suite, since)
    versions = read_benchmarks(data)
    # Published runs need a minted version, unless they stay in an earlier one. Checked before
    # archives are read, which takes long.
    runs: list[tuple[DataFolder, Run]] = []
    joining: set[bool] = set()
    for folder, run in options.read_runs():
        with _leave_refused(options):
            regrade.check_regradable(run)
            runs.append((folder, run))
            then = versions.get(run.benchmark_version)
            if regrade.explain_misfit(run, then, grading.version) is None:
                joining.add(folder.root == data.root)
    for published in sorted(joining):
        define_version(Destination(suite, data, publish=published))
    plans: list[regrade.Regrading] = []
    for folder, run in runs:
        with _leave_refused(options):
            then = versions.get(run.benchmark_version)
            plans.append(regrade.plan_regrading(folder, run, then, grading, only))
    waiting = [plan for plan in plans if plan.stale or plan.run.benchmark_version != plan.version]
    if not waiting:
        say_aside("nothing to grade again: no verdict depends on a change")
        say_result([], ())
        return ExitCode.DONE
    unreached = 0
    rows: list[dict[str, object]] = []
    with open_graders(options, suite, partial(say, err=is_json())) as graders:
        # Runs that stay in an earlier version do not need today's.
        if any(plan.version == grading.version.version for plan in waiting):
            write_version(Destination(suite, data))
        for plan in waiting:
            stale = f"{len(plan.stale)} of {len(plan.run.attempts)} to grade again"
            say_aside(f"{format_title(plan.run)}: {stale}")
            results: list[regrade.RegradedAttempt] = []
            regrade.regrade(plan, graders, grading, why=why, done=results.append)
            order = plan.run.planned
            results.sort(key=lambda each: (order.index(each.attempt.eval), each.attempt.sample))
            _say_regraded(plan, results)
            rows.append(
                {
                    "run_id": plan.run.run_id,
                    "record": str(plan.folder.get_run_file(*plan.run.key)),
                    "benchmark_version": plan.version,
                    "benchmark_version_before": plan.run.benchmark_version,
                    "attempts": [
                        {
                            "eval": result.attempt.eval,
                            "sample": result.attempt.sample,
                            "before": result.before,
                            "outcome": result.attempt.outcome,
                            "reached": result.fault is None,
                            "fault": result.fault,
                        }
                        for result in results
                    ],
                }
            )
            unreached += sum(result.fault is not None for result in results)
    say_result(rows, ())
    of_data = build_data_option(data)
    lines = [format_command_line("runs", waiting[0].run.short_id, *of_data)]
    if any(plan.folder.root == data.root for plan in waiting):
        lines.append(format_command_line("check", *of_data))
        lines.append(f"git status {shlex.quote(str(data.root))}")
    say_next(lines)
    return ExitCode.INFRASTRUCTURE if unreached else ExitCode.DONE


@contextmanager
def _leave_refused(options: RegradeOptions) -> Generator[None]:
    """Leave a run as it is that cannot be graded again, and say so, if all runs are meant.

    Raises:
        CannotRegradeError: the run was named.
    """
    try:
        yield
    except CannotRegradeError as error:
        if not options.everything:
            raise
        say_aside(f"left as it is: {error}")


def verify_runs(options: RegradeOptions, pattern: str | None, sample: int | None, seed: int) -> int:
    """Grade published answers once more; return the exit code.

    Args:
        options: the runs and the settings of grading.
        pattern: a regular expression that selects evals; None for all.
        sample: the number of attempts to choose at random; None for all.
        seed: the seed of the random choice.

    Raises:
        UsageError: ``pattern`` is invalid, or the runs keep no answer to such an eval.
    """
    suite = discover(options.evals_root)
    grading = build_grading(suite, options)
    answers = _draw(select_answers(options.read_runs(), pattern), sample, seed)
    counts: Counter[regrade.Reproduction] = Counter()
    rows: list[dict[str, object]] = []
    with open_graders(options, suite, partial(say, err=True)) as graders:
        results = regrade.verify([answer for _, answer in answers], graders, grading)
        for (run, _), attempt in zip(answers, results, strict=True):
            counts[attempt.result] += 1
            rows.append({"run": run.run_id, **attempt._asdict()})
            if not is_json() and attempt.result is not regrade.Reproduction.REPRODUCED:
                subject = f"{format_title(run)} {attempt.eval} sample {attempt.sample}"
                result = attempt.result.replace("_", " ")
                tools = "" if attempt.same_toolchain else " (with another toolchain)"
                local_outcome = f"; here: {attempt.here}" if attempt.here else ""
                outcomes = f"published: {attempt.published}{local_outcome}"
                say(make_one_line(f"{subject}: {result}{tools}; {outcomes}"))
    summary = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    line = f"{format_count(len(answers), 'attempt')}: {summary or 'none keeps an answer'}"
    say_result(rows, [line])
    if counts[regrade.Reproduction.DIFFERS] or counts[regrade.Reproduction.TAMPERED]:
        return ExitCode.CHECK_FAILED
    return ExitCode.INFRASTRUCTURE if counts[regrade.Reproduction.INFRASTRUCTURE] else ExitCode.DONE


def select_answers(
    runs: Sequence[tuple[DataFolder, Run]], pattern: str | None
) -> list[tuple[Run, regrade.StoredAnswer]]:
    """Return the kept answers of runs to evals whose names match ``pattern``.

    Raises:
        UsageError: ``pattern`` is not a regular expression, or no answer matches.
    """
    try:
        matcher = re.compile(pattern or "")
    except re.error as error:
        raise click.UsageError(f"-f {pattern}: no regular expression: {error}") from error
    answers = [
        (run, answer)
        for folder, run in runs
        for answer in regrade.read_stored_answers(folder, run)
        if matcher.search(answer.attempt.eval)
    ]
    if pattern is not None and not answers:
        raise click.UsageError(f"-f {pattern}: these runs keep no answer to such an eval")
    return answers


def _draw(answers: list[Drawn], number: int | None, seed: int) -> list[Drawn]:
    """Return so many answers, drawn at random, in their order; all if ``number`` is None."""
    if number is None or number >= len(answers):
        return answers
    dice = Random(seed)  # noqa: S311 - no secret
    return [answers[at] for at in sorted(dice.sample(range(len(answers)), number))]


def build_grading(suite: Suite, settings: GradingSettings) -> regrade.Grading:
    """Return today's graders of a suite."""
    evals = {evaluation.name: evaluation for evaluation in suite.evals}
    return regrade.Grading(
        make_benchmark(suite), evals, find_grading_toolchain(suite.root), settings
    )


def _say_regraded(plan: regrade.Regrading, results: Sequence[regrade.RegradedAttempt]) -> None:
    for result in results:
        name = f"  {result.attempt.eval} sample {result.attempt.sample}"
        if result.fault is not None:
            say_aside(
                f"{name}: no verdict, so the old verdict stays: {make_one_line(result.fault or '')}"
            )
        elif result.attempt.outcome is not result.before:
            say_aside(f"{name}: {result.before} before, {result.attempt.outcome} now")
    say_reports(plan.folder, plan.run)
    if plan.run.benchmark_version != plan.version:
        say_aside(
            f"  now of benchmark version {plan.version}, before of {plan.run.benchmark_version}"
        )


def say_reports(folder: DataFolder, run: Run) -> None:
    """Name the reports on a run that was graded again, which may describe earlier verdicts."""
    for path in folder.list_report_files():
        if path.name.startswith(run.short_id):
            say_aside(f"  {path} says what was: leaderboard report {run.short_id} --update")


def format_title(run: Run) -> str:
    """Return model, experiment and id of a run, for a line."""
    return f"{run.model.slug} {run.experiment.name} {run.short_id}"


class VerdictPair(StrEnum):
    """The verdicts of both backends on one answer."""

    AGREES = "agrees"
    FAILS_THERE = "passes here and fails there"
    """Here is the emulator, there is Convex's own backend."""
    PASSES_THERE = "fails here and passes there"
    INFRASTRUCTURE_THERE = "infrastructure there"
    INFRASTRUCTURE_HERE = "infrastructure here"

    @classmethod
    def from_results(cls, here: GradingResult, there: GradingResult) -> "VerdictPair":
        """Return how the results of both backends on an answer compare."""
        if there.outcome is Outcome.INFRASTRUCTURE:
            return cls.INFRASTRUCTURE_THERE
        if here.outcome is Outcome.INFRASTRUCTURE:
            return cls.INFRASTRUCTURE_HERE
        if here.outcome is there.outcome:
            return cls.AGREES
        return cls.FAILS_THERE if here.outcome is Outcome.PASSED else cls.PASSES_THERE


_DIFFERENCES = (VerdictPair.FAILS_THERE, VerdictPair.PASSES_THERE)
_WITHOUT_VERDICT = (VerdictPair.INFRASTRUCTURE_THERE, VerdictPair.INFRASTRUCTURE_HERE)


class _KnownAnswer(NamedTuple):
    name: str
    """``reference``, ``pass/NAME``, ``fail/NAME``, or the run and the sample."""
    submission: Submission


def compare_backends(
    options: RegradeOptions, pattern: str | None, sample: int | None, seed: int
) -> int:
    """Compare both backends; return the exit code, which is 1 if a verdict differs.

    Args:
        options: the runs, which may be none, and the settings of grading.
        pattern: a regular expression that selects evals; None for all.
        sample: the number of answers to choose at random; None for all.
        seed: the seed of the random choice.

    Raises:
        UserError: the graders of the suite need the emulator, or the binary is missing.
    """
    suite = discover(options.evals_root)
    evals = suite.select(pattern, ())
    # References and variants; baselines fail on each backend, and would show nothing.
    answers: list[_KnownAnswer] = []
    for evaluation in evals:
        answers.append(_KnownAnswer("reference", Submission(evaluation, ALL_TESTS)))
        for variant in evaluation.load_calibrations():
            submission = Submission(evaluation, ALL_TESTS, files=variant.files)
            answers.append(_KnownAnswer(f"{variant.kind}/{variant.name}", submission))
    if options.runs or options.everything:
        answers += _list_stored_answers(options, pattern, evals)
    answers = _draw(answers, sample, seed)

    def grade_all(settings: GradingSettings) -> list[GradingResult]:
        with open_graders(settings, suite, partial(say, err=True)) as graders:
            number = format_count(len(answers), "answer")
            say(f"grading {number} over the backend {settings.backend}", err=True)
            verdicts = [graders.submit(answer.submission) for answer in answers]
            return [verdict.result() for verdict in verdicts]

    # The real backend first, because it may be refused.
    there = grade_all(options)
    here = grade_all(replace(options, backend="embedded"))
    compared = [VerdictPair.from_results(*pair) for pair in zip(here, there, strict=True)]
    rows = [
        {
            "eval": answer.submission.evaluation.name,
            "answer": answer.name,
            "result": result,
            "here": describe_verdict(emulated),
            "there": describe_verdict(real),
        }
        for answer, result, emulated, real in zip(answers, compared, here, there, strict=True)
    ]
    agree = compared.count(VerdictPair.AGREES)
    differ = sum(map(compared.count, _DIFFERENCES))
    verdicts = agree + differ
    unjudged = len(compared) - verdicts
    lines: list[str] = []
    for result in (*_DIFFERENCES, *_WITHOUT_VERDICT):
        matching = [row for row in rows if row["result"] == result]
        if matching:
            lines.append(f"{result} ({len(matching)}):")
        for row in matching:
            pair = f"here: {row['here']}; there: {row['there']}"
            lines.append("  " + make_one_line(f"{row['eval']} {row['answer']}: {pair}"))
    counts = f"{agree} agree, {differ} differ, {unjudged} without"
    lines.append(f"{format_count(len(rows), 'answer')}: {counts} a verdict on both backends")
    share = interval = None
    if verdicts:
        share = agree / verdicts
        interval = compute_share_interval(agree, verdicts)
        bounds = f"95% interval {interval.low:.1%} to {interval.high:.1%}"
        lines.append(f"{share:.1%} of the verdicts agree ({bounds})")
    value = {
        "agree": agree,
        "differ": differ,
        "without_verdict": unjudged,
        "share": share,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "answers": rows,
    }
    say_result(value, lines)
    if differ:
        return ExitCode.CHECK_FAILED
    return ExitCode.INFRASTRUCTURE if unjudged else ExitCode.DONE


def _list_stored_answers(
    options: RegradeOptions, pattern: str | None, evals: Sequence[Eval]
) -> Iterator[_KnownAnswer]:
    """Yield each reply of the runs once, if its archive is intact and the suite has its eval."""
    eval_by_name = {evaluation.name: evaluation for evaluation in evals}
    listed: set[tuple[str, str]] = set()
    for run, answer in select_answers(options.read_runs(), pattern):
        name, title = answer.attempt.eval, f"{run.short_id} sample {answer.attempt.sample}"
        if not answer.is_intact or name not in eval_by_name:
            reason = "no such eval is here" if answer.is_intact else "its archive was changed"
            say(f"{name} {title} is left out: {reason}", err=True)
        elif (name, answer.reply) not in listed:
            listed.add((name, answer.reply))
            submission = Submission(eval_by_name[name], ALL_TESTS, reply=answer.reply)
            yield _KnownAnswer(title, submission)
