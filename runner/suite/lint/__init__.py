"""The search for faults of graders and tasks: `leaderboard suite lint`.

Each other module of this package finds one kind of fault, in the syntax of graders or in the files
of evals. `stub_passes` grades two answers for this; all others run no code. `leaderboard suite
check` and `suite mutate` find further faults that only grading shows.
"""

from collections.abc import Iterator, Mapping, Sequence

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.path_patterns import is_matching_any
from runner.suite.lint.answer_imports import find_answer_imports
from runner.suite.lint.assertions import find_weak_assertions
from runner.suite.lint.copied_lines import find_copied_lines
from runner.suite.lint.demanded_names import find_unmentioned_demands
from runner.suite.lint.finding import Finding
from runner.suite.lint.fixture_calls import find_fixture_misuse
from runner.suite.lint.left_out import find_unused_code
from runner.suite.lint.modules import Module, read_modules
from runner.suite.lint.read_files import find_file_reads
from runner.suite.lint.shape import (
    find_missing_parts,
    find_missing_texts,
    find_suite_faults,
    list_orphan_sections,
)
from runner.suite.lint.typescript_graders import find_typescript_faults
from runner.suite.lint.unnamed_paths import find_unnamed_files, find_unnamed_required
from runner.suite.lint.wavering import find_wavering_code

__all__ = ["Finding", "lint", "list_orphan_sections"]


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    graders = {evaluation.name: read_modules(evaluation) for evaluation in suite.evals}
    chosen = {evaluation.name for evaluation in evals}
    findings = {*find_suite_faults(suite, evals), *find_unnamed_required(suite)}
    for evaluation in evals:
        findings |= set(_find_eval_faults(evaluation, graders[evaluation.name]))
    every = [module for modules in graders.values() for module in modules]
    findings |= {finding for finding in find_copied_lines(every) if finding.evaluation in chosen}
    return sorted(findings)


def _find_eval_faults(evaluation: Eval, modules: Sequence[Module]) -> Iterator[Finding]:
    if evaluation.suite is not None:
        yield from find_missing_texts(evaluation, evaluation.suite)
        yield from _find_reference_faults(evaluation)
        return
    if evaluation.is_typescript:
        yield from find_typescript_faults(evaluation)
        return
    yield from find_missing_parts(evaluation, modules)
    yield from find_unmentioned_demands(evaluation, modules)
    yield from find_weak_assertions(modules)
    yield from find_unused_code(modules)
    yield from find_fixture_misuse(modules)
    yield from find_file_reads(modules)
    yield from find_wavering_code(modules)


def _find_reference_faults(evaluation: Eval) -> Iterator[Finding]:
    try:
        files = evaluation.read_answer()
    except InvalidEvalError:  # `find_missing_texts` names the file
        return
    yield from find_answer_imports(evaluation, files)
    yield from find_unnamed_files(evaluation, files)
    yield from _find_files_left_out(evaluation, files)


def _find_files_left_out(evaluation: Eval, files: Mapping[str, str]) -> Iterator[Finding]:
    """Find files of the reference that no answer can bring, because of `paths` in suite.toml."""
    patterns = evaluation.suite.answers.paths if evaluation.suite else ()
    for path in files:
        if not is_matching_any(path, patterns):
            advice = f"`paths` of suite.toml ({', '.join(patterns)}) leaves it out of answers"
            yield Finding(evaluation.name, f"answer/{path}", 1, "left-out-file", advice)
