"""The search for faults of graders and tasks: `leaderboard suite lint`.

A rule is here if no grading can show its faults: `leaderboard suite check` and `suite mutate` find
all others. `stub_passes` grades two answers, for suites without variants. The source of a grader
also names the tests that its author may select.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Final

from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import GraderKind, ProgramGraders, VitestGraders
from runner.evals.path_patterns import is_matching_any
from runner.suite.lint import eval_files, python_graders
from runner.suite.lint.eval_files import Finding, list_orphan_sections
from runner.suite.lint.typescript_graders import find_typescript_faults
from runner.suite.vitest_tests import list_vitest_tests

__all__ = ["Finding", "lint", "list_orphan_sections", "open_source"]

_PLACEHOLDER: Final = re.compile(r"[$%]")
"""The placeholders in a test's title for which vitest inserts values."""


def lint(suite: Suite, evals: Sequence[Eval]) -> list[Finding]:
    """Return the faults of ``evals``, sorted, without duplicates.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    findings = {
        *eval_files.find_suite_faults(suite, evals),
        *eval_files.find_unnamed_required(suite),
    }
    for evaluation in evals:
        findings |= set(open_source(evaluation).find_faults())
    return sorted(findings)


class GraderSource(ABC):
    """The files of a grader; each kind of graders has its own implementation."""

    @abstractmethod
    def select_tests(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Return the tests whose names or titles contain any of ``parts``.

        Raises:
            BadSelectionError: no test matches a part; the message names the tests.
            InvalidEvalError: a file of the grader cannot be read.
        """

    @abstractmethod
    def find_faults(self) -> Iterator[Finding]:
        """Yield the faults of grader, task and other files that their texts show."""


def open_source(evaluation: Eval) -> GraderSource:
    """Return the source of an eval's grader."""
    kind: GraderKind = evaluation.kind
    if isinstance(kind, ProgramGraders):
        return _ProgramSource(evaluation, kind)
    if isinstance(kind, VitestGraders):
        return _VitestSource(evaluation)
    return _PythonSource(evaluation)


class _PythonSource(GraderSource):
    """A grader in Python, with its check modules."""

    def __init__(self, evaluation: Eval) -> None:
        self._evaluation = evaluation
        self._modules = python_graders.read_modules(evaluation)

    def select_tests(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Return matching tests, and complete names with parameters such as ``test_a[42]``."""
        names = [test.name for module in self._modules for test in module.list_tests()]
        chosen: list[str] = []
        for part in parts:
            function, bracket, _ = part.partition("[")
            matching = [name for name in names if part in name]
            if bracket and function in names:
                matching = [part]
            if not matching:
                raise BadSelectionError(
                    f"no test of {self._evaluation.name} has {part!r} in its name: it has "
                    f"{', '.join(names)}"
                )
            chosen += matching
        return tuple(dict.fromkeys(chosen))

    def find_faults(self) -> Iterator[Finding]:
        yield from eval_files.find_missing_parts(
            self._evaluation, python_graders.list_used_fixtures(self._modules)
        )
        yield from python_graders.find_unmentioned_names(self._evaluation, self._modules)
        yield from python_graders.find_untitled_tests(self._modules)
        yield from python_graders.find_wavering_code(self._modules)


class _VitestSource(GraderSource):
    """A grader in TypeScript."""

    def __init__(self, evaluation: Eval) -> None:
        self._evaluation = evaluation

    def select_tests(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Return ``parts``, after a check that a test has each of them in its title.

        If titles have placeholders, they are not known yet, and the check is left out.
        """
        grader = self._evaluation.grader
        text = grader.read_text("utf-8", errors="replace")
        titles = [test.title for test in list_vitest_tests(grader.name, text)]
        is_settled = not any(_PLACEHOLDER.search(title) for title in titles)
        for part in parts:
            if is_settled and not any(part in title for title in titles):
                raise BadSelectionError(
                    f"no test of {self._evaluation.name} has {part!r} in its title: it has "
                    f"{', '.join(titles)}"
                )
        return tuple(dict.fromkeys(parts))

    def find_faults(self) -> Iterator[Finding]:
        return find_typescript_faults(self._evaluation)


class _ProgramSource(GraderSource):
    """A program of a suite's author, which nothing here can read."""

    def __init__(self, evaluation: Eval, kind: ProgramGraders) -> None:
        self._evaluation = evaluation
        self._config = kind.config

    def select_tests(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Refuse all parts, because a program runs all of its tests."""
        if parts:
            raise BadSelectionError(
                f"{self._evaluation.name}: the tests of a program cannot be selected: leave -k out"
            )
        return ()

    def find_faults(self) -> Iterator[Finding]:
        yield from eval_files.find_missing_texts(self._evaluation, self._config)
        try:
            files = self._evaluation.read_answer()
        except InvalidEvalError:  # `find_missing_texts` names the file
            return
        yield from eval_files.find_unnamed_files(self._evaluation, files)
        patterns = self._config.answers.paths
        for path in files:
            if not is_matching_any(path, patterns):
                advice = f"`paths` of suite.toml ({', '.join(patterns)}) leaves it out of answers"
                name = self._evaluation.name
                yield Finding(name, f"answer/{path}", 1, "left-out-file", advice)
