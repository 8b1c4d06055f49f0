"""Runs each mutant against the tests that execute its line; the first failure ends it."""

import json
import subprocess
import time
import xml.etree.ElementTree as ET
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Final, Literal

from tests.power.mutation import ROOT, Mutant

PATIENCE: Final = 10
"""Factor by which tests of a mutant may be slower than usual, beside ``GRACE_S``."""
GRACE_S: Final = 120
_FAILED: Final = {1, 2}
"""pytest's exit codes for a failed test, and for a module that cannot be imported."""

Outcome = Literal["killed", "survived", "uncovered", "unclear"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A mutant and the outcome of the tests that execute its line."""

    mutant: str
    start: int
    """First byte of the change."""
    in_node: bool
    tier: str
    outcome: Outcome
    tests: int
    seconds: float


class MutantRunner:
    """Clones of the checkout for mutants, a clone for each thread."""

    def __init__(self, folder: Path, threads: int) -> None:
        """Clone the committed checkout below ``folder`` and set each clone up."""
        self._threads = threads
        self._clones: Queue[Path] = Queue()
        for number in range(threads):
            self._clones.put(_clone(folder.resolve() / f"clone-{number}"))

    def run_all(
        self,
        mutants: Mapping[Mutant, Iterable[str]],
        usual_s: Mapping[str, float],
        tier: str,
        ends_at: float,
    ) -> Iterator[tuple[Mutant, Verdict]]:
        """Try every mutant on its tests, the quickest first; yield verdicts in order.

        No mutant is begun after ``ends_at``, in seconds of the monotonic clock.
        """

        def try_mutant(mutant: Mutant) -> Verdict | None:
            started = time.monotonic()
            if started > ends_at:
                return None
            tests = sorted(mutants[mutant], key=lambda test: usual_s.get(test, 0.0))
            outcome = self._run(mutant, tests, sum(usual_s.get(test, 1.0) for test in tests))
            seconds = round(time.monotonic() - started, 1)
            text = describe(mutant)
            return Verdict(text, mutant.start, mutant.in_node, tier, outcome, len(tests), seconds)

        with ThreadPoolExecutor(self._threads) as pool:
            for mutant, verdict in zip(mutants, pool.map(try_mutant, mutants), strict=True):
                if verdict is not None:
                    yield mutant, verdict

    def _run(self, mutant: Mutant, tests: Sequence[str], usual_s: float) -> Outcome:
        """Return whether a test fails, or does not end, with the mutant in place."""
        if not tests:
            return "uncovered"
        with self._borrow_clone(mutant) as clone:
            names = clone / ".cache" / "tests-of-a-mutant"
            names.parent.mkdir(exist_ok=True)
            names.write_text("\n".join(tests), "utf-8")
            command = (
                *(clone / ".venv/bin/python", "-m", "pytest", "-x", "-q", "--tb=no"),
                *("-p", "no:cacheprovider", "--tier", "unit,integration,more,night", f"@{names}"),
            )
            try:
                ended = subprocess.run(
                    command,
                    cwd=clone,
                    capture_output=True,
                    timeout=GRACE_S + PATIENCE * usual_s,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return "killed"
        if ended.returncode in _FAILED:
            return "killed"
        return "survived" if ended.returncode == 0 else "unclear"

    @contextmanager
    def _borrow_clone(self, mutant: Mutant) -> Generator[Path]:
        """Yield a free clone with the mutant in place."""
        clone = self._clones.get()
        file = clone / mutant.path
        original = file.read_bytes()
        file.write_bytes(mutant.apply(original))
        try:
            yield clone
        finally:
            file.write_bytes(original)
            self._clones.put(clone)


def read_durations(folder: Path) -> dict[str, float]:
    """Return the seconds that each test took when its coverage was measured."""
    durations: dict[str, float] = {}
    for case in ET.parse(folder / "tests.xml").iter("testcase"):  # noqa: S314 - pytest wrote it
        durations[f"{case.get('file')}::{case.get('name')}"] = float(case.get("time") or 0)
    return durations


def describe(mutant: Mutant) -> str:
    """Return path, line, and the text before and after the change."""
    return mutant.describe((ROOT / mutant.path).read_bytes())


def read_verdicts(file: Path, tier: str) -> dict[tuple[str, int], Verdict]:
    """Return the verdicts of a tier by description and first byte of their mutants."""
    if not file.exists():
        return {}
    verdicts = [Verdict(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    return {(each.mutant, each.start): each for each in verdicts if each.tier == tier}


def append_verdict(file: Path, verdict: Verdict) -> None:
    """Add a verdict to a file of JSON lines."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(verdict)) + "\n")


def _clone(folder: Path) -> Path:
    """Clone the checkout's last commit and set it up, unless that was done before."""
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    else:
        subprocess.run(["git", "pull", "--quiet"], cwd=folder, check=True)
    ready = "tests/checkers/node_modules/.ready"
    subprocess.run(["make", "setup", ready], cwd=folder, check=True, capture_output=True)
    return folder
