"""The search for faults of graders and tasks: `leaderboard suite lint`.

Each other module of this package finds one kind of fault, in the syntax of graders or in the files
of evals. `stub_passes` grades two answers for this; all others run no code. `leaderboard suite
check` and `suite mutate` find further faults that only grading shows.
"""

from collections.abc import Sequence

from runner.evals.discovery import Eval, Suite
from runner.suite.lint.copied_lines import find_copied_lines
from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import read_modules
from runner.suite.lint.shape import find_suite_faults, list_orphan_sections
from runner.suite.lint.sources import open_source
from runner.suite.lint.unnamed_paths import find_unnamed_required

__all__ = ["Finding", "lint", "list_orphan_sections"]


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    chosen = {evaluation.name for evaluation in evals}
    findings = {*find_suite_faults(suite, evals), *find_unnamed_required(suite)}
    for evaluation in evals:
        findings |= set(open_source(evaluation).find_faults())
    every = [module for evaluation in suite.evals for module in read_modules(evaluation)]
    findings |= {finding for finding in find_copied_lines(every) if finding.evaluation in chosen}
    return sorted(findings)
