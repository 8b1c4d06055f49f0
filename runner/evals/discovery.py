"""The suite: all evals of a folder such as evals/, read and checked for missing parts."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from records.files.name_patterns import EVAL_NAME
from records.files.plain_files import find_symlink
from records.guidelines.sections import parse_sections
from records.suites import canary, given_app
from records.suites.eval_config import EvalConfig
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.calibrations import Calibration, read_calibrations
from runner.evals.grader_kinds import PYTHON, SETTINGS, GraderKind, PythonGraders, find_kind
from runner.evals.text_files import read_required, read_tree
from runner.evals.typescript_suites import find_evals_folder, find_kit, list_categories


@dataclass(frozen=True, slots=True)
class Eval:
    """A task with its reference answer, its grader and its calibrations."""

    name: str
    """``category/name``, such as ``002-queries/009-text_search``."""
    folder: Path
    task: str
    """The text of TASK.txt without the canary, which models get."""
    config: EvalConfig
    kind: GraderKind = PYTHON

    @property
    def asks_judge(self) -> bool:
        """True if a judge model decides a test of the grader."""
        return self.kind.asks_judge(self.folder)

    @property
    def category(self) -> str:
        """The name of the folder that contains the eval's folder."""
        return self.name.partition("/")[0]

    @property
    def grader(self) -> Path:
        """The tests: grader.py, grader.test.ts for TypeScript, or a program's folder."""
        return self.folder / self.kind.grader

    def collect_grader_files(self) -> tuple[Path, ...]:
        """Return the files that a verdict depends on: the grader, and the files it imports."""
        return self.kind.list_grader_files(self.folder)

    def read_given(self) -> dict[str, str]:
        """Return the app that answers change: the text of each file without the canary, by path.

        Only evals with graders of this project give one.

        Raises:
            InvalidEvalError: a file cannot be used; the message names it.
        """
        is_ours = isinstance(self.kind, PythonGraders)
        files = read_tree(self.folder / given_app.GIVEN) if is_ours else {}
        return {path: canary.strip_canary(text) for path, text in files.items()}

    def build_apps(self, changes: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Return the files of each app that can be deployed for an answer, by its name.

        Raises:
            InvalidEvalError: a file of the given app cannot be used; the message names it.
        """
        return given_app.build_apps(self.read_given(), changes, self.config.steps)

    def read_answer(self) -> dict[str, str]:
        """Return the reference answer: the text of each file by path, sorted.

        Over a given app it has the changes alone.

        Raises:
            InvalidEvalError: a file cannot be used; the message names it.
        """
        return read_tree(self.folder / "answer", only_texts=self.kind.is_of_others)

    def load_calibrations(self) -> tuple[Calibration, ...]:
        """Return the calibrations, first the variants that must pass.

        Raises:
            InvalidEvalError: a file cannot be used; the message names it.
        """
        return read_calibrations(self.folder, self.read_answer(), self.read_given())


@dataclass(frozen=True, slots=True)
class Suite:
    """All evals of a folder, and their guidelines."""

    root: Path
    evals: tuple[Eval, ...]
    """Sorted by name."""
    guidelines: str
    kind: GraderKind = PYTHON

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that have evals, sorted."""
        return tuple(sorted({evaluation.category for evaluation in self.evals}))

    def select(
        self, pattern: str | None, categories: Sequence[str], levels: Sequence[str] = ()
    ) -> tuple[Eval, ...]:
        """Return the evals of ``categories`` whose ``category/name`` the regex ``pattern`` matches.

        The regex may match any part of the name; None matches every name. If ``categories`` or
        ``levels`` is empty, evals of all are returned. A category may be named without its number,
        such as ``queries`` for ``002-queries``.

        Raises:
            BadSelectionError: the regex cannot be compiled, a category does not exist, or no eval
                matches.
        """
        try:
            matcher = re.compile(pattern or "")
        except re.error as error:
            raise BadSelectionError(f"{pattern!r} is not a regular expression: {error}") from error
        by_name = {each.partition("-")[2]: each for each in self.categories}
        by_name |= {each: each for each in self.categories}
        for name in categories:
            if name not in by_name:
                close = difflib.get_close_matches(name, by_name, n=1)
                closest = f"close to it is {close[0]}; " if close else ""
                every = ", ".join(self.categories)
                raise BadSelectionError(f"unknown category {name!r}: {closest}choose from {every}")
        category_names = {by_name[name] for name in categories}
        chosen = tuple(
            evaluation
            for evaluation in self.evals
            if (not category_names or evaluation.category in category_names)
            and (not levels or evaluation.config.level in levels)
            and matcher.search(evaluation.name)
        )
        if not chosen:
            within = f" in {', '.join(categories)}" if categories else ""
            within += f" of level {' or '.join(levels)}" if levels else ""
            # Close is a name, one of its halves, or a word of the second half.
            names: dict[str, str] = {}
            for each in self.evals:
                category, _, eval_name = each.name.partition("/")
                bare = eval_name.partition("-")[2]
                parts = (each.name, category, eval_name, bare, *bare.split("_"))
                names |= dict.fromkeys(parts, each.name)
            close = difflib.get_close_matches((pattern or "").lower(), names, n=1, cutoff=0.75)
            closest = f"close to it is {names[close[0]]}; " if close else ""
            missing = f"no eval{within} matches {pattern!r}" if pattern else f"no eval is{within}"
            raise BadSelectionError(f"{missing}: {closest}`leaderboard evals list` names them")
        return chosen


def discover(root: Path) -> Suite:
    """Read the suite at ``root``.

    Folders whose names begin with a digit are categories, and the folders in them are evals. Other
    files in ``root``, such as those of the Node toolchain, are not part of the suite.

    Raises:
        InvalidEvalError: a folder or file is missing or invalid; the message names it and the
            remedy.
    """
    root = find_evals_folder(root)
    kit, settings = find_kit(root), (root / "guidelines.md", root / SETTINGS)
    for path in (*settings, *list_categories(root), *([kit] if kit else [])):
        if (link := find_symlink(path, skipped=("node_modules",))) is not None:
            raise InvalidEvalError(
                f"{link}: is a symbolic link; put the file or folder itself there"
            )
    kind = find_kind(root)
    path, guidelines = root / "guidelines.md", ""
    if not kind.is_of_others or path.is_file():
        guidelines = read_required(path, "the text that models are given as guidelines")
    try:
        slugs = parse_sections("" if kind.is_of_others else guidelines)
    except ValueError as error:
        raise InvalidEvalError(f"{path}: {error}") from error
    evals: list[Eval] = []
    for category in list_categories(root):
        numbers: dict[str, Path] = {}
        folders = [path for path in sorted(category.iterdir()) if kind.has_eval(path)]
        for folder in folders:
            _check_name(folder)
            other = numbers.setdefault(folder.name[:3], folder)
            if other != folder and not kind.is_of_others:
                raise InvalidEvalError(
                    f"{folder}: has the same number as {other.name}; give it one of its own"
                )
        evals += [_read_eval(folder, slugs, kind) for folder in folders]
    if not evals:
        raise InvalidEvalError(f"{root}: holds no evals (folders such as 000-fundamentals/000-x)")
    return Suite(root=root, evals=tuple(evals), guidelines=guidelines, kind=kind)


def _check_name(folder: Path) -> None:
    """Check that the folder of an eval has a name such as ``000-fundamentals/001-crons``.

    Raises:
        InvalidEvalError: the name has another form.
    """
    if re.fullmatch(EVAL_NAME, f"{folder.parent.name}/{folder.name}") is None:
        raise InvalidEvalError(
            f"{folder}: categories and evals are named with three digits, a hyphen and snake_case "
            "(000-fundamentals/001-crons)"
        )


def read_eval(folder: Path, slugs: Mapping[str, str]) -> Eval:
    """Read the eval in ``folder``; ``slugs`` has the sections of the guidelines.

    Raises:
        InvalidEvalError: a file is missing or invalid; the message names it.
    """
    _check_name(folder)
    return _read_eval(folder, slugs, find_kind(folder.parents[1], folder))


def _read_eval(folder: Path, slugs: Mapping[str, str], kind: GraderKind) -> Eval:
    task = canary.strip_canary(read_required(folder / "TASK.txt", "the prompt"))
    config = kind.read_config(folder)
    if unknown := [slug for slug in config.guidelines if slug not in slugs]:
        raise InvalidEvalError(
            f"{folder / 'eval.toml'}: guidelines: no section {unknown[0]!r} in guidelines.md; "
            f"it has {', '.join(slugs)}"
        )
    return Eval(f"{folder.parent.name}/{folder.name}", folder, task, config, kind)
