"""The work of `leaderboard verify --backend local`: the verdicts of both backends on equal answers.

References, right and wrong variants and stored answers are graded over the emulator and over
Convex's own backend. An answer has no verdict if infrastructure ended one of its two gradings:
this is neither an agreement nor a difference.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from random import Random
from typing import Final

import numpy as np

from generator.scores.intervals import compute_wilson_bounds
from leaderboard.runs.regrade import RegradeOptions, select_answers
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE, INFRASTRUCTURE
from leaderboard.terminal.streams import say, say_result
from records.shapes.attempt import Outcome
from records.text.numbers import format_count
from records.text.visible import make_one_line
from runner.evals.discovery import Eval, discover
from runner.grading.grade import GradingResult, Submission
from runner.grading.worker.protocol import ALL_TESTS
from runner.runs.launch import open_graders
from runner.runs.regrade import describe_verdict
from runner.runs.settings import GradingSettings


class VerdictPair(StrEnum):
    """The verdicts of both backends on one answer."""

    AGREES = "agrees"
    FAILS_THERE = "passes here and fails there"
    """Here is the emulator, there is Convex's own backend."""
    PASSES_THERE = "fails here and passes there"
    INFRASTRUCTURE_THERE = "infrastructure there"
    INFRASTRUCTURE_HERE = "infrastructure here"


_DIFFERENCES: Final = (VerdictPair.FAILS_THERE, VerdictPair.PASSES_THERE)
_WITHOUT_VERDICT: Final = (VerdictPair.INFRASTRUCTURE_THERE, VerdictPair.INFRASTRUCTURE_HERE)


@dataclass(frozen=True, slots=True)
class _KnownAnswer:
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
    answers = list(_list_known_answers(evals))
    if options.runs or options.everything:
        answers += _list_stored_answers(options, pattern, evals)
    if sample is not None and sample < len(answers):
        dice = Random(seed)  # noqa: S311 - no secret
        answers = [answers[at] for at in sorted(dice.sample(range(len(answers)), sample))]

    def grade_all(settings: GradingSettings) -> list[GradingResult]:
        with open_graders(settings, suite, partial(say, err=True)) as graders:
            number = format_count(len(answers), "answer")
            say(f"grading {number} over the backend {settings.backend}", err=True)
            verdicts = [graders.submit(answer.submission) for answer in answers]
            return [verdict.result() for verdict in verdicts]

    # The real backend first, because it may be refused.
    there = grade_all(options)
    here = grade_all(replace(options, backend="embedded"))
    compared = list(map(_compare, here, there))
    rows = [
        {
            "eval": answer.submission.evaluation.name,
            "answer": answer.name,
            "result": result.value,
            "here": describe_verdict(emulated.outcome, emulated.failed_step, emulated.reason),
            "there": describe_verdict(real.outcome, real.failed_step, real.reason),
        }
        for answer, result, emulated, real in zip(answers, compared, here, there, strict=True)
    ]
    share = _build_share(compared)
    say_result({**share, "answers": rows}, _format(rows, share), as_json=options.as_json)
    if share["differ"]:
        return CHECK_FAILED
    return INFRASTRUCTURE if share["without_verdict"] else DONE


def _list_known_answers(evals: Sequence[Eval]) -> Iterator[_KnownAnswer]:
    """Yield references and variants; baselines fail on each backend, and would show nothing."""
    for evaluation in evals:
        yield _KnownAnswer("reference", Submission(evaluation, ALL_TESTS))
        for variant in evaluation.load_calibrations():
            submission = Submission(evaluation, ALL_TESTS, files=variant.files)
            yield _KnownAnswer(f"{variant.kind}/{variant.name}", submission)


def _list_stored_answers(
    options: RegradeOptions, pattern: str | None, evals: Sequence[Eval]
) -> Iterator[_KnownAnswer]:
    """Yield each reply of the runs once, if its archive is intact and the suite has its eval."""
    eval_by_name = {evaluation.name: evaluation for evaluation in evals}
    listed: set[tuple[str, str]] = set()
    for run, answer in select_answers(options.read_runs(), pattern):
        name, title = answer.attempt.eval, f"{run.run_id[:8]} sample {answer.attempt.sample}"
        if not answer.is_intact or name not in eval_by_name:
            reason = "no such eval is here" if answer.is_intact else "its archive was changed"
            say(f"{name} {title} is left out: {reason}", err=True)
        elif (name, answer.reply) not in listed:
            listed.add((name, answer.reply))
            submission = Submission(eval_by_name[name], ALL_TESTS, reply=answer.reply)
            yield _KnownAnswer(title, submission)


def _compare(here: GradingResult, there: GradingResult) -> VerdictPair:
    if there.outcome is Outcome.INFRASTRUCTURE:
        return VerdictPair.INFRASTRUCTURE_THERE
    if here.outcome is Outcome.INFRASTRUCTURE:
        return VerdictPair.INFRASTRUCTURE_HERE
    if here.outcome is there.outcome:
        return VerdictPair.AGREES
    passes_here = here.outcome is Outcome.PASSED
    return VerdictPair.FAILS_THERE if passes_here else VerdictPair.PASSES_THERE


def _build_share(compared: Sequence[VerdictPair]) -> dict[str, int | float | None]:
    """Return the numbers of answers, and the share that agrees with Wilson's 95% interval."""
    agree = compared.count(VerdictPair.AGREES)
    differ = sum(map(compared.count, _DIFFERENCES))
    verdicts = agree + differ
    share = agree / verdicts if verdicts else None
    interval = None
    if share is not None:
        interval = compute_wilson_bounds(np.array(share), np.array(float(verdicts))).to_interval()
    return {
        "agree": agree,
        "differ": differ,
        "without_verdict": len(compared) - verdicts,
        "share": share,
        "low": interval and interval.low,
        "high": interval and interval.high,
    }


def _format(rows: Sequence[dict[str, str]], share: dict[str, int | float | None]) -> Iterator[str]:
    """Yield the lines for people: the differences, one direction after the other, and the share."""
    for result in (*_DIFFERENCES, *_WITHOUT_VERDICT):
        matching = [row for row in rows if row["result"] == result]
        if matching:
            yield f"{result} ({len(matching)}):"
        for row in matching:
            verdicts = f"here: {row['here']}; there: {row['there']}"
            yield "  " + make_one_line(f"{row['eval']} {row['answer']}: {verdicts}")
    counts = f"{share['agree']} agree, {share['differ']} differ, {share['without_verdict']} without"
    yield f"{format_count(len(rows), 'answer')}: {counts} a verdict on both backends"
    if share["share"] is not None:
        bounds = f"95% interval {share['low']:.1%} to {share['high']:.1%}"
        yield f"{share['share']:.1%} of the verdicts agree ({bounds})"
