"""Findings that need grading: verdicts that waver, mutants that survive every test."""

from collections.abc import Iterator, Sequence
from typing import Final

from runner.evals.discovery import Eval
from runner.grading.grade import GradingService
from runner.suite.check import Proof, check_graders
from runner.suite.lint.finding import Finding
from runner.suite.mutate import Fate, Trial, try_evals

TIMES: Final = 5
"""The number of gradings of each answer, whose verdicts must be the same."""


def deep(
    evals: Sequence[Eval], grading: GradingService, *, most: int, seed: int, workers: int
) -> list[Finding]:
    """Return the faults of ``evals`` that grading shows, sorted.

    At most ``most`` mutants of each eval are graded.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    proofs = check_graders(evals, grading, workers=workers, times=TIMES)
    trials = try_evals(evals, grading, most=most, seed=seed, workers=workers)
    findings = [finding for proof in proofs for finding in _of_proof(proof)]
    findings += [finding for trial in trials for finding in _of_trial(trial)]
    return sorted(findings)


def _of_proof(proof: Proof) -> Iterator[Finding]:
    for problem in proof.problems:
        wavers = problem.startswith("graded differently")
        rule = "wavering-verdict" if wavers else "wrong-verdict"
        is_ours = proof.name.startswith(("pass/", "fail/"))
        file = f"calibration/{proof.name}" if is_ours else "grader.py"
        yield Finding(proof.evaluation, file, 1, rule, f"{proof.name}: {problem}")


def _of_trial(trial: Trial) -> Iterator[Finding]:
    for each in trial.tried:
        if each.fate is Fate.SURVIVED:
            mutant = each.mutant
            advice = f"{mutant.operator}: {mutant.change}: test it, or explain it"
            file = f"answer/{mutant.path}"
            yield Finding(trial.evaluation, file, mutant.line, "surviving-mutant", advice)
    for explanation in trial.stale:
        file = "calibration/survivors.toml"
        advice = f"there is no such mutant: {explanation}"
        yield Finding(trial.evaluation, file, 1, "stale-explanation", advice)
