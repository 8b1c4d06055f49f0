"""Paths of files that no heading of a reply can name, though an answer needs the files."""

from collections.abc import Iterator, Sequence
from typing import Final

from runner.answers.paths import path_in_heading
from runner.evals.command_suites import SETTINGS
from runner.evals.discovery import Eval, Suite
from runner.suite.lint.finding import Finding

_RULE: Final = "unnamed-path"
_ADVICE: Final = (
    "no heading of a reply can name it: it needs an ending or a folder, and no blanks or brackets"
)


def find_unnamed_paths(suite: Suite, evals: Sequence[Eval]) -> Iterator[Finding]:
    """Yield findings for required files, and for files of references of a suite's author."""
    if suite.config is None:
        return
    for path in suite.config.answers.required:
        if path_in_heading(path) != path:
            advice = f"answers.required: {path}: {_ADVICE}"
            yield Finding(SETTINGS, SETTINGS, 1, _RULE, advice)
    for evaluation in evals:
        for path in evaluation.answer():
            if path_in_heading(path) != path:
                yield Finding(evaluation.name, f"answer/{path}", 1, _RULE, _ADVICE)
