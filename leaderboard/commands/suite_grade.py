"""`leaderboard suite grade`: an answer is graded, with all details shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from watchfiles import Change, DefaultFilter, watch

from leaderboard import options
from leaderboard.terminal.streams import CHECK_FAILED, DONE, INFRASTRUCTURE, say, say_result
from records.archives.archive import Archive
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome, Test
from records.text.visible import make_one_line
from runner.errors import RunnerError
from runner.evals.discovery import Eval, Suite, discover
from runner.grading.grade import GradingResult, GradingService, Submission
from runner.grading.worker.protocol import SelectedTests, TestOutput
from runner.runs.launch import open_grading
from runner.runs.regrade import StoredAnswer
from runner.runs.settings import GradingSettings
from runner.suite.check import AnswerToGrade, find_eval, read_answer
from runner.suite.lint import open_source

_ATTEMPT: Final = re.compile(r"([0-9a-z]{1,40}):([1-9][0-9]{0,5})")
_LONGEST_OUTPUT: Final = 100_000
"""The most characters that are shown of the output of a whole grader."""
_LONGEST_TEXT: Final = 4000
"""The most characters that are shown of each print, log and message; `--json` has them whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeOptions(GradingSettings):
    """The options of `leaderboard suite grade`, a field for each."""

    evaluation: str
    answer: str
    tests: Sequence[str]
    """Parts of the names of the tests to run; empty for all."""
    everything: bool
    """True to show prints, logs and lines of functions also for passed tests."""
    evals_root: Path
    data_root: Path
    as_json: bool
    is_watching: bool
    """True to grade again whenever the eval, its kit or the answer's folder changes."""


def grade_answer(given: GradeOptions) -> int:
    """Grade an answer and show the verdict; return the exit code."""
    suite = discover(given.evals_root)
    choice = _find(suite, given)
    with open_grading(given, suite) as grading:
        code = _grade_and_show(grading, choice, given)
        if given.is_watching:
            code = _watch(grading, choice, given, code)
    return code


@dataclass(frozen=True, slots=True)
class _Choice:
    """The answer that the options name, with its eval and the tests to run."""

    evaluation: Eval
    answer: AnswerToGrade
    selection: SelectedTests


def _find(suite: Suite, given: GradeOptions) -> _Choice:
    evaluation = find_eval(suite, given.evaluation)
    only = open_source(evaluation).select_tests(given.tests)
    answer = _find_answer(evaluation, given)
    return _Choice(evaluation, answer, SelectedTests(only=only, with_output=True))


def _watch(grading: GradingService, choice: _Choice, given: GradeOptions, last_code: int) -> int:
    """Grade again after each change, until Ctrl-C; return the exit code of the last verdict."""
    folders = [
        choice.evaluation.folder,
        *([kit] if (kit := choice.evaluation.kind.kit) else []),
    ]
    if Path(given.answer).is_dir():
        folders.append(Path(given.answer))
    say(f"Watching {', '.join(map(str, folders))} (Ctrl-C ends it)", err=True)
    for _ in watch(*folders, watch_filter=_WrittenByHand(), raise_interrupt=False):
        try:
            choice = _find(discover(given.evals_root), given)
        except (RunnerError, OSError) as error:
            say(make_one_line(str(error)), err=True)
            continue
        last_code = _grade_and_show(grading, choice, given)
        say("Watching (Ctrl-C ends it)", err=True)
    return last_code


class _WrittenByHand(DefaultFilter):
    """A filter of file changes that drops files made by tools."""

    def __call__(self, change: Change, path: str) -> bool:
        """Return whether a change counts."""
        return super().__call__(change, path) and "_generated" not in Path(path).parts


def _grade_and_show(grading: GradingService, choice: _Choice, given: GradeOptions) -> int:
    evaluation, answer = choice.evaluation, choice.answer
    submission = Submission(evaluation, choice.selection, reply=answer.reply, files=answer.files)
    verdict = grading.judge(submission)
    lines = _describe_verdict(evaluation, answer, verdict, given)
    say_result(_verdict_as_json(evaluation, answer, verdict), lines, as_json=given.as_json)
    codes = {Outcome.PASSED: DONE, Outcome.FAILED: CHECK_FAILED}
    return codes.get(verdict.outcome, INFRASTRUCTURE)


def _find_answer(evaluation: Eval, given: GradeOptions) -> AnswerToGrade:
    """Return the answer that the options name; that of an attempt is in the archive of its run.

    Raises:
        MissingRecordError: there is no such run or attempt, or its answer is not archived.
        AmbiguousRunError: several runs have such an id.
        InvalidRecordError: the record or the archive is damaged.
    """
    match = _ATTEMPT.fullmatch(given.answer)
    if match is None:
        return read_answer(evaluation, given.answer)
    stored, sample = find_run(DataFolder(given.data_root), match[1]), int(match[2])
    run, name = stored.read(), evaluation.name
    attempts = {attempt.sample: attempt for attempt in run.attempts if attempt.eval == name}
    attempt = attempts.get(sample)
    if attempt is None:
        samples = ", ".join(map(str, attempts))
        hint = f"it has sample {samples}" if samples else "it has no attempt at this eval"
        raise MissingRecordError(f"run {run.run_id[:8]}: no sample {sample} of {name}: {hint}")
    title = f"{run.model.slug} {run.experiment.name} {run.run_id[:8]} sample {sample}"
    if attempt.artifact is None:
        raise MissingRecordError(f"{title}: nothing was kept of its answer to {name}")
    with Archive(stored.folder.get_artifact_file(run.model.slug, run.run_id)) as archive:
        artifact = archive.read(name, sample)
    if not StoredAnswer(attempt, artifact, artifact.reply or "").is_intact:
        say(f"{title}: the archive does not hold the answer that the record names", err=True)
    return AnswerToGrade(title, artifact.files, reply=artifact.reply, recorded=attempt)


# --- Lines for a person ------------------------------------------------------------------------


def _describe_verdict(
    evaluation: Eval, answer: AnswerToGrade, verdict: GradingResult, given: GradeOptions
) -> Iterator[str]:
    yield f"{evaluation.name}: {answer.title}"
    if answer.expected:
        yield f"calibration: {answer.expected}"
    if answer.recorded:
        attempt = answer.recorded
        yield f"record: {_describe_outcome(attempt.outcome, attempt.failed_step, attempt.reason)}"
    for step in verdict.steps:
        message = f"  {make_one_line(step.message, 200)}" if step.message else ""
        yield f"{step.outcome:<14} {step.name:<10} {_format_seconds(step.duration_s)}{message}"
        log = verdict.logs.get(step.name.value)
        # Each test is shown below with its own message. If no test has run, the log has the reason.
        judged = step.name.value == "tests" and step.outcome is not Outcome.INFRASTRUCTURE
        if log and not judged and (given.everything or step.outcome is not Outcome.PASSED):
            yield from _quote_text("log", log)
    if verdict.tests:
        yield f"tests (limit {evaluation.config.limits.tests_s:g} s for all):"
    if verdict.printed and (given.everything or verdict.outcome is not Outcome.PASSED):
        yield from _quote_text(evaluation.kind.output_name, verdict.printed, _LONGEST_OUTPUT)
    for test in verdict.tests or ():
        yield from _describe_test(test, verdict.outputs.get(test.name), everything=given.everything)
    if verdict.control is not None:
        yield f"grading broke; the reference, graded beside it: {verdict.control}"
    chosen = " (only the tests with -k ran)" if given.tests else ""
    yield _describe_outcome(verdict.outcome, verdict.failed_step, verdict.reason) + chosen


def _describe_test(test: Test, output: TestOutput | None, *, everything: bool) -> Iterator[str]:
    title = f"  {make_one_line(test.title, 200)}" if test.title != test.name else ""
    yield f"  {test.outcome:<14} {test.name} {_format_seconds(test.duration_s)}{title}"
    if test.message:
        yield from _quote_text("message", test.message)
    if output is None or not (everything or test.outcome is not Outcome.PASSED):
        return
    if output.printed:
        yield from _quote_text("printed", output.printed)
    if output.logged:
        yield from _quote_text("functions logged", "\n".join(output.logged))
    elif output.logged is None:
        yield "    functions logged: this backend does not report it"


def _quote_text(name: str, text: str, longest: int = _LONGEST_TEXT) -> Iterator[str]:
    """Yield a name, then the lines of a text from outside, which get a mark at their start."""
    yield f"    {name}:"
    cut = len(text) > longest
    for line in text[:longest].rstrip().splitlines():
        yield f"    | {line}"
    if cut:
        yield f"    ({len(text) - longest:,} characters more: --json has them)"


def _format_seconds(duration_s: float | None) -> str:
    return "     -  " if duration_s is None else f"{duration_s:6.2f} s"


def _describe_outcome(outcome: Outcome, step: str | None, reason: str | None) -> str:
    at = f" at {step}" if step else ""
    return f"{outcome}{at}" + (f": {make_one_line(reason)}" if reason else "")


# --- JSON for machines ---------------------------------------------------------------------------


def _verdict_as_json(
    evaluation: Eval, answer: AnswerToGrade, verdict: GradingResult
) -> dict[str, object]:
    recorded = answer.recorded
    return {
        "eval": evaluation.name,
        "answer": answer.title,
        "expected": answer.expected,
        "recorded": recorded
        and {
            "outcome": recorded.outcome,
            "failed_step": recorded.failed_step,
            "reason": recorded.reason,
        },
        "outcome": verdict.outcome,
        "failed_step": verdict.failed_step,
        "reason": verdict.reason,
        "fault": verdict.fault and verdict.fault.model_dump(mode="json"),
        "control": verdict.control,
        "key": verdict.key.model_dump(mode="json"),
        "steps": [
            {**step.model_dump(mode="json"), "log": verdict.logs.get(step.name.value)}
            for step in verdict.steps
        ],
        "tests_limit_s": evaluation.config.limits.tests_s,
        "printed": verdict.printed,
        "tests": None
        if verdict.tests is None
        else [
            {
                **test.model_dump(mode="json"),
                "printed": output and output.printed,
                "logged": output and output.logged,
            }
            for test in verdict.tests
            for output in (verdict.outputs.get(test.name),)
        ],
    }


@options.command(
    "leaderboard suite grade greenhouse_crons reference -v",
    "leaderboard suite grade greenhouse_crons jn7fgntk:1 -k test_",
    "leaderboard suite grade my_eval my-answer -v --watch --evals ../our-suite",
)
@click.argument("evaluation", metavar="EVAL")
@click.argument("answer")
@click.option(
    "-k",
    "tests",
    multiple=True,
    metavar="TEST",
    help="Only tests with this in their names; repeatable.",
)
@click.option("-v", "--verbose", "everything", is_flag=True, help="Show all output.")
@click.option(
    "--watch",
    "is_watching",
    is_flag=True,
    help="Grade again whenever the eval, its kit or ANSWER's folder changes.",
)
@options.backend_option
@options.sandbox_option
@options.workspaces_option
@options.evals_option
@options.new_record_options
def grade_command(**given: Any) -> int:  # noqa: ANN401 - as GradeOptions says
    """Grade one ANSWER to EVAL, and show each step and each test with its seconds.

    EVAL is a name such as 002-queries/009-text_search, or a regex that matches one name. ANSWER is
    a folder of files, a variant of calibration.toml (wrong_order, fail/wrong_order), reference,
    empty or stub, or an attempt as RUN:SAMPLE. If a folder has the name of a variant, write ./NAME
    for the folder.

    For failed tests, the grader's prints and the lines that functions logged are shown; with -v
    those of all tests, and the logs of all steps. For graders in TypeScript, vitest's own output is
    shown. Nothing is recorded. Ends with 0 if the answer passes, with 1 if it fails, and with 3 if
    infrastructure prevented a verdict.
    """
    if given["is_watching"] and given["as_json"]:
        raise click.UsageError("--watch prints for people: leave out --json")
    return grade_answer(GradeOptions(**given, graders=1))
