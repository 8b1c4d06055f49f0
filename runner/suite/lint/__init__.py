"""The search for faults of graders and tasks: `leaderboard suite lint`.

A rule is here if no grading can show its faults: `leaderboard suite check` and `suite mutate` find
all others. `find_stub_passes` grades two answers, for suites without variants. The source of a
grader also names the tests that its author may select.
"""

import re
from collections.abc import Iterator, Sequence

from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import ProgramGraders, VitestGraders
from runner.evals.path_patterns import is_matching_any
from runner.suite.lint import eval_files, python_graders
from runner.suite.lint.eval_files import UNNAMED, Finding, list_orphan_sections
from runner.suite.lint.typescript_graders import find_typescript_faults
from runner.suite.vitest_tests import list_vitest_tests

__all__ = ["Finding", "lint", "list_orphan_sections", "select_tests"]

_PLACEHOLDER = re.compile(r"[$%]")
"""The placeholders in a test's title for which vitest inserts values."""


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    findings = set(eval_files.find_suite_faults(suite, evals))
    for evaluation in evals:
        findings |= set(_find_faults(evaluation))
    return sorted(findings)


def _find_faults(evaluation: Eval) -> Iterator[Finding]:
    """Yield the faults of grader, task and other files that their texts show."""
    if isinstance(evaluation.kind, VitestGraders):
        yield from find_typescript_faults(evaluation)
    elif isinstance(evaluation.kind, ProgramGraders):
        config = evaluation.kind.config
        yield from eval_files.find_missing_texts(evaluation, config)
        try:
            files = evaluation.read_answer()
        except InvalidEvalError:  # `find_missing_texts` names the file
            return
        for path in eval_files.list_unnamed(files):
            yield Finding(evaluation.name, f"answer/{path}", 1, "unnamed-path", UNNAMED)
        patterns = ", ".join(config.answers.paths)
        for path in files:
            if not is_matching_any(path, config.answers.paths):
                advice = f"`paths` of suite.toml ({patterns}) leaves it out of answers"
                yield Finding(evaluation.name, f"answer/{path}", 1, "left-out-file", advice)
    else:
        modules = python_graders.read_modules(evaluation)
        fixtures = python_graders.list_used_fixtures(modules)
        yield from eval_files.find_missing_parts(evaluation, fixtures)
        yield from python_graders.find_unmentioned_names(evaluation, modules)
        yield from python_graders.find_inserted_forms(evaluation, modules)
        yield from python_graders.find_untitled_and_wavering(modules)


def select_tests(evaluation: Eval, parts: Sequence[str]) -> tuple[str, ...]:
    """Return the tests whose names or titles contain any of ``parts``.

    In Python a part may be a complete name with parameters, such as ``test_a[42]``. In TypeScript
    the parts are returned after a check that titles have them; the check is left out if a title has
    placeholders, whose values are not known yet.

    Raises:
        BadSelectionError: no test matches a part, and the message names the tests; or the grader is
            a program, which runs all of its tests.
        InvalidEvalError: a file of the grader cannot be read.
    """
    if parts and isinstance(evaluation.kind, ProgramGraders):
        raise BadSelectionError(
            f"{evaluation.name}: the tests of a program cannot be selected: leave -k out"
        )
    if not parts:
        return ()
    is_vitest = isinstance(evaluation.kind, VitestGraders)
    if is_vitest:
        text = evaluation.grader.read_text("utf-8", errors="replace")
        names = [test.title for test in list_vitest_tests(evaluation.grader.name, text)]
    else:
        modules = python_graders.read_modules(evaluation)
        names = [test.name for module in modules for test in module.list_tests()]
    has_placeholders = is_vitest and any(map(_PLACEHOLDER.search, names))
    chosen: list[str] = []
    for part in parts:
        function, bracket, _ = part.partition("[")
        matching = [name for name in names if part in name]
        if has_placeholders or (matching and is_vitest) or (bracket and function in names):
            matching = [part]
        if not matching:
            raise BadSelectionError(
                f"no test of {evaluation.name} has {part!r} in its "
                f"{'title' if is_vitest else 'name'}: it has {', '.join(names)}"
            )
        chosen += matching
    return tuple(dict.fromkeys(chosen))
