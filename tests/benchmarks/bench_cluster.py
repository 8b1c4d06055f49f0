"""Cost of a cluster: workers against threads of this process, and the driver of many workers.

Run with ``python -m tests.benchmarks.bench_cluster [--rounds N] [--every N] [--attempts N]``.

The first part grades every N-th reference of the suite, by two threads and by two worker processes
in turn. The second part has a scheduler in its own process and eight workers of eight threads whose
grader sleeps for a second; the same number of threads in this process sleeps for comparison.
"""

import argparse
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import dask.config

from records.shapes.attempt import Outcome
from runner.cluster.certificates import write_certificates
from runner.cluster.graders import open_cluster_graders
from runner.evals.discovery import Suite, discover
from runner.grading.grade import GradingService, Submission
from runner.grading.graders import Graders, open_local_graders
from runner.grading.worker.protocol import ALL_TESTS
from runner.models.api_keys import find_key_variables
from tests.benchmarks.sleeping_grader import SleepingService
from tests.runner.served import find_free_port

ROOT: Final = Path(__file__).parents[2]
PROCESSES: Final = 8
THREADS: Final = 8
_REPLY: Final = "y" * 20_000


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost of grading a list of submissions."""

    seconds: float
    processor_s: float
    """Processor time of this process."""
    passed: int


def main() -> None:
    """Measure both parts, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--attempts", type=int, default=3000)
    options = parser.parse_args()
    suite = discover(ROOT / "evals")
    if options.rounds:
        _compare(suite, options.rounds, options.every)
    _measure_many(suite, options.attempts)


def _compare(suite: Suite, rounds: int, every: int) -> None:
    """Print the time of two worker processes as a share of that of two threads."""
    sent = [Submission(each, ALL_TESTS, files=each.read_answer()) for each in suite.evals[::every]]
    shares: list[float] = []
    with (
        GradingService(suite_root=suite.root, workers=2) as service,
        open_local_graders(service, 2) as threads,
        _open_graders("local:2", suite) as workers,
    ):
        for graders in (threads, workers):
            _grade_all(graders, sent)
        for _ in range(rounds):
            local, cluster = (_grade_all(graders, sent) for graders in (threads, workers))
            shares.append(cluster.seconds / local.seconds)
            print(
                f"{len(sent)} references: two threads {local.seconds:.1f} s, {local.passed} "
                f"passed; two workers {cluster.seconds:.1f} s, {cluster.passed} passed"
            )
    print(f"two workers take {statistics.median(shares):.2f} of the time of two threads (median)")


def _measure_many(suite: Suite, attempts: int) -> None:
    """Print rate, memory and processor time of the driver of many workers."""
    sent = [
        Submission(suite.evals[number % 3], ALL_TESTS, reply=f"{number} {_REPLY}")
        for number in range(attempts)
    ]
    service = cast("GradingService", SleepingService(suite_root=suite.root))
    with open_local_graders(service, PROCESSES * THREADS) as threads:
        local = _grade_all(threads, sent)
    with _start_cluster() as address, _open_graders(address, suite) as workers:
        _wait_for_all(workers)
        _grade_all(workers, sent[: 2 * PROCESSES * THREADS])
        cluster = _grade_all(workers, sent)
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    added_ms = 1000 * (cluster.processor_s - local.processor_s) / attempts
    print(
        f"{attempts} attempts by {PROCESSES * THREADS} threads of workers: "
        f"{attempts / cluster.seconds:.1f} a second, {cluster.passed} passed; driver "
        f"{1000 * cluster.processor_s / attempts:.2f} ms of processor time each, {added_ms:.2f} ms "
        f"more than by threads of its own ({attempts / local.seconds:.1f} a second); at most "
        f"{memory_mb:.0f} MB"
    )


def _grade_all(graders: Graders, sent: Sequence[Submission]) -> Measured:
    began, used = time.monotonic(), time.process_time()
    verdicts = {graders.submit(each) for each in sent}
    passed = 0
    for verdict in as_completed(set(verdicts)):
        verdicts.discard(verdict)
        passed += verdict.result().outcome is Outcome.PASSED
    return Measured(time.monotonic() - began, time.process_time() - used, passed)


@contextmanager
def _open_graders(cluster: str, suite: Suite) -> Generator[Graders]:
    with open_cluster_graders(
        cluster,
        suite,
        backend="embedded",
        sandbox="bwrap",
        workspaces=None,
        tell=lambda line: print(f"  {line}"),
    ) as graders:
        yield graders


def _wait_for_all(graders: Graders) -> None:
    while graders.window < 2 * PROCESSES * THREADS:
        time.sleep(0.5)


@contextmanager
def _start_cluster() -> Generator[str]:
    """Start a scheduler and workers with the sleeping grader, as on other machines."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "cluster.yaml"
        write_certificates(settings)
        os.environ["DASK_CONFIG"] = str(settings)
        # Dask has read the variable already, when it was imported.
        configuration: Any = dask.config
        configuration.refresh(paths=[str(settings)])
        port = find_free_port()
        address = f"tls://127.0.0.1:{port}"
        options = {"--host": "127.0.0.1", "--dashboard-address": "127.0.0.1:0"}
        more = [part for pair in options.items() for part in pair]
        workers = ["--nworkers", str(PROCESSES), "--nthreads", str(THREADS), "--memory-limit", "0"]
        commands = (
            ["scheduler", "--protocol", "tls", "--port", str(port), *more],
            ["worker", address, *workers, "--name", "bench", "--local-directory", folder, *more],
        )
        processes = [_start(*command) for command in commands]
        try:
            yield address
        finally:
            for process in processes:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    keys = find_key_variables(os.environ)
    environment = {name: value for name, value in os.environ.items() if name not in keys}
    preload = '["tests.benchmarks.sleeping_grader"]'
    return subprocess.Popen(
        [str(Path(sys.executable).parent / "dask"), *arguments],
        cwd=ROOT,
        env=environment | {"DASK_DISTRIBUTED__WORKER__PRELOAD": preload, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


if __name__ == "__main__":
    main()
