"""Paths of files that no heading of a reply can name, though an answer needs the files."""

from collections.abc import Iterable, Iterator
from typing import Final

from runner.answers.paths import find_path_in_heading
from runner.evals.discovery import Eval, Suite
from runner.evals.grader_kinds import SETTINGS, ProgramGraders
from runner.suite.lint.finding import Finding

_RULE: Final = "unnamed-path"
_ADVICE: Final = (
    "no heading of a reply can name it: it needs an ending or a folder, and no blanks or brackets"
)


def find_unnamed_required(suite: Suite) -> Iterator[Finding]:
    """Yield findings for the files that a suite with ``suite.toml`` requires of every answer."""
    kind = suite.kind
    for path in kind.config.answers.required if isinstance(kind, ProgramGraders) else ():
        if find_path_in_heading(path) != path:
            advice = f"answers.required: {path}: {_ADVICE}"
            yield Finding(SETTINGS, SETTINGS, 1, _RULE, advice)


def find_unnamed_files(evaluation: Eval, files: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for ``files``, the paths of a reference."""
    for path in files:
        if find_path_in_heading(path) != path:
            yield Finding(evaluation.name, f"answer/{path}", 1, _RULE, _ADVICE)
