"""The verdict of a grader in TypeScript, by vitest's report and a judge's decisions."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple, Protocol

from pydantic import BaseModel

from records.shapes.attempt import Fault, FaultClass, Outcome, Test
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER
from runner.grading.steps.step import StepClock, StepResult, with_more

_MISSING_FUNCTION = re.compile(
    r"function for '(_system/[^']{1,200})': the embedded backend has no such system function"
)
_LOCK_FILES = frozenset(
    {
        *("bun.lock", "deno.lock", "npm-shrinkwrap.json", "package-lock.json"),
        *("pnpm-lock.yaml", "yarn.lock"),
    }
)
"""Files of package managers, which can be longer than the rest of an answer: a judge would cost
more, and learn nothing."""
_SHARED_PROCESS = re.compile(r"(graders and answers share no process: [^\n]{1,300})")
"""The beginning of the errors of ``fixtures/vitest/refusals.mjs``."""
_MISSING_HOST = re.compile(r"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+)")


class JudgeQuestion(NamedTuple):
    """A question to a judge: is this answer to the task right?"""

    task: str
    files: Mapping[str, str]
    """The answer's text by path."""
    title: str
    """The title of the test, which may narrow the question."""


class Judgement(NamedTuple):
    """A judge's verdict on an answer."""

    is_right: bool
    reason: str
    """The reason in the judge's words."""
    cost_usd: float | None
    """The cost in US dollars; None if unknown."""


class Judge(Protocol):
    """A model that decides whether answers are right."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def ask(self, question: JudgeQuestion) -> Judgement | Fault:
        """Return the judge's verdict on an answer; a fault if it gave none."""
        ...


class RanTest(BaseModel):
    """A test in vitest's report."""

    name: str
    state: Literal["passed", "failed", "skipped", "pending"]
    seconds: float
    message: str | None
    isJudged: bool  # noqa: N815 - as JavaScript names it
    """True if a judge model decides the test."""


class VitestReport(BaseModel):
    """vitest's report on a grader."""

    timedOut: bool  # noqa: N815 - as JavaScript names it
    tests: tuple[RanTest, ...]
    hookErrors: tuple[str, ...]  # noqa: N815
    """Errors of hooks, and of promises that no code awaited."""
    loadErrors: tuple[str, ...]  # noqa: N815
    """Errors of a grader that could not be loaded."""
    printed: str
    """The lines that vitest prints for people; empty if not requested."""


def judge_report(
    clock: StepClock,
    report: VitestReport,
    evaluation: Eval,
    files: Mapping[str, str],
    judge: Judge | None,
) -> StepResult:
    """Return the verdict on an answer with ``files``, by their paths.

    The judge is asked only if all other tests have passed; None if no model is asked.
    """
    problem = _find_problem(report, evaluation.config.limits.tests_s)
    has_failed = any(test.state == "failed" for test in report.tests)
    fault = None
    if judge is not None and not problem and not report.hookErrors and not has_failed:
        report, fault = _ask_judge(report, evaluation, files, judge)
    ran = [test for test in report.tests if test.state in {"passed", "failed"}]
    log = "\n".join([*map(_describe, report.tests), *report.loadErrors, *report.hookErrors])
    if not problem and not ran and not report.hookErrors:
        problem = f"all {len(report.tests)} tests are skipped"
        if any(test.isJudged for test in report.tests):
            problem = f"{GRADER} leaves the verdict to a judge model, and none is configured"
    if fault is not None:
        evidence = f"the judge gave no verdict: {fault.evidence}"
        step = replace(clock.report_fault(fault.kind, evidence), is_unsupported=True)
    elif problem:
        step = clock.report_fault(FaultClass.GRADER, problem, log)
    elif failed := [test for test in ran if test.state == "failed"]:
        first = f"{failed[0].name}: {failed[0].message or 'failed'}"
        step = clock.fail_step(with_more(first, len(failed), "failed test"), log)
    elif report.hookErrors:
        step = clock.fail_step(f"outside of the tests: {report.hookErrors[0]}", log)
    else:
        unjudged = sum(test.isJudged and test.state == "skipped" for test in report.tests)
        skipped = len(report.tests) - len(ran) - unjudged
        more = f", {skipped} skipped" if skipped else ""
        more += f", {unjudged} not judged: no judge is configured" if unjudged else ""
        step = clock.pass_step(f"all {len(ran)} tests passed{more}", log)
    return replace(step, tests=tuple(map(_make_test, ran)), printed=report.printed)


def _describe(test: RanTest) -> str:
    line = f"{test.state:<8} {test.name}"
    if test.isJudged and test.state == "skipped":
        line += ": not judged, no judge is configured"
    return f"{line}: {test.message}" if test.isJudged and test.message else line


def _ask_judge(
    report: VitestReport, evaluation: Eval, files: Mapping[str, str], judge: Judge
) -> tuple[VitestReport, Fault | None]:
    """Ask the judge about the tests that a model decides.

    Returns the report with the judge's verdicts; the fault if a test got no verdict, else None.
    """
    tests = list(report.tests)
    files = {path: text for path, text in files.items() if path not in _LOCK_FILES}
    for number, test in enumerate(tests):
        if not test.isJudged or test.state != "skipped":
            continue
        judgement = judge.ask(JudgeQuestion(evaluation.task, files, test.name))
        if isinstance(judgement, Fault):
            return report, judgement
        cost = "" if judgement.cost_usd is None else f", ${judgement.cost_usd:.4f}"
        message = f"{judgement.reason} ({judge.name}{cost})"
        state = "passed" if judgement.is_right else "failed"
        tests[number] = test.model_copy(update={"state": state, "message": message})
    return report.model_copy(update={"tests": tuple(tests)}), None


def _find_problem(report: VitestReport, limit_s: float) -> str | None:
    """Return the reason why a report has no verdict on the answer; None if it has a verdict."""
    if report.timedOut:
        return f"the grader did not end within {limit_s:g} s"
    if function := _search(report, _MISSING_FUNCTION):
        return f"the grader calls {function}: the embedded backend has no such system function"
    if refusal := _search(report, _SHARED_PROCESS):
        return refusal
    if host := _search(report, _MISSING_HOST):
        return f"the grader asks for {host}: it has no network but the deployments'"
    if report.loadErrors:
        return f"{GRADER} cannot be loaded: {report.loadErrors[0]}"
    return None if report.tests else f"{GRADER} has no test"


def _make_test(ran: RanTest) -> Test:
    return Test(
        name=ran.name,
        title=ran.name,
        outcome=Outcome.PASSED if ran.state == "passed" else Outcome.FAILED,
        duration_s=round(max(ran.seconds, 0), 4),
        message=ran.message if ran.state == "failed" else None,
    )


def _search(report: VitestReport, pattern: re.Pattern[str]) -> str | None:
    """Return the first group of ``pattern`` in the first error that matches it, or None."""
    messages = (
        *(test.message or "" for test in report.tests),
        *report.loadErrors,
        *report.hookErrors,
    )
    return next((match[1] for text in messages if (match := pattern.search(text))), None)
