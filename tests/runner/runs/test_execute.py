"""An error in an attempt costs that attempt alone."""

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from records.files.data_folder import DataFolder
from records.shapes.attempt import FaultClass, Outcome
from records.shapes.run import Run
from runner.evals.discovery import discover
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import Graders, GradingResult, GradingService, Submission
from runner.models.costs import Budget
from runner.runs import execute
from runner.runs.plan import RunSettings
from runner.runs.progress.watcher import Lines
from tests.runner.conftest import write_prose_suite
from tests.runner.growing_graders import GROWN, SUBMISSIONS, GrowingGraders
from tests.runner.models.asking import ask_at, make_model, make_provider
from tests.runner.models.conftest import LITELLM_WARNS
from tests.runner.models.provider import Step
from tests.runner.runs.planned import begin_run, plan_run
from tests.runner.small_eval import SUITE

pytestmark = pytest.mark.integration


class _Clumsy(GradingService):
    """Another service's verdicts, but an error for one eval, and unwritable files for another."""

    calls: ClassVar[Mapping[str, str]] = {"001": "raises", "002": "cannot be written"}

    def __init__(self, grading: GradingService) -> None:
        super().__init__(SUITE, GradingSettings())
        self._grading = grading

    def judge(self, submission: Submission) -> GradingResult:
        fault = self.calls.get(submission.evaluation.name.rpartition("/")[2][:3])
        if fault == "raises":
            raise RuntimeError("the grading service fell over: \ud800")
        graded = self._grading.judge(submission)
        return replace(graded, files={"\ud800": ""}) if fault else graded


@pytest.fixture
def runs(grading: GradingService, tmp_path: Path) -> list[Run]:
    """Execute two runs of the empty baseline over four evals, with the clumsy grading."""
    return execute_baselines(tmp_path, _Clumsy(grading), runs=2, evals=4)


def execute_baselines(folder: Path, graders: Graders | None, *, runs: int, evals: int) -> list[Run]:
    """Execute runs of the empty baseline, and return their records."""
    suite = discover(write_prose_suite(folder / "suite", evals))
    data = DataFolder(folder / "data")
    plans = [plan_run("baseline/empty", suite.evals) for _ in range(runs)]
    for plan in plans:
        begin_run(plan.run, data)
    with Lines(io.StringIO()) as silent:
        execution = execute.Execution(RunSettings(), graders, Budget(None), silent)
        return asyncio.run(execution.execute([execute.GradedRun(plan, data) for plan in plans]))


def test_graders_that_join_later_get_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first verdict there are four graders, and all four have an attempt at once."""
    monkeypatch.setattr(execute, "IN_FLIGHT", 1)
    graders = GrowingGraders()
    (run,) = execute_baselines(tmp_path, graders, runs=1, evals=SUBMISSIONS)
    assert [attempt.outcome for attempt in run.attempts] == [Outcome.PASSED] * SUBMISSIONS
    assert graders.most == GROWN


def test_answers_to_grade_need_graders(tmp_path: Path) -> None:
    """Without graders the program ends, in place of an attempt without a verdict."""
    with pytest.raises(ExceptionGroup) as raised:
        execute_baselines(tmp_path, None, runs=1, evals=1)
    assert "an answer to grade, and no graders" in str(raised.value.exceptions[0])


def test_an_attempt_without_a_verdict_ends_no_run(runs: list[Run]) -> None:
    """Both runs are completed: each error is infrastructure, with its message in one line."""
    for run in runs:
        assert run.status == "completed"
        outcomes = [attempt.outcome for attempt in run.attempts]
        wrong, fault = Outcome.FAILED, Outcome.INFRASTRUCTURE
        assert outcomes == [wrong, fault, fault, wrong]
        raised, unwritten = (attempt.fault for attempt in run.attempts if attempt.fault)
        assert raised is not None
        assert raised.kind is FaultClass.OUTAGE
        assert raised.evidence == "grading raised: RuntimeError: the grading service fell over: ?"
        assert unwritten is not None
        assert unwritten.evidence.startswith("grading raised: UnicodeEncodeError: ")


@pytest.mark.filterwarnings(*LITELLM_WARNS)
def test_a_reply_of_calls_only_is_failed(grading: GradingService, tmp_path: Path) -> None:
    """The reason names the calls of tools, and the record has the possible cost of the tries."""
    write_prose_suite(tmp_path / "suite", 1)
    suite = discover(tmp_path / "suite")
    folder = DataFolder(tmp_path / "data")
    choice = {"index": 0, "delta": {"tool_calls": [{"index": 0}]}, "finish_reason": "tool_calls"}
    event = f"data: {json.dumps({'model': 'who', 'choices': [choice]})}\n\n"
    answers = (Step(kind="status", status=503), Step(kind="raw", raw=(event.encode(),)))

    async def ask(address: str) -> list[Run]:
        plan = plan_run(make_model(address), suite.evals)
        begin_run(plan.run, folder)
        with Lines(io.StringIO()) as silent:
            execution = execute.Execution(RunSettings(), grading, Budget(None), silent)
            return await execution.execute([execute.GradedRun(plan, folder)])

    (run,) = ask_at(make_provider(*answers), ask)
    (attempt,) = run.attempts
    assert attempt.outcome is Outcome.FAILED
    assert attempt.reason is not None
    assert attempt.reason.endswith("is empty: the model calls tools, of which none was offered")
    assert attempt.failed_tries_usd == 0
    assert attempt.generation is not None
    assert attempt.generation.answered_by == "who"
    assert attempt.generation.tries == 2
