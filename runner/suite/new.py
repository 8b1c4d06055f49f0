"""The making of a new eval's folder, with all files that an author has to write."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import NamedTuple

from records.files.name_patterns import EVAL_NAME
from runner.answers.prompt import read_offered_packages
from runner.errors import BadSelectionError
from runner.evals import canary
from runner.evals.grader_kinds import SETTINGS
from runner.suite.lint.eval_files import CATEGORIES

_LAST_NUMBER = 999

_EXAMPLE = "convex/example.ts"


class Beginning(NamedTuple):
    """The task and answer with which an author begins, such as those of a session."""

    task: str
    """The text of the task."""
    answer: Mapping[str, str]
    """The files of the right answer, by path; empty if they are unknown."""


def make_eval(
    root: Path,
    category: str,
    name: str,
    beginning: Beginning | None = None,
    *,
    has_given: bool = False,
) -> Path:
    """Make the folder of an eval with the next free number of its category; return it.

    A category may be given without its number. With a ``beginning``, its task and answer replace
    the placeholders. With ``has_given``, the answer changes an app in ``given/``.

    Raises:
        BadSelectionError: there is no such category, or the name is not snake_case or is taken.
            Nothing is written then.
        InvalidEvalError: package.json of the suite does not pin convex.
    """
    if (root / SETTINGS).exists():
        raise BadSelectionError(
            f"{root / SETTINGS}: this suite has graders of its author's own form: copy the folder "
            "of an eval, and give it the next number"
        )
    given = category
    category = next((each for each in CATEGORIES if category in {each, each[4:]}), "")
    if not category:
        names = ", ".join(each[4:] for each in CATEGORIES)
        raise BadSelectionError(f"{given!r} is no category: choose from {names}")
    existing = [path.name for path in (root / category).glob("[0-9][0-9][0-9]-*")]
    if name in {each[4:] for each in existing}:
        raise BadSelectionError(f"{category} has an eval {name!r} already: choose another name")
    number = max((int(each[:3]) for each in existing), default=-1) + 1
    if number > _LAST_NUMBER:
        raise BadSelectionError(f"{category} has no number left")
    full = f"{category}/{number:03}-{name}"
    if re.fullmatch(EVAL_NAME, full) is None:
        raise BadSelectionError(
            f"{name!r} is no name for an eval: use snake_case, such as forget_hive"
        )
    folder = root / full
    texts = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    package = {
        "name": name.replace("_", "-"),
        "version": "1.0.0",
        "private": True,
        "dependencies": {"convex": read_offered_packages(root)["convex"]},
    }
    project = {"package.json": json.dumps(package, indent=2) + "\n"}
    given = {**project, _EXAMPLE: texts["given"]} if has_given else {}
    answer = {} if has_given else project
    answer |= beginning.answer if beginning and beginning.answer else {_EXAMPLE: texts["answer"]}
    varied = next((path for path in answer if path.startswith("convex/")), "package.json")
    changed = [line for line in answer[varied].splitlines() if line.strip() and "'''" not in line]
    files = {
        "TASK.txt": texts["task"]
        if beginning is None
        else f"{texts['task']}\n{beginning.task.rstrip()}\n",
        "eval.toml": texts["config"],
        "grader.py": texts["grader"],
        **{f"given/{path}": text for path, text in given.items()},
        **{f"answer/{path}": text for path, text in answer.items()},
        "calibration/calibration.toml": Template(texts["calibration"]).substitute(
            path=json.dumps(varied), line=changed[-1] if changed else ""
        ),
        f"calibration/pass/right_two/{varied}": texts["variant"],
    }
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    canary.mark(folder)
    return folder
