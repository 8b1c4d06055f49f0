"""The search for faults of graders and tasks: `leaderboard suite lint`.

Each other module of this package finds one kind of fault, in the syntax of graders or in the files
of evals. `stub_passes` grades two answers for this; all others run no code. `leaderboard suite
check` and `suite mutate` find further faults that only grading shows.
"""

from collections.abc import Iterator, Sequence

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.suite.lint.answer_imports import find_answer_imports
from runner.suite.lint.assertions import assertions
from runner.suite.lint.copied_lines import copies
from runner.suite.lint.demanded_names import find_unmentioned_demands
from runner.suite.lint.finding import Finding
from runner.suite.lint.fixture_calls import fixtures
from runner.suite.lint.left_out import find_unused_code
from runner.suite.lint.modules import Module, read_modules
from runner.suite.lint.read_files import find_file_reads
from runner.suite.lint.shape import (
    find_missing_parts,
    find_missing_texts,
    orphans,
    suite_shape,
)
from runner.suite.lint.typescript_graders import typescript
from runner.suite.lint.unnamed_paths import find_unnamed_files, find_unnamed_required
from runner.suite.lint.wavering import wavering

__all__ = ["Finding", "lint", "orphans"]


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    graders = {evaluation.name: read_modules(evaluation) for evaluation in suite.evals}
    chosen = {evaluation.name for evaluation in evals}
    findings = {*suite_shape(suite, evals), *find_unnamed_required(suite)}
    for evaluation in evals:
        findings |= set(_of_eval(evaluation, graders[evaluation.name]))
    every = [module for modules in graders.values() for module in modules]
    findings |= {finding for finding in copies(every) if finding.evaluation in chosen}
    return sorted(findings)


def _of_eval(evaluation: Eval, modules: Sequence[Module]) -> Iterator[Finding]:
    if evaluation.suite is not None:
        yield from find_missing_texts(evaluation, evaluation.suite)
        yield from _of_reference(evaluation)
        return
    if evaluation.is_typescript:
        yield from typescript(evaluation)
        return
    yield from find_missing_parts(evaluation, modules)
    yield from find_unmentioned_demands(evaluation, modules)
    yield from assertions(modules)
    yield from find_unused_code(modules)
    yield from fixtures(modules)
    yield from find_file_reads(modules)
    yield from wavering(modules)


def _of_reference(evaluation: Eval) -> Iterator[Finding]:
    try:
        files = evaluation.answer()
    except InvalidEvalError:  # `find_missing_texts` names the file
        return
    yield from find_answer_imports(evaluation, files)
    yield from find_unnamed_files(evaluation, files)
