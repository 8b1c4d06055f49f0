"""Mutants of references, which show the missing tests of graders: `leaderboard suite mutate`.

Each mutant is a reference with a small fault, and is graded like a model's answer. It is killed if
it fails at any step; a fault that TypeScript or the linter finds needs no test. If a mutant
survives, a test is missing.
"""

from runner.suite.mutate.make import LIMIT, SEED, choose_mutants, make_mutants
from runner.suite.mutate.mutant import Mutant
from runner.suite.mutate.mutant_grading import Fate, Trial, try_evals

__all__ = [
    "LIMIT",
    "SEED",
    "Fate",
    "Mutant",
    "Trial",
    "choose_mutants",
    "make_mutants",
    "try_evals",
]
