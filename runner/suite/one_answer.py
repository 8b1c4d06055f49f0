"""The search for an answer to grade: a folder, or a known answer of an eval by its name."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from records.shapes.attempt import Attempt, Outcome
from runner.answers.rules import MOST_BYTES_IN_ALL, MOST_FILES
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.text_files import is_text, list_files, read_tree
from runner.suite.check import Expectation, list_expectations


@dataclass(frozen=True, slots=True)
class AnswerToGrade:
    """An answer, with the facts about it before its grading."""

    title: str
    """The name of the answer, such as ``fail/wrong_order``."""
    files: Mapping[str, str]
    reply: str | None = None
    """The model's reply, from which the files are parsed again; None if there is no reply."""
    expected: str | None = None
    """The expected verdict in words; None if no verdict is expected."""
    recorded: Attempt | None = None
    """The attempt of a run; None if the answer belongs to no attempt."""


def find_eval(suite: Suite, name: str) -> Eval:
    """Return the eval called ``name``, or the only eval that ``name`` matches as a regex.

    Raises:
        BadSelectionError: no eval matches, or several match.
    """
    exact = [evaluation for evaluation in suite.evals if evaluation.name == name]
    matching = exact or list(suite.select(name, ()))
    if len(matching) > 1:
        names = ", ".join(evaluation.name for evaluation in matching[:5])
        more = f" and {len(matching) - 5} more" if len(matching) > 5 else ""  # noqa: PLR2004
        raise BadSelectionError(f"{name!r} matches {len(matching)} evals: {names}{more}; name one")
    return matching[0]


def read_answer(evaluation: Eval, name: str) -> AnswerToGrade:
    """Return the answer called ``name``: the reference, a baseline, a variant, or a folder.

    A variant may be named without ``pass/`` or ``fail/``. A folder whose name is that of an answer
    must be given as ``./NAME``.

    Raises:
        BadSelectionError: there is no such answer; the message lists the answers of the eval.
        InvalidEvalError: a file cannot be used; the message names it.
    """
    answers = _list_known_answers(evaluation)
    short = {each.partition("/")[2] or each: answer for each, answer in answers.items()}
    if (answer := answers.get(name) or short.get(name)) is not None:
        return answer
    folder = Path(name)
    if folder.is_dir():
        return AnswerToGrade(
            name, read_folder(folder, only_texts=evaluation.kind.has_convex_answers)
        )
    close = difflib.get_close_matches(name, [*answers, *short], n=1)
    nearest = f"; close to it is {close[0]}" if close else ""
    raise BadSelectionError(
        f"{name}: is no folder, no RUN:SAMPLE and no answer of {evaluation.name}{nearest}; "
        f"its answers are {', '.join(answers)}"
    )


def read_folder(folder: Path, *, only_texts: bool) -> dict[str, str]:
    """Return the files of an answer in a folder; with ``only_texts`` without all that are no text.

    Raises:
        InvalidEvalError: a file cannot be used, or the folder has no files, or more files or bytes
            than an answer may have.
    """
    paths = list_files(folder)
    if only_texts and len(paths) <= MOST_FILES:
        paths = [path for path in paths if is_text(path)]
    size = sum(path.lstat().st_size for path in paths)
    if len(paths) > MOST_FILES or size > MOST_BYTES_IN_ALL:
        raise InvalidEvalError(
            f"{folder}: holds {len(paths)} files of {size:,} bytes in all: an answer has at most "
            f"{MOST_FILES} of {MOST_BYTES_IN_ALL:,}; name the folder with its package.json"
        )
    if not paths:
        raise InvalidEvalError(f"{folder}: holds no files")
    return read_tree(folder, only_texts=only_texts)


def _list_known_answers(evaluation: Eval) -> dict[str, AnswerToGrade]:
    return {
        each.name: AnswerToGrade(each.name, each.files, expected=_describe_expectation(each))
        for each in list_expectations(evaluation)
    }


def _describe_expectation(expected: Expectation) -> str:
    if expected.outcome is Outcome.PASSED:
        return "must pass"
    step = f" at {expected.step}" if expected.step else ""
    tests = f", {', '.join(expected.tests)} among its tests" if expected.tests else ""
    return f"must fail{step}{tests}"
