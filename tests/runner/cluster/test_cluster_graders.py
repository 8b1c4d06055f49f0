"""Workers of a cluster give the verdicts of local graders, even if workers end or freeze."""

import os
import random
import signal
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from runner.cluster.graders import ClusterGraders
from runner.evals.discovery import Suite, discover
from runner.grading.grade import GradingService, Submission
from runner.grading.worker.protocol import ALL_TESTS
from runner.jail.kernel import processes
from tests.runner.cluster.conftest import (
    get_essence,
    list_worker_pids,
    make_submissions,
    open_test_cluster,
    read_command_line,
    wait_until_gone,
    write_small_suite,
)
from tests.runner.command_suite import write_command_suite
from tests.runner.small_eval import make_value_answer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.more

PATIENCE_S = 300.0
_HANDLER = """\
import { query } from "./_generated/server";

export const value = query({ args: {}, handler: async () => { %s } });
"""


@pytest.fixture(scope="module")
def local_verdicts(grading: GradingService, small_suite: Suite) -> list[tuple[object, ...]]:
    """The verdicts on four submissions by the graders of this process."""
    return _grade_here(grading, make_submissions(small_suite, 4))


def _grade_here(grading: GradingService, sent: Sequence[Submission]) -> list[tuple[object, ...]]:
    return [get_essence(grading.grade(each.evaluation, each.files or {})) for each in sent]


def test_verdicts_are_those_of_local_graders(
    cluster_graders: ClusterGraders,
    small_suite: Suite,
    local_verdicts: Sequence[tuple[object, ...]],
) -> None:
    """Each submission has its own verdict, also where two answers are almost the same."""
    futures = [cluster_graders.submit(each) for each in make_submissions(small_suite, 4)]
    assert [get_essence(future.result(PATIENCE_S)) for future in futures] == local_verdicts


def test_replies_are_graded_as_replies(
    cluster_graders: ClusterGraders, grading: GradingService, small_suite: Suite
) -> None:
    """A reply of prose fails at the first step, with the reason of local graders."""
    evaluation = small_suite.evals[0]
    submission = Submission(evaluation, ALL_TESTS, reply="Prose \u00e9, no files.")
    verdict = cluster_graders.submit(submission).result(PATIENCE_S)
    assert get_essence(verdict) == get_essence(grading.judge(submission))


def test_a_killed_worker_costs_no_verdict_and_leaves_no_process(
    cluster_graders: ClusterGraders,
    small_suite: Suite,
    local_verdicts: Sequence[tuple[object, ...]],
) -> None:
    """Every submission has its verdict, and no child of the killed worker outlives it for long."""
    futures = [cluster_graders.submit(each) for each in make_submissions(small_suite, 4)]
    futures[0].result(PATIENCE_S)
    victim = list_worker_pids()[0]
    began = {pid: processes.read_start_time(pid) for pid in processes.walk_members(victim)}
    os.kill(victim, signal.SIGKILL)
    assert [get_essence(future.result(PATIENCE_S)) for future in futures] == local_verdicts
    wait_until_gone(began, 30)


@pytest.mark.night
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("convex/kills.ts", '"use node";\nprocess.kill(process.ppid, 9);\nexport {};\n'),
        ("convex/notes.ts", _HANDLER % "const hog: number[][] = []; for (;;) hog.push(Array(1e6))"),
        ("convex/notes.ts", _HANDLER % "for (;;);"),
    ],
    ids=["kills", "memory", "time"],
)
def test_hostile_answers_harm_no_worker(
    cluster_graders: ClusterGraders,
    small_suite: Suite,
    grading: GradingService,
    path: str,
    text: str,
) -> None:
    """They fail as they do here, the same workers go on, and the next answer passes."""
    evaluation, files = small_suite.evals[0], make_value_answer(42, {path: text})
    before = list_worker_pids()
    verdict = cluster_graders.submit(Submission(evaluation, ALL_TESTS, files=files))
    result, here = verdict.result(PATIENCE_S), grading.grade(evaluation, files)
    assert (result.outcome, result.failed_step) == (here.outcome, here.failed_step)
    assert result.outcome is Outcome.FAILED
    right = cluster_graders.submit(Submission(evaluation, ALL_TESTS, files=make_value_answer(42)))
    assert right.result(PATIENCE_S).outcome is Outcome.PASSED
    assert list_worker_pids() == before


@pytest.mark.night
def test_twenty_kills_and_a_frozen_worker(
    cluster_graders: ClusterGraders, small_suite: Suite, grading: GradingService
) -> None:
    """After kills at random moments, and one stop, each verdict is the local verdict."""
    sent = make_submissions(small_suite, 60)
    local_verdicts = _grade_here(grading, sent)
    with _kill_workers(20):
        frozen = list_worker_pids()[-1]
        futures = [cluster_graders.submit(each) for each in sent]
        os.kill(frozen, signal.SIGSTOP)
        verdicts = [future.result(4 * PATIENCE_S) for future in futures]
    with suppress(ProcessLookupError):
        os.kill(frozen, signal.SIGCONT)
    assert [get_essence(verdict) for verdict in verdicts] == local_verdicts


@contextmanager
def _kill_workers(number: int) -> Generator[None]:
    """Kill a worker at random moments of the block."""
    chance, over = random.Random(20261127), threading.Event()  # noqa: S311 - moments, no secret

    def kill() -> None:
        for _ in range(number):
            if over.wait(chance.uniform(2, 12)):
                return
            if pids := list_worker_pids():
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(pids), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.night
def test_a_worker_whose_grader_changes_is_left_out(tmp_path: Path) -> None:
    """The worker gives no further verdict, and is named; the submission waits for another."""
    suite, lines = write_small_suite(tmp_path / "evals"), list[str]()
    first, second, *_ = make_submissions(suite, 2 * len(suite.evals))[:: len(suite.evals)]
    with open_test_cluster(suite, lines, "local:1") as cluster:
        cluster.submit(first).result(PATIENCE_S)
        with first.evaluation.grader.open("a") as grader:
            grader.write("\n# changed\n")
        waiting = cluster.submit(second)
        wait_for_line(lines, f"left out: its grader of {second.evaluation.name} has changed")
        assert not waiting.done()


@pytest.mark.night
def test_workers_run_graders_that_are_programs(tmp_path: Path) -> None:
    """A suite with a program of its authors as grader is judged by a worker, too."""
    suite = discover(write_command_suite(tmp_path / "evals"))
    (evaluation,) = suite.evals
    with open_test_cluster(suite, [], "local:1") as cluster:
        reference = Submission(evaluation, ALL_TESTS, files=evaluation.read_answer())
        assert cluster.submit(reference).result(PATIENCE_S).outcome is Outcome.PASSED


@pytest.mark.night
def test_a_lost_scheduler_costs_no_verdict(
    cluster_graders: ClusterGraders,
    small_suite: Suite,
    lines: list[str],
    grading: GradingService,
) -> None:
    """Submissions wait and are graded once the scheduler is back; the user reads both."""
    sent = make_submissions(small_suite, 8)
    local_verdicts = _grade_here(grading, sent)
    futures = [cluster_graders.submit(each) for each in sent]
    futures[0].result(PATIENCE_S)
    for pid in processes.walk_members(os.getpid()):
        if b"tied_process" in read_command_line(pid) and b"scheduler-file" in read_command_line(
            pid
        ):
            os.kill(pid, signal.SIGKILL)
    assert [get_essence(future.result(PATIENCE_S)) for future in futures] == local_verdicts
    wait_for_line(lines, "is gone: answers wait for it, none is judged")
    wait_for_line(lines, "is back")


def wait_for_line(lines: Sequence[str], part: str) -> None:
    """Wait until the user has read a line with this part."""
    wait_until(lambda: any(part in line for line in lines), PATIENCE_S, lambda: lines)
