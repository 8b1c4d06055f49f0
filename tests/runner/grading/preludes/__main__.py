"""Lay the preludes over the suite's wrong variants, and tell which of them pass or have no verdict.

``python -m tests.runner.grading.preludes FILE`` grades every prelude over every wrong variant, and
writes a line for each to FILE; started again, it goes on where it stopped.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from records.shapes.attempt import Outcome
from runner.evals.calibrations import Calibration, read_calibrations
from runner.evals.discovery import Eval, discover
from runner.evals.text_files import read_tree
from runner.grading.answer_steps import ServiceSettings
from runner.grading.grade import GradingResult, GradingService
from runner.grading.worker.protocol import SelectedTests
from tests.runner.grading.preludes.corpus import Prelude, read_corpus

EVALS = Path(__file__).parents[4] / "evals"
HONEST = "000-fundamentals/000-dome_functions"
_HONEST_EACH = 50


@dataclass(frozen=True, slots=True)
class Case:
    """A prelude over a wrong variant."""

    prelude: Prelude
    evaluation: Eval
    variant: Calibration

    @property
    def name(self) -> str:
        """The name of the case in the file of results."""
        return f"{self.prelude.name} {self.evaluation.name} {self.variant.name}"


def main() -> int:
    """Grade the cases that the file lacks; return 1 if any passed or had no verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="where results are written, and gone on from")
    parser.add_argument("--match", default="", help="only cases whose name matches this regex")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    earlier_results = _read_known(options.file)
    cases = [
        case
        for evaluation in discover(EVALS).evals
        for case in list_cases(evaluation, read_corpus())
        if case.name not in earlier_results and re.search(options.match, case.name)
    ]
    # The random order stays the same, so that a run of any length covers all kinds of cases.
    cases.sort(key=lambda case: sha256(case.name.encode()).digest())
    sys.stdout.write(f"{len(earlier_results)} known, {len(cases)} to grade\n")
    deadline = time.monotonic() + 60 * options.minutes
    lock = Lock()
    with (
        options.file.open("a", encoding="utf-8") as results,
        GradingService(ServiceSettings(suite_root=EVALS, workers=options.workers)) as grading,
        ThreadPoolExecutor(options.workers) as threads,
    ):

        def grade(numbered: tuple[int, Case]) -> None:
            number, case = numbered
            if time.monotonic() > deadline:
                return
            line = _build_line(case.name, grade_case(grading, case))
            if number % _HONEST_EACH == 0 or line["outcome"] != "failed":
                line["honest"] = _grade_honest(grading)
            with lock:
                results.write(f"{json.dumps(line)}\n")
                results.flush()

        list(threads.map(grade, enumerate(cases)))
    return _tell(_read_known(options.file))


def grade_case(grading: GradingService, case: Case) -> GradingResult:
    """Grade by the tests that find the variant; if these pass, grade by all tests."""
    files = case.prelude.put_over(case.variant.files)
    assert files is not None, case.name
    first = grading.grade(
        case.evaluation, files, SelectedTests(only=case.variant.tests, stop_at_failure=True)
    )
    return grading.grade(case.evaluation, files) if first.outcome is Outcome.PASSED else first


def list_cases(evaluation: Eval, preludes: tuple[Prelude, ...]) -> Iterator[Case]:
    """Yield every prelude over every wrong variant of an eval, where it has a place."""
    answer = read_tree(evaluation.folder / "answer")
    for variant in read_calibrations(evaluation.folder, answer):
        if variant.kind == "pass":
            continue
        for prelude in preludes:
            if prelude.put_over(variant.files) is not None:
                yield Case(prelude, evaluation, variant)


def _build_line(name: str, graded: GradingResult) -> dict[str, Any]:
    return {
        "case": name,
        "outcome": graded.outcome.value,
        "step": graded.failed_step.value if graded.failed_step else None,
        "reason": (graded.reason or "")[:300],
    }


def _grade_honest(grading: GradingService) -> str:
    """Grade a right answer in the place of the next attempt."""
    (evaluation,) = (each for each in discover(EVALS).evals if each.name == HONEST)
    return grading.grade(evaluation, read_tree(evaluation.folder / "answer")).outcome.value


def _read_known(file: Path) -> dict[str, dict[str, Any]]:
    if not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return {line["case"]: line for line in lines}


def _tell(results: dict[str, dict[str, Any]]) -> int:
    counted = Counter(line["outcome"] for line in results.values())
    affected = [line for line in results.values() if line.get("honest", "passed") != "passed"]
    for line in results.values():
        if line["outcome"] != Outcome.FAILED.value:
            sys.stdout.write(f"{line['outcome']}: {line['case']}: {line['reason']}\n")
    for line in affected:
        sys.stdout.write(f"the answer after it {line['honest']}: {line['case']}\n")
    sys.stdout.write(f"{dict(counted)}; {len(affected)} affected the next\n")
    return int(bool(counted.keys() - {Outcome.FAILED.value} or affected))


if __name__ == "__main__":
    sys.exit(main())
