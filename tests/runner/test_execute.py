"""What goes wrong with one attempt costs that attempt alone."""

import asyncio
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from records.folder import DataFolder
from records.journal import Journal
from records.run import FaultClass, Outcome, Run
from records.writer import write_run
from runner.execute import Execution
from runner.finish import opened
from runner.generation import Budget, Lanes
from runner.grading import Desk, Graded
from runner.plan import Condition, new_plan
from runner.progress import watcher
from runner.suite import Eval, discover
from tests.runner.conftest import write_prose_suite


class _Clumsy(Desk):
    """Grades, but raises for one eval, and says of another what no file can hold."""

    calls: ClassVar[Mapping[str, str]] = {"001": "raises", "002": "cannot be written"}

    def grade_reply(self, evaluation: Eval, reply: str) -> Graded:
        what = self.calls.get(evaluation.name.rpartition("/")[2][:3])
        if what == "raises":
            raise RuntimeError("the desk fell over: \ud800")
        graded = super().grade_reply(evaluation, reply)
        return replace(graded, files={"\ud800": ""}) if what else graded


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """Execute two runs of the empty baseline over four evals, with that desk."""
    (tmp_path / "suite").mkdir()
    write_prose_suite(tmp_path / "suite", 4)
    suite = discover(tmp_path / "suite")
    folder = DataFolder(tmp_path / "data")
    plans = [
        new_plan(
            model="baseline/empty",
            experiment=Condition("default", None),
            evals=suite.evals,
            benchmark_version="v1-00000000",
            samples=1,
            harness=None,
        )
        for _ in range(2)
    ]
    for plan in plans:
        journal = folder.journal_file(plan.run.model.slug, plan.run.run_id)
        Journal.create(journal, opened(plan.run)).close()
        write_run(folder, plan.run)
    with (
        _Clumsy(suite_root=suite.root, workers=2) as desk,
        watcher(io.StringIO()) as silent,
    ):
        execution = Execution(
            lanes=Lanes(None),
            budget=Budget(None),
            desk=desk,
            graders=2,
            folder=folder,
            watcher=silent,
        )
        return asyncio.run(execution.execute(plans))


def test_an_attempt_without_a_verdict_ends_no_run(runs: list[Run]) -> None:
    """Both runs are completed: what raised is infrastructure and says so in one line."""
    for run in runs:
        assert run.status == "completed"
        outcomes = [attempt.outcome for attempt in run.attempts]
        wrong, fault = Outcome.FAILED, Outcome.INFRASTRUCTURE
        assert outcomes == [wrong, fault, fault, wrong]
        raised, unwritten = (attempt.fault for attempt in run.attempts if attempt.fault)
        assert raised is not None
        assert raised.kind is FaultClass.OUTAGE
        assert raised.evidence == "grading raised: RuntimeError: the desk fell over: ?"
        assert unwritten is not None
        assert unwritten.evidence.startswith("grading raised: UnicodeEncodeError: ")
