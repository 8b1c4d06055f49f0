"""Mutates references and sees whether graders notice: a mutant that survives is a missing test.

Each answer is graded as a model's would be. A mutant is killed when it fails at any step: that
TypeScript or the linter notices is as good as a test, for a model's answer would fail as well.
"""

from runner.suite.mutate.make import LIMIT, SEED, choose, mutants
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.trial import Fate, Trial, try_evals

__all__ = ["LIMIT", "SEED", "Fate", "Mutant", "Trial", "choose", "mutants", "try_evals"]
