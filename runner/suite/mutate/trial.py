"""Grades the mutants of evals and says which survive."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from records.attempt import Outcome, StepName
from runner.evals.discovery import Eval
from runner.grading.grade import GradingResult, GradingService
from runner.grading.worker.protocol import SelectedTests
from runner.suite.mutate.make import choose, mutants
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.survivors import Explanation, read_explanations, stale


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ACCEPTED = "accepted"
    """It survived, and is explained as something else that no test is to tell."""
    EQUIVALENT = "equivalent"
    """It survived, and is explained as doing the same: no part of the score."""
    UNJUDGED = "unjudged"
    """Something of ours broke while it was graded: no part of the score."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One mutant and what became of it."""

    mutant: Mutant
    fate: Fate
    step: StepName | None
    """The first step that failed; None unless it was killed."""


@dataclass(frozen=True, slots=True)
class Trial:
    """All that was tried of one eval."""

    evaluation: str
    of: int
    """How many mutants there are in all."""
    tried: Sequence[Tried]
    stale: Sequence[Explanation]
    """Explanations of mutants that do not exist."""
    needless: Sequence[Explanation]
    """Explanations of mutants that are all killed."""

    def count(self, fate: Fate) -> int:
        """Return how many mutants had this fate."""
        return sum(each.fate is fate for each in self.tried)

    @property
    def changing(self) -> int:
        """How many of those tried change behaviour, as far as anybody knows."""
        return len(self.tried) - self.count(Fate.EQUIVALENT) - self.count(Fate.UNJUDGED)

    @property
    def score(self) -> float | None:
        """The share of those that is killed; None where there are none."""
        return self.count(Fate.KILLED) / self.changing if self.changing else None


def try_evals(  # noqa: PLR0913 - what to try, and how to tell of it
    evals: Sequence[Eval],
    grading: GradingService,
    *,
    most: int | None,
    seed: int,
    workers: int = 2,
    on_tried: Callable[[Eval, Tried], None] | None = None,
) -> list[Trial]:
    """Grade mutants of each eval's reference: at most ``most`` of each, or all.

    ``on_tried`` is called as each is graded, from this thread. The result is in the evals' order.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    return [
        _try_eval(evaluation, grading, most=most, seed=seed, workers=workers, on_tried=on_tried)
        for evaluation in evals
    ]


def _try_eval(  # noqa: PLR0913 - as above
    evaluation: Eval,
    grading: GradingService,
    *,
    most: int | None,
    seed: int,
    workers: int,
    on_tried: Callable[[Eval, Tried], None] | None,
) -> Trial:
    every = mutants(evaluation.answer())
    explanations = read_explanations(evaluation.folder)
    chosen = every if most is None else choose(every, most, seed)
    tried: list[Tried] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="mutation") as threads:
        graded = threads.map(partial(_grade, grading, evaluation), chosen)
        for mutant, verdict in zip(chosen, graded, strict=True):
            tried.append(_judged(mutant, verdict, explanations))
            if on_tried is not None:
                on_tried(evaluation, tried[-1])
    return Trial(
        evaluation=evaluation.name,
        of=len(every),
        tried=tried,
        stale=stale(explanations, every),
        needless=_needless(explanations, every, tried),
    )


def _grade(grading: GradingService, evaluation: Eval, mutant: Mutant) -> GradingResult:
    return grading.grade(evaluation, mutant.files, SelectedTests(stop_at_failure=True))


def _judged(mutant: Mutant, verdict: GradingResult, explanations: Sequence[Explanation]) -> Tried:
    match verdict.outcome:
        case Outcome.FAILED:
            fate = Fate.KILLED
        case Outcome.PASSED:
            explained = next((each for each in explanations if each.explains(mutant)), None)
            fate = Fate(explained.because) if explained else Fate.SURVIVED
        case _:
            fate = Fate.UNJUDGED
    return Tried(mutant, fate, verdict.failed_step)


def _needless(
    explanations: Sequence[Explanation], every: Sequence[Mutant], tried: Sequence[Tried]
) -> list[Explanation]:
    """Return the explanations of which it is known that no mutant needs them."""
    killed = [each.mutant for each in tried if each.fate is Fate.KILLED]
    return [
        explanation
        for explanation in explanations
        if (about := [mutant for mutant in every if explanation.explains(mutant)])
        and all(mutant in killed for mutant in about)
    ]
