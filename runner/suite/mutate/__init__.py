"""Mutations of references, to check whether graders notice: each survivor is a missing test.

Each mutant is graded like a model's answer. A mutant is killed when it fails at any step: a fault
that TypeScript or the linter finds needs no test, because a model's answer would fail as well.
"""

from runner.suite.mutate.make import LIMIT, SEED, choose_mutants, mutants
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.mutant_grading import Fate, Trial, try_evals

__all__ = ["LIMIT", "SEED", "Fate", "Mutant", "Trial", "choose_mutants", "mutants", "try_evals"]
