"""The grading of the mutants of evals, to find the survivors."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Eval
from runner.grading.grade import GradingResult, GradingService
from runner.grading.worker.protocol import SelectedTests
from runner.suite.mutate.make import choose_mutants, make_mutants
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.survivors import Explanation, find_stale_explanations, read_explanations


class Fate(StrEnum):
    """The result of grading a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ACCEPTED = "accepted"
    """A survivor whose different behaviour an explanation accepts without a test."""
    EQUIVALENT = "equivalent"
    """A survivor that behaves like the reference, by an explanation; not part of the score."""
    UNJUDGED = "unjudged"
    """A mutant without a verdict, because our machinery failed; not part of the score."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A graded mutant with its fate."""

    mutant: Mutant
    fate: Fate
    step: StepName | None
    """The first step that failed; None unless the mutant was killed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The graded mutants of an eval."""

    evaluation: str
    of: int
    """The number of all mutants of the eval."""
    tried: Sequence[Tried]
    stale: Sequence[Explanation]
    """The explanations of mutants that do not exist."""
    needless: Sequence[Explanation]
    """The explanations whose mutants are all killed."""

    def count(self, fate: Fate) -> int:
        """Return the number of mutants with this fate."""
        return sum(each.fate is fate for each in self.tried)

    @property
    def changing(self) -> int:
        """The number of graded mutants that change behaviour, or are not known to be equivalent."""
        return len(self.tried) - self.count(Fate.EQUIVALENT) - self.count(Fate.UNJUDGED)

    @property
    def score(self) -> float | None:
        """The share of `changing` mutants that are killed, from 0 to 1; None if there are none."""
        return self.count(Fate.KILLED) / self.changing if self.changing else None


def try_eval(
    evaluation: Eval, grading: GradingService, *, most: int | None, seed: int, workers: int = 2
) -> Trial:
    """Grade mutants of the reference of an eval.

    ``most`` is the most mutants; None grades all.

    Raises:
        InvalidEvalError: a file of the eval cannot be used.
    """
    every = make_mutants(evaluation.read_answer())
    explanations = read_explanations(evaluation.folder)
    chosen = every if most is None else choose_mutants(every, most, seed)
    with ThreadPoolExecutor(workers, thread_name_prefix="mutation") as threads:
        graded = threads.map(partial(_grade, grading, evaluation), chosen)
        tried = [
            _judge_mutant(mutant, verdict, explanations)
            for mutant, verdict in zip(chosen, graded, strict=True)
        ]
    return Trial(
        evaluation=evaluation.name,
        of=len(every),
        tried=tried,
        stale=find_stale_explanations(explanations, every),
        needless=_list_needless(explanations, every, tried),
    )


def _grade(grading: GradingService, evaluation: Eval, mutant: Mutant) -> GradingResult:
    return grading.grade(evaluation, mutant.files, SelectedTests(stop_at_failure=True))


def _judge_mutant(
    mutant: Mutant, verdict: GradingResult, explanations: Sequence[Explanation]
) -> Tried:
    match verdict.outcome:
        case Outcome.FAILED:
            fate = Fate.KILLED
        case Outcome.PASSED:
            explained = next((each for each in explanations if each.explains(mutant)), None)
            fate = Fate(explained.because) if explained else Fate.SURVIVED
        case _:
            fate = Fate.UNJUDGED
    return Tried(mutant, fate, verdict.failed_step)


def _list_needless(
    explanations: Sequence[Explanation], every: Sequence[Mutant], tried: Sequence[Tried]
) -> list[Explanation]:
    """Return the explanations whose mutants were all graded and killed."""
    killed = [each.mutant for each in tried if each.fate is Fate.KILLED]
    return [
        explanation
        for explanation in explanations
        if (about := [mutant for mutant in every if explanation.explains(mutant)])
        and all(mutant in killed for mutant in about)
    ]
