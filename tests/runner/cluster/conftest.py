"""A suite of small evals, a local cluster with two workers, and the processes of that cluster."""

import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runner.evals.discovery import Suite, discover
from runner.grading.worker.protocol import ALL_TESTS
from runner.jail.kernel import processes
from tests.runner.small_eval import EVALS, make_value_answer, write_eval
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from runner.cluster.graders import ClusterGraders
    from runner.grading.grade import GradingResult, Submission

NAMES = tuple(f"000-fundamentals/{number:03}-value" for number in range(3))
_TASK = b"multiprocessing.spawn"


@pytest.fixture(scope="session")
def small_suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """A suite of three evals, whose right answer is 42."""
    return write_small_suite(tmp_path_factory.mktemp("cluster") / "evals")


def write_small_suite(root: Path) -> Suite:
    """Write a suite of three small evals with this project's toolchain."""
    root.mkdir()
    (root / "guidelines.md").write_text("# Guidelines\n\n## Values\n\nChoose one.\n")
    for name in ("node_modules", "package.json", "admitted_packages.json"):
        (root / name).symlink_to(EVALS / name)
    for name in NAMES:
        write_eval(root / name, f"Return the value for {name}.")
    return discover(root)


@contextmanager
def open_test_cluster(
    suite: Suite, lines: list[str], cluster: str = "local:2"
) -> Generator["ClusterGraders"]:
    """Open the graders of a cluster; ``lines`` gets the lines for the user."""
    # Tests without a cluster do not pay for this import.
    from runner.cluster.graders import open_cluster_graders  # noqa: PLC0415
    from runner.grading.answer_steps import GradingSettings  # noqa: PLC0415

    with open_cluster_graders(cluster, suite, GradingSettings(), lines.append) as graders:
        yield graders


@pytest.fixture(scope="session")
def lines() -> list[str]:
    """The lines about the cluster so far."""
    return []


@pytest.fixture(scope="session")
def cluster_graders(small_suite: Suite, lines: list[str]) -> Iterator["ClusterGraders"]:
    """Two workers on this machine, warm for all tests of this folder."""
    with open_test_cluster(small_suite, lines) as graders:
        yield graders


def make_submissions(suite: Suite, number: int) -> list["Submission"]:
    """Return that many different submissions, of which every second is right."""
    from runner.grading.grade import Submission  # noqa: PLC0415 - as above

    return [
        Submission(
            suite.evals[index % len(suite.evals)],
            ALL_TESTS,
            files=make_value_answer(
                42 if index % 2 else index, {"convex/n.ts": f"export const n={index};\n"}
            ),
        )
        for index in range(number)
    ]


def get_essence(result: "GradingResult") -> tuple[object, ...]:
    """Return the parts of a verdict that are the same on every machine."""
    steps = [(step.name, step.outcome, step.message) for step in result.steps]
    tests = [(test.name, test.outcome, test.message) for test in result.tests or ()]
    ends = (result.outcome, result.failed_step, result.reason, result.key, dict(result.files))
    return (*ends, steps, tests)


def list_worker_pids() -> list[int]:
    """Return the worker processes of the clusters of this process."""
    return [pid for pid in processes.walk_members(os.getpid()) if _TASK in read_command_line(pid)]


def read_command_line(pid: int) -> bytes:
    """Return the command line of a process; empty if it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def wait_until_gone(
    began: Mapping[int, int | None], longest_s: float, *, reaped: bool = True
) -> None:
    """Wait until no process is there that began then; another one may have the same id.

    Without ``reaped``, a process that has ended may stay as a zombie, which has no command line:
    the first process of a container may never wait for the orphans that it gets.
    """

    def list_alive() -> list[int]:
        return [
            pid
            for pid, moment in began.items()
            if moment is not None
            and processes.read_start_time(pid) == moment
            and (reaped or read_command_line(pid))
        ]

    wait_until(
        lambda: not list_alive(),
        longest_s,
        lambda: [(pid, read_command_line(pid)) for pid in list_alive()],
    )
