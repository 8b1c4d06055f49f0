"""The commands `leaderboard suite check`, `mutate` and `grade`: do graders judge rightly?"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from leaderboard import options
from leaderboard.git import find_changed_evals
from leaderboard.project import build_suite_option
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, is_json, say, say_result
from records.archives.archive import Archive, find_contradiction
from records.errors import MissingRecordError
from records.files.data_folder import DataFolder
from records.runs.run_lookup import find_run
from records.shapes.attempt import Outcome, Test
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.errors import RunnerError
from runner.evals.discovery import Eval, Suite, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, Submission, describe_verdict
from runner.grading.worker.protocol import SelectedTests, TestOutput
from runner.runs.launch import open_graders, open_grading
from runner.suite.check import AnswerToGrade, Proof, check_graders, find_eval, read_answer
from runner.suite.lint import list_orphan_sections, select_tests
from runner.suite.mutate.mutant_grading import LIMIT, SEED, Fate, Trial, try_eval


@options.command(
    "leaderboard suite check --once -c 002-queries",
    "leaderboard suite check --shuffle 7",
)
@options.eval_options
@click.option("--once", is_flag=True, help="Grade each answer once instead of twice.")
@click.option(
    "--shuffle", "seed", type=int, default=1, show_default=True, help="The seed of the order."
)
@options.since_option
@options.grading_options
@options.evals_option
@options.json_option
def check_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    once: bool,
    seed: int,
    since: str | None,
    evals_root: Path,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade all known answers: the reference, baselines, right and wrong variants.

    Ends with 1 if a verdict is wrong, and with 3 if infrastructure prevented a verdict.
    """
    suite = discover(evals_root)
    # Sections that no eval exercises are known only if the whole suite is checked.
    unused = [] if pattern or categories or levels or since else list_orphan_sections(suite)
    if unused:
        say(f"guidelines.md: no eval exercises {', '.join(unused)}", err=True)
    evals = suite.select(pattern, categories, levels)
    if since is not None:
        changed = find_changed_evals(suite, since)
        evals = tuple(candidate for candidate in evals if candidate.name in changed)
        if not evals:
            say_result([], [f"no eval changed since {since}"])
            return ExitCode.DONE
    limits = {evaluation.name: evaluation.config.limits.tests_s for evaluation in evals}
    settings = GradingSettings(**grading_settings)

    def say_proof(proof: Proof, number: str) -> None:
        if proof.is_left_out:
            return
        line = f"[{number}] {'ok   ' if proof.holds else 'WRONG'} {proof.evaluation} {proof.name}"
        if proof.name == "reference" and proof.tests_s is not None:
            line += f", tests {proof.tests_s:.1f} s of {limits[proof.evaluation]:g} s"
        say(line)
        for problem in proof.problems:
            say(f"      {problem}")
        if proof.problems and proof.name.startswith(("pass/", "fail/")):
            say(f"      its diff: leaderboard suite show {proof.evaluation} {proof.name}")

    with open_graders(settings, suite, partial(say, err=True)) as graders:
        proofs = check_graders(
            evals,
            graders,
            times=1 if once else 2,
            seed=seed,
            on_proof=None if is_json() else say_proof,
        )
    rows = [
        {
            "eval": proof.evaluation,
            "answer": proof.name,
            "holds": proof.holds,
            "left_out": proof.is_left_out,
            "problems": list(proof.problems),
            "tests_s": proof.tests_s,
            "tests_limit_s": limits[proof.evaluation],
        }
        for proof in proofs
    ]
    right = sum(proof.holds for proof in proofs)
    left_out = sum(proof.is_left_out for proof in proofs)
    wrong = len(proofs) - right - left_out
    summary = f"{format_count(len(evals), 'eval')}: {format_count(right, 'verdict')} right"
    summary += f", {wrong} wrong"
    if left_out:
        answers = format_count(left_out, "answer")
        summary += f"; {answers} left out, since the reference of their eval does not pass"
    say_result(rows, [summary])
    if all(proof.holds for proof in proofs):
        if not (unused or not suite.kind.has_convex_answers):
            # The command that tests the graders of the same evals with mutants.
            changed_since = () if since is None else evals
            matching = "|".join(evaluation.name for evaluation in changed_since) or pattern
            chosen = [] if matching is None else ["-f", matching]
            if not changed_since:
                chosen += [word for category in categories for word in ("-c", category)]
                chosen += [word for level in levels for word in ("--level", level)]
            of_suite = build_suite_option(evals_root)
            say_next([format_command_line("suite", "mutate", *chosen, *of_suite)])
        return ExitCode.CHECK_FAILED if unused else ExitCode.DONE
    return (
        ExitCode.INFRASTRUCTURE
        if any(proof.is_infrastructure for proof in proofs)
        else ExitCode.CHECK_FAILED
    )


_TARGET = 0.85


@options.command(
    "leaderboard suite mutate -f crons --all",
)
@options.eval_options
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=LIMIT,
    show_default=True,
    help="Mutants of each eval, chosen by turns among the operators.",
)
@click.option("--all", "everything", is_flag=True, help="All mutants of each eval.")
@click.option("--seed", type=int, default=SEED, show_default=True, help="The seed of the choice.")
@options.local_grading_options
@options.evals_option
@options.json_option
def mutate_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    pattern: str | None,
    categories: Sequence[str],
    levels: Sequence[str],
    limit: int,
    everything: bool,
    seed: int,
    evals_root: Path,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade references with a small fault (mutants), and list those that pass: the survivors.

    A survivor needs a new test, or an explanation in calibration/survivors.toml. Ends with 1 if a
    survivor has no explanation, or an explanation has no survivor.
    """
    suite = discover(evals_root)
    evals = suite.select(pattern, categories, levels)
    with open_grading(GradingSettings(**grading_settings), suite) as grading:
        trials: list[Trial] = []
        for evaluation in evals:
            most = None if everything else limit
            trial = try_eval(evaluation, grading, most=most, seed=seed)
            trials.append(trial)
            if not is_json():
                counts = ", ".join(
                    f"{trial.count(fate)} {fate}" for fate in Fate if trial.count(fate)
                )
                scored = _format_score(trial.score)
                say(f"{scored} {trial.evaluation}: {counts} (of {trial.of} mutants)")
                for tried_mutant in trial.tried:
                    if tried_mutant.fate in {Fate.SURVIVED, Fate.UNJUDGED}:
                        say(f"      {tried_mutant.fate}: {tried_mutant.mutant}")
                for explanation in trial.needless:
                    say(f"      survivors.toml: is killed now: {explanation}")
                for explanation in trial.stale:
                    say(f"      survivors.toml: there is no such mutant: {explanation}")
    killed = sum(trial.count(Fate.KILLED) for trial in trials)
    changing = sum(trial.changing for trial in trials)
    score = killed / changing if changing else None
    evals_count = format_count(len(trials), "eval")
    counts = f"{killed} of {changing} mutants killed"
    say_result(
        [
            {
                "eval": trial.evaluation,
                "mutants": trial.of,
                "score": trial.score,
                "tried": [
                    {
                        "operator": tried_mutant.mutant.operator,
                        "file": tried_mutant.mutant.path,
                        "function": tried_mutant.mutant.function,
                        "line": tried_mutant.mutant.line,
                        "text": tried_mutant.mutant.before,
                        "change": tried_mutant.mutant.change,
                        "fate": tried_mutant.fate,
                        "step": tried_mutant.step,
                    }
                    for tried_mutant in trial.tried
                ],
                "stale": [str(explanation) for explanation in trial.stale],
                "needless": [str(explanation) for explanation in trial.needless],
            }
            for trial in trials
        ],
        [f"{_format_score(score)} {evals_count}: {counts} ({_TARGET:.0%} wanted)"],
    )
    open_count = sum(trial.count(Fate.SURVIVED) + trial.count(Fate.UNJUDGED) for trial in trials)
    is_settled = not open_count and not any(trial.stale or trial.needless for trial in trials)
    return ExitCode.DONE if is_settled else ExitCode.CHECK_FAILED


def _format_score(score: float | None) -> str:
    return "   - " if score is None else f"{score:4.0%} "


_ATTEMPT = re.compile(r"([0-9a-z]{1,40}):([1-9][0-9]{0,5})")
_LONGEST_OUTPUT = 100_000
"""The most characters that are shown of the output of a whole grader."""
_LONGEST_TEXT = 4000
"""The most characters that are shown of each print, log and message; `--json` has them whole."""


def _find_answer(evaluation: Eval, answer: str, data: DataFolder) -> AnswerToGrade:
    """Return the answer that the options name; that of an attempt is in the archive of its run.

    Raises:
        MissingRecordError: there is no such run or attempt, or its answer is not archived.
        AmbiguousRunError: several runs have such an id.
        InvalidRecordError: the record or the archive is damaged.
    """
    match = _ATTEMPT.fullmatch(answer)
    if match is None:
        return read_answer(evaluation, answer)
    stored, sample = find_run(data, match[1]), int(match[2])
    run, name = stored.read(), evaluation.name
    attempts = {attempt.sample: attempt for attempt in run.attempts if attempt.eval == name}
    attempt = attempts.get(sample)
    if attempt is None:
        samples = ", ".join(map(str, attempts))
        hint = f"it has sample {samples}" if samples else "it has no attempt at this eval"
        raise MissingRecordError(f"run {run.short_id}: no sample {sample} of {name}: {hint}")
    title = f"{run.model.slug} {run.experiment.name} {run.short_id} sample {sample}"
    if attempt.artifact is None:
        raise MissingRecordError(f"{title}: nothing was kept of its answer to {name}")
    with Archive(stored.folder.get_artifact_file(*run.key)) as archive:
        artifact = archive.read(name, sample)
    if find_contradiction(attempt, artifact) is not None:
        say(f"{title}: the archive does not hold the answer that the record names", err=True)
    return AnswerToGrade(title, artifact.files, reply=artifact.reply, recorded=attempt)


def _describe_verdict(
    evaluation: Eval, answer: AnswerToGrade, verdict: GradingResult, *, everything: bool
) -> Iterator[str]:
    yield f"{evaluation.name}: {answer.title}"
    if answer.expected:
        yield f"calibration: {answer.expected}"
    if answer.recorded:
        yield f"record: {make_one_line(describe_verdict(answer.recorded))}"
    for step in verdict.steps:
        message = f"  {make_one_line(step.message, 200)}" if step.message else ""
        yield f"{step.outcome:<14} {step.name:<10} {_format_seconds(step.duration_s)}{message}"
        log = verdict.logs.get(step.name)
        # Each test is shown below with its own message. If no test has run, the log has the reason.
        judged = step.name == "tests" and step.outcome is not Outcome.INFRASTRUCTURE
        if log and not judged and (everything or step.outcome is not Outcome.PASSED):
            yield from _quote_text("log", log)
    if verdict.tests:
        yield f"tests (limit {evaluation.config.limits.tests_s:g} s for all):"
    if verdict.printed and (everything or verdict.outcome is not Outcome.PASSED):
        yield from _quote_text(evaluation.kind.output_name, verdict.printed, _LONGEST_OUTPUT)
    for test in verdict.tests or ():
        yield from _describe_test(test, verdict.outputs.get(test.name), everything=everything)
    if verdict.control is not None:
        yield f"grading broke; the reference, graded beside it: {verdict.control}"
    yield make_one_line(describe_verdict(verdict))


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
def grade_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    evaluation: str,
    answer: str,
    tests: Sequence[str],
    everything: bool,
    is_watching: bool,
    evals_root: Path,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
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
    if is_watching and is_json():
        raise click.UsageError("--watch prints for people: leave out --json")

    def find(suite: Suite) -> tuple[Submission, AnswerToGrade]:
        found = find_eval(suite, evaluation)
        only = select_tests(found, tests)
        to_grade = _find_answer(found, answer, data)
        selection = SelectedTests(only=only, with_output=True)
        return Submission(found, selection, reply=to_grade.reply, files=to_grade.files), to_grade

    def grade(submission: Submission, to_grade: AnswerToGrade) -> int:
        verdict = grading.judge(submission)
        found = submission.evaluation
        *lines, outcome = _describe_verdict(found, to_grade, verdict, everything=everything)
        chosen = " (only the tests with -k ran)" if tests else ""
        values = {
            "eval": found.name,
            "answer": to_grade.title,
            "expected": to_grade.expected,
            "recorded": to_grade.recorded
            and to_grade.recorded.model_dump(
                mode="json", include={"outcome", "failed_step", "reason"}
            ),
            "outcome": verdict.outcome,
            "failed_step": verdict.failed_step,
            "reason": verdict.reason,
            "fault": verdict.fault and verdict.fault.model_dump(mode="json"),
            "control": verdict.control,
            "key": verdict.key.model_dump(mode="json"),
            "steps": [
                {**step.model_dump(mode="json"), "log": verdict.logs.get(step.name)}
                for step in verdict.steps
            ],
            "tests_limit_s": found.config.limits.tests_s,
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
        say_result(values, [*lines, f"{outcome}{chosen}"])
        codes = {Outcome.PASSED: ExitCode.DONE, Outcome.FAILED: ExitCode.CHECK_FAILED}
        return codes.get(verdict.outcome, ExitCode.INFRASTRUCTURE)

    suite = discover(evals_root)
    submission, to_grade = find(suite)
    with open_grading(GradingSettings(**given, graders=1), suite) as grading:
        code = grade(submission, to_grade)
        if not is_watching:
            return code
        kit = submission.evaluation.kind.kit
        folders = [submission.evaluation.folder, *([kit] if kit else [])]
        if Path(answer).is_dir():
            folders.append(Path(answer))
        say(f"Watching {', '.join(map(str, folders))} (Ctrl-C ends it)", err=True)
        # Imported here, because the package is of the extra `serve`, and checks need only `run`.
        from watchfiles import DefaultFilter, watch  # noqa: PLC0415

        by_hand = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, "_generated"))
        for _ in watch(*folders, watch_filter=by_hand, raise_interrupt=False):
            try:
                submission, to_grade = find(discover(evals_root))
            except (RunnerError, OSError) as error:
                say(make_one_line(str(error)), err=True)
                continue
            code = grade(submission, to_grade)
            say("Watching (Ctrl-C ends it)", err=True)
    return code
