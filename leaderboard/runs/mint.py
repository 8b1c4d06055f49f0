"""The work of `leaderboard suite mint`: a version is minted, and published runs move to it."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from leaderboard.runs.regrade import build_grading, format_title, say_reports
from leaderboard.terminal.streams import ExitCode, ask, is_json, say, say_aside, say_result
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_benchmarks
from records.shapes.attempt import JUDGED, Outcome
from records.shapes.base import compute_list_digest
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from records.text.numbers import format_count
from records.text.visible import make_one_line
from records.writer import write_record
from runner.errors import ToolchainMissingError
from runner.evals.discovery import Suite, discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import Graders, describe_verdict
from runner.runs import regrade
from runner.runs.launch import open_graders
from runner.suite.check import check_graders
from runner.suite.mint import mint, write_tool_marks
from runner.suite.vitest_tests import write_description

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MintOptions(GradingSettings):
    """The options of `leaderboard suite mint`, a field for each."""

    evals_root: Path
    data: DataFolder
    why: str | None
    """The reason for changed verdicts, which records keep."""
    agreed: bool


def mint_suite(options: MintOptions) -> int:
    """Mint the version of a suite, and move published runs of the version before to it.

    Their answers are graded again first, in copies, and all that would change is printed. If a row
    changes, nothing is written without consent.
    """
    data, suite = options.data, discover(options.evals_root)
    published = {each.version: each for each in map(read_benchmark, data.benchmarks.list_files())}
    if not published:
        tools = None
        with suppress(ToolchainMissingError):  # a suite is named before its tools are installed
            tools = build_grading(suite, options).compute_tools_digest()
        return _say_minted(options, suite, mint(suite, data, toolchain=tools))
    grading = build_grading(suite, options)
    now, tools = grading.version, grading.compute_tools_digest()
    minted = published.get(now.version)
    # The version whose runs move: today's if it was minted with other tools, else the one before,
    # some of whose runs a killed command may have left.
    before = minted
    if minted is None:
        earlier = [
            (each.minted_at, each.version)
            for each in published.values()
            if each.minted_at and each.source is None and now.evals.keys() & each.evals.keys()
        ]
        before = published[max(earlier)[1]] if earlier else None
    elif minted.toolchain == tools:
        before = published.get(minted.follows or "")
    if before is None:
        return _say_minted(options, suite, minted or mint(suite, data, toolchain=tools))
    moving, left = regrade.plan_moves(data, read_benchmarks(data), before, grading)
    if minted and before != minted and not moving:
        return _say_minted(options, suite, minted)
    return _move_runs(options, suite, grading, (before, minted), (moving, left))


def _move_runs(
    options: MintOptions,
    suite: Suite,
    grading: regrade.Grading,
    versions: tuple[Benchmark, Benchmark | None],
    plan: tuple[Sequence[regrade.Move], Sequence[tuple[Run, str]]],
) -> int:
    """Grade copies of the runs that move, show what changes, and write it with consent.

    ``versions`` are the version before, and today's if it was minted; ``plan`` has the runs that
    move, and those that stay with the reasons.
    """
    data = options.data
    (before, minted), (moving, left) = versions, plan
    now, tools = grading.version, grading.compute_tools_digest()
    both = sorted(before.evals.keys() & now.evals.keys())
    prompt, judge = Benchmark.compute_prompt_digest, Benchmark.compute_judge_digest
    differences = {
        "another question": [name for name in both if prompt(before, name) != prompt(now, name)],
        "another judge": [name for name in both if judge(before, name) != judge(now, name)],
        "new": sorted(now.evals.keys() - before.evals.keys()),
        "gone": sorted(before.evals.keys() - now.evals.keys()),
    }
    changes = {name: evals for name, evals in differences.items() if evals}
    for name, evals in changes.items():
        more = f" and {len(evals) - _MOST_NAMED} more" if len(evals) > _MOST_NAMED else ""
        say_aside(f"{name} ({len(evals)}): {', '.join(evals[:_MOST_NAMED])}{more}")
    judged_alike = set(both).difference(differences["another judge"])
    proven = before.toolchain == tools
    is_checked = proven or (minted is not None and minted.toolchain == tools)
    graded: list[tuple[Run, list[regrade.ChangedVerdict]]] = []
    if moving or not is_checked:
        with open_graders(options, suite, partial(say, err=is_json())) as graders:
            if not is_checked and not _is_proven(suite, judged_alike, graders):
                return ExitCode.CHECK_FAILED
            for move in moving:
                run, results = regrade.grade_copy(data, move, graders, grading, proven=proven)
                say_aside(
                    f"{format_title(run)}: {len(results)} of {len(run.attempts)} graded again"
                )
                for each in results:
                    if each.fault is not None and each.before in JUDGED:
                        fault = make_one_line(each.fault)
                        say_aside(f"{each.attempt.eval} sample {each.attempt.sample}: {fault}")
                        say_aside(
                            "nothing was changed: it has no verdict; the same command goes on"
                        )
                        return ExitCode.INFRASTRUCTURE
                graded.append((run, [*regrade.list_changed_verdicts(move.run, run)]))
    marks = {
        attempt.eval: compute_list_digest(attempt.key.grader, attempt.key.toolchain)
        for _, changed in graded
        for attempt in (verdict.after for verdict in changed)
        if attempt.key and attempt.eval in judged_alike
    }
    if before == minted and not marks:
        regrade.remove_copies(data)
        write_record(data.benchmarks, before.model_copy(update={"toolchain": tools}))
        say_aside(
            "the emulator or a tool is another one, and no verdict changes: the version stays"
        )
        return _say_minted(options, suite, before)
    rows = [
        _show_row(move.run, run, changed, now)
        for move, (run, changed) in zip(moving, graded, strict=True)
    ]
    for run, why in left:
        say_aside(f"{format_title(run)}: stays in {before.version}: {why}")
    if rows or left:
        ask("Mint this version and move these runs?", agreed=options.agreed)
    if marks:
        write_tool_marks(suite, marks)
    benchmark = mint(suite, data, follows=before.version, toolchain=tools)
    regrade.write_moves(data, moving, benchmark.version, options.why)
    for move in moving:
        say_reports(data, move.run)
    stays = [{"run_id": run.run_id, "why": why} for run, why in left]
    return _say_minted(options, suite, benchmark, changes=changes, rows=rows, left=stays)


def _show_row(
    run: Run,
    moved: Run,
    changed: Sequence[regrade.ChangedVerdict],
    now: Benchmark,
) -> dict[str, object]:
    """Print the row that a run gets in the version ``now``, and return it for machines."""
    passed = {attempt.place for attempt in run.attempts if attempt.outcome is Outcome.PASSED}
    before = sum(attempt.place in passed for attempt in moved.attempts)
    after = moved.passed
    evals = f"{len(moved.planned)} of {format_count(len(now.evals), 'eval')}"
    say_aside(f"{format_title(run)}: {evals}, {before} passed before, {after} now")
    verdicts: list[dict[str, object]] = []
    for old, new in changed:
        then, today = describe_verdict(old), describe_verdict(new)
        words = make_one_line(f"{then} before, {today} now")
        say_aside(f"  {new.eval} sample {new.sample}: {words}")
        verdicts.append({"eval": new.eval, "sample": new.sample, "before": then, "now": today})
    return {
        "run_id": run.run_id,
        "evals": len(moved.planned),
        "passed_before": before,
        "passed": after,
        "changed": verdicts,
    }


def _is_proven(suite: Suite, judged_alike: Collection[str], graders: Graders) -> bool:
    """Grade the known answers of evals that should judge as before; return whether all are right.

    These are the evals for which only the emulator and the tools may have changed.
    """
    evals = [evaluation for evaluation in suite.evals if evaluation.name in judged_alike]
    say_aside(f"the emulator or a tool is another one: checking {format_count(len(evals), 'eval')}")
    wrong = [proof for proof in check_graders(evals, graders, times=1) if proof.problems]
    for proof in wrong:
        say_aside(f"WRONG {proof.evaluation} {proof.name}: {'; '.join(proof.problems)}")
    if wrong:
        say_aside(
            "nothing was changed: mend the graders or the tools; leaderboard suite check --once"
        )
    return not wrong


def _say_minted(options: MintOptions, suite: Suite, benchmark: Benchmark, **more: object) -> int:
    if suite.kind.is_of_others:
        write_description(suite, benchmark.version, options.data)
    file = options.data.benchmarks.get_file(benchmark.version)
    row = {"version": benchmark.version, "title": benchmark.title, "file": str(file), **more}
    lines = [f"{benchmark.version}  {benchmark.title}", file]
    say_result(row, lines)
    return ExitCode.DONE
