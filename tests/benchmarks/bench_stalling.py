"""Ten stalling answers beside twenty honest answers, three graded at once: the honest verdicts.

Run with ``python -m tests.benchmarks.bench_stalling [--stalling N] [--honest N] [--workers N]``.
The honest answers are of the suite, right and wrong: they are graded alone, then beside the
stalling answers. It ends with status 1 where the verdict of an honest answer changes.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.suites.time_limits import EvalLimits
from runner.evals.discovery import Eval, discover
from runner.grading.grade import GradingResult, GradingService
from runner.suite.check import expectations, in_turn
from tests.runner.small_eval import EVALS, answer, node_action, question

_ASKED: Final = """
import pytest

@pytest.mark.parametrize("n", range(4))
def test_it(convex, n):
    convex.action("evil:run")
"""
_LOOP: Final = "for (;;) { /* for ever */ }"
STALLS: Final = {
    "a loop": node_action(_LOOP),
    "what never settles": node_action("await new Promise(() => {});\nreturn '';"),
    "busy processes": node_action(
        f"""
        for (let i = 0; i < 150; i++) {{
          child_process.spawn("/bin/sh", ["-c", "while :; do :; done"]).on("error", () => {{}});
        }}
        {_LOOP}"""
    ),
    "a module that loops": node_action("return '';", head=_LOOP),
    "memory": node_action(
        "const held: Buffer[] = [];\n"
        "for (;;) { held.push(Buffer.alloc(50_000_000, 1)); if (held.length > 25) held.pop(); }"
    ),
}
"""Code of an answer that stalls, by the kind of stalling."""


@dataclass(frozen=True, slots=True)
class _Job:
    evaluation: Eval
    files: Mapping[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade and compare; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stalling", type=int, default=10)
    parser.add_argument("--honest", type=int, default=20)
    parser.add_argument("--workers", type=int, default=3)
    options = parser.parse_args(arguments)
    evals = discover(EVALS).evals
    everything = in_turn([each for case in evals for each in expectations(case)])
    step = max(1, len(everything) // options.honest)
    chosen = everything[::step][: options.honest]
    honest = [_Job(case.evaluation, case.files) for case in chosen]
    with (
        tempfile.TemporaryDirectory() as folder,
        GradingService(suite_root=EVALS, workers=options.workers) as grading,
    ):
        alone = _timed("alone", grading, honest, [], options.workers)
        stalling = _stalls(Path(folder), options.stalling)
        beside = _timed("beside", grading, honest, stalling, options.workers)
    changed = [
        f"{case.evaluation.name} {case.name}: {_said(before)}, then {_said(after)}"
        for case, before, after in zip(chosen, alone, beside, strict=True)
        if _said(before) != _said(after)
    ]
    print(f"{len(honest)} honest, {len(stalling)} stalling: {len(changed)} verdicts changed")
    print("\n".join(changed))
    return 1 if changed else 0


def _stalls(folder: Path, count: int) -> list[_Job]:
    evaluation = question(folder, _ASKED, limits=EvalLimits())
    kinds = list(STALLS.values())
    return [_Job(evaluation, answer(42, kinds[n % len(kinds)])) for n in range(count)]


def _timed(
    what: str,
    grading: GradingService,
    honest: Sequence[_Job],
    stalling: Sequence[_Job],
    workers: int,
) -> list[GradingResult]:
    """Grade honest answers with stalling answers between them; return the honest verdicts."""
    began = time.monotonic()
    every = max(1, len(honest) // max(1, len(stalling)))
    with ThreadPoolExecutor(workers) as threads:
        stalled: list[Future[GradingResult]] = []
        graded: list[Future[GradingResult]] = []
        for n, job in enumerate(honest):
            if n % every == 0 and len(stalled) < len(stalling):
                stall = stalling[len(stalled)]
                stalled.append(threads.submit(grading.grade, stall.evaluation, stall.files))
            graded.append(threads.submit(grading.grade, job.evaluation, job.files))
        verdicts = [each.result() for each in graded]
        for each in stalled:
            print(f"  stalling: {_said(each.result())}: {each.result().reason}")
    print(f"{what}: {time.monotonic() - began:.0f} s")
    return verdicts


def _said(graded: GradingResult) -> tuple[str, str | None, tuple[str, ...]]:
    failed = tuple(test.name for test in graded.tests or () if test.outcome.value == "failed")
    step = graded.failed_step.value if graded.failed_step else None
    return graded.outcome.value, step, failed


if __name__ == "__main__":
    sys.exit(main())
