"""The commands that measure the power of the suite."""

import json
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue
from typing import Literal

import click

from leaderboard.terminal.streams import say
from tests.power.mutation import ROOT, Mutant, draw_mutants
from tests.power.node_coverage import read_node_coverage
from tests.power.plugin import NODE_COVERAGE
from tests.power.python_coverage import PythonCoverage, Share, combine, write_settings
from tests.support.tiers import EACH_CHANGE, MORE, NIGHT

LEFT_OUT = (
    "tests/runner/jail/test_hostile.py::test_sees_no_environment_of_ours",
    "tests/runner/jail/test_hostile.py::test_sees_no_home_and_no_other_process",
    "tests/runner/grading/fixtures/test_written_tests.py::test_a_suite_sees_one_version_of_the_code",
    "tests/runner/grading/steps/test_lint.py::test_a_damaged_snapshot_is_named",
    "tests/runner/grading/test_killed.py::test_an_honest_answer_passes_though_a_program_was_killed[linter]",
    "tests/leaderboard/terminal/test_streams.py::test_a_full_disk_and_a_run_in_use_are_reported_in_one_line",
)
"""Tests that see the recorders (in a jail, on a full disk), or that need the linter's snapshot.

They are not measured."""


def measure(folder: Path, tiers: str, more: Sequence[str]) -> int:
    """Run the tests of ``tiers`` under coverage; return pytest's exit code."""
    settings = write_settings(folder.resolve())
    command = (
        *(sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest"),
        *("-p", "tests.power.plugin", "--tier", tiers, "-n", "3", "--dist", "loadscope", "-q"),
        *(f"--junitxml={folder.resolve() / 'tests.xml'}", "-o", "junit_family=xunit1", *more),
        *(f"--deselect={test}" for test in LEFT_OUT),
    )
    environment = os.environ | {NODE_COVERAGE: str(folder.resolve() / "node")}
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    combine(folder.resolve())
    return code


class SuiteCoverage:
    """The coverage of several runs of the suite, taken together."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Read the files that ``measure`` wrote into ``folders``."""
        whole = [folder.resolve() for folder in folders]
        self._python = PythonCoverage(whole)
        self._node = read_node_coverage([folder / "node" for folder in whole])

    def count_branches(self) -> dict[str, Share]:
        """Return the branches that were taken, by language."""
        node = Share(self._node.taken, self._node.branches)
        return {"Python": self._python.count_branches(), "Node": node}

    def find_tests(self, path: str, line: int) -> frozenset[str]:
        """Return the tests that execute a line of a Python module or a Node program."""
        if path.endswith(".mjs"):
            return self._node.find_tests(path, line)
        return self._python.find_tests(path, line)


PATIENCE = 10
"""Factor by which tests of a mutant may be slower than usual, beside ``GRACE_S``."""
GRACE_S = 120
_FAILED = {1, 2}
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


_folder = click.argument("folder", type=click.Path(path_type=Path))


@click.group()
def main() -> None:
    """Measure branch coverage of both tiers, and the share of mutants they kill."""


@main.command(context_settings={"ignore_unknown_options": True})
@_folder
@click.argument("tier", type=click.Choice(["change", "night"]))
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED)
def coverage(folder: Path, tier: str, pytest_arguments: tuple[str, ...]) -> None:
    """Run the tests of a tier under coverage, into FOLDER/TIER.

    `change` are the tests of `make test`; those and `night`, which are all others, together are
    `make test-all`.
    """
    tiers = EACH_CHANGE if tier == "change" else f"{MORE},{NIGHT}"
    profile = ("--hypothesis-profile", tier)
    sys.exit(measure(folder / tier, tiers, (*profile, *pytest_arguments)))


@main.command()
@_folder
def report(folder: Path) -> None:
    """Print the branch coverage of both tiers as a Markdown table."""
    change = SuiteCoverage([folder / "change"]).count_branches()
    every = SuiteCoverage([folder / "change", folder / "night"]).count_branches()
    say("| branches | all | `make test` | `make test-all` |\n|---|---|---|---|")
    for language, share in change.items():
        whole = every[language]
        say(f"| {language} | {share.branches:,} | {share.percent:.1f}% | {whole.percent:.1f}% |")


@main.command()
@_folder
@click.option("--python", default=150, show_default=True, help="Mutants of Python modules.")
@click.option("--node", default=50, show_default=True, help="Mutants of Node programs.")
@click.option("--seed", default=1, show_default=True, help="Seed of the sample.")
@click.option("--hours", default=4.0, show_default=True, help="Time limit for both tiers.")
def mutants(folder: Path, python: int, node: int, seed: int, hours: float) -> None:
    """Try random mutants on the tests that execute their lines; needs both measured runs.

    Night tests are tried on the survivors only. Verdicts go to FOLDER/mutants.jsonl; a second call
    goes on after the last verdict.
    """
    ends_at = time.monotonic() + hours * 3600
    sample = draw_mutants(seed, python, node)
    runner = MutantRunner(folder, threads=2)
    of_change = _try_tier(runner, folder, "change", sample, ends_at)
    survivors = [mutant for mutant in of_change if of_change[mutant].outcome != "killed"]
    of_night = _try_tier(runner, folder, "night", survivors, ends_at)
    _print_shares(of_change, of_night)


def _try_tier(
    runner: MutantRunner, folder: Path, tier: str, sample: Sequence[Mutant], ends_at: float
) -> dict[Mutant, Verdict]:
    """Try mutants on the tests of one tier; return the verdicts that came in time."""
    measured = SuiteCoverage([folder / tier])
    tests = {mutant: measured.find_tests(mutant.path, mutant.line) for mutant in sample}
    durations = read_durations(folder / tier)
    file = folder / "mutants.jsonl"
    earlier = read_verdicts(file, tier)
    recorded = {m: earlier.get((describe(m), m.start)) for m in sample}
    verdicts = {mutant: verdict for mutant, verdict in recorded.items() if verdict}
    open_tests = {mutant: names for mutant, names in tests.items() if mutant not in verdicts}
    for mutant, verdict in runner.run_all(open_tests, durations, tier, ends_at):
        verdicts[mutant] = verdict
        append_verdict(file, verdict)
        say(f"{tier}: {verdict.outcome}: {verdict.mutant}")
    return verdicts


def _print_shares(change: Mapping[Mutant, Verdict], night: Mapping[Mutant, Verdict]) -> None:
    """Print the killed mutants of both tiers as a Markdown table."""
    say("| mutants | tried | killed by `make test` | by `make test-all` |\n|---|---|---|---|")
    for language, in_node in (("Python", False), ("Node", True)):
        tried = [mutant for mutant in change if mutant.in_node == in_node]
        first = sum(change[mutant].outcome == "killed" for mutant in tried)
        later = sum(m in night and night[m].outcome == "killed" for m in tried)
        shares = [f"{killed} ({killed / len(tried):.0%})" for killed in (first, first + later)]
        say(f"| {language} | {len(tried)} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
