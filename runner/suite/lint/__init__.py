"""The search for faults of graders and tasks: `leaderboard suite lint`.

A rule is here if no grading can show its faults: `leaderboard suite check` and `suite mutate` find
all others. `stub_passes` grades two answers, for suites without variants.
"""

from collections.abc import Sequence

from runner.evals.discovery import Eval, Suite
from runner.suite.lint.eval_files import (
    Finding,
    find_suite_faults,
    find_unnamed_required,
    list_orphan_sections,
)
from runner.suite.lint.sources import open_source

__all__ = ["Finding", "lint", "list_orphan_sections"]


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    findings = {*find_suite_faults(suite, evals), *find_unnamed_required(suite)}
    for evaluation in evals:
        findings |= set(open_source(evaluation).find_faults())
    return sorted(findings)
