"""The changes of a suite: added, changed and removed evals, and faults in their files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.changes.checkout import ChangeKind, RevisionFolder, list_changed_files
from leaderboard.changes.repository import list_paths_below
from records.guidelines.sections import parse_sections
from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite, discover, read_eval
from runner.evals.typescript_suites import GRADER, has_typescript_graders

_SUITE_FILES: Final = frozenset(
    {"guidelines.md", "guidelines.tokens.json", "package.json", "package-lock.json"}
)


@dataclass(frozen=True, slots=True)
class VariantCount:
    """The numbers of right and wrong variants that calibrate a grader."""

    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class EvalChange:
    """An eval that was added, changed or removed."""

    name: str
    kind: ChangeKind
    title: str | None
    """The title; None if it cannot be read."""
    parts: Sequence[str]
    """The parts with changed files, such as ``task``; empty for an added or removed eval."""
    variants: VariantCount | None
    """The numbers in the second revision; None if the eval is removed or cannot be read."""


@dataclass(frozen=True, slots=True)
class SuiteState:
    """The readable parts of a suite at one revision."""

    evals: Mapping[str, Eval]
    """The evals that can be read, by name."""
    names: frozenset[str]
    """The names of all evals, including those that cannot be read."""
    guidelines: str | None
    """The text of the guidelines; None if it cannot be read."""
    slugs: Mapping[str, str]
    """The sections of the guidelines by slug."""
    whole: Suite | None
    """The suite; None if a part of it cannot be read."""


def read_suite_state(folder: RevisionFolder, earlier: SuiteState | None = None) -> SuiteState:
    """Return the suite of a revision, read eval by eval; unusable files are noted in ``folder``.

    If the guidelines cannot be used, the sections of the ``earlier`` guidelines are used instead.
    Otherwise every eval would have the fault that its sections do not exist.
    """
    root = folder.evals
    if root is None or not folder.list_paths(folder.places.evals):
        return SuiteState({}, frozenset(), None, {}, None)
    names = frozenset(_find_eval_names(folder))
    guidelines = _read_guidelines(folder)
    slugs: Mapping[str, str] | None = None
    try:
        slugs = None if guidelines is None else parse_sections(guidelines)
    except ValueError as error:
        folder.refuse(root / "guidelines.md", str(error))
    if slugs is None:
        slugs = earlier.slugs if earlier is not None else {}
    evals: dict[str, Eval] = {}
    for name in sorted(names):
        folder_of_eval = root / name
        try:
            evals[name] = read_eval(folder_of_eval, slugs)
        except (InvalidEvalError, OSError, ValueError, RecursionError) as error:
            _refuse(folder, f"{folder.places.evals}/{name}", error)
    whole = None
    if names and not any(
        list_paths_below([unread.path for unread in folder.unread], folder.places.evals or "")
    ):
        try:
            whole = discover(root)
        except (InvalidEvalError, OSError, ValueError, RecursionError) as error:
            _refuse(folder, folder.places.evals or "", error)
    return SuiteState(evals, names, guidelines, slugs, whole)


def compare_evals(
    before: RevisionFolder, after: RevisionFolder, old: SuiteState, new: SuiteState
) -> list[EvalChange]:
    """Return the evals that differ between two revisions, by name."""
    parts: dict[str, dict[str, None]] = {}
    for path, _ in list_changed_files(before, after):
        for inside in list_paths_below([path], after.places.evals or ""):
            name = "/".join(inside.split("/")[:2])
            if after.places.evals is not None and name in old.names | new.names:
                part = _name_part(inside.removeprefix(f"{name}/"))
                parts.setdefault(name, {})[part] = None
    return [_describe_eval(name, list(touched), after, old, new) for name, touched in parts.items()]


def is_part_of_suite(inside: str, state: SuiteState) -> bool:
    """Return whether a description covers a file; ``inside`` is its path relative to the suite."""
    return inside in _SUITE_FILES or "/".join(inside.split("/")[:2]) in state.names


def _find_eval_names(folder: RevisionFolder) -> Iterator[str]:
    """Yield ``category/name`` of each folder of an eval, several times if it has several files."""
    for path in folder.list_paths(folder.places.evals):
        category, _, inside = path.partition("/")
        name, _, file = inside.partition("/")
        if file and category[:1].isdigit() and not name.startswith((".", "_")):
            yield f"{category}/{name}"


def _read_guidelines(folder: RevisionFolder) -> str | None:
    relative_path = f"{folder.places.evals}/guidelines.md"
    path = folder.root / relative_path
    if not path.exists():
        is_unread = any(file.path == relative_path for file in folder.unread)
        # A suite with graders in TypeScript may have no guidelines.
        if not is_unread and not has_typescript_graders(path.parent):
            folder.refuse(path, "missing: it has the text that models are given")
        return None
    try:
        return path.read_text(encoding="utf-8")
    except ValueError as error:
        folder.refuse(path, f"is not UTF-8 text: {error}")
        return None


def _refuse(folder: RevisionFolder, relative_path: str, error: Exception) -> None:
    """Note in ``folder`` that an eval cannot be read, at the file that the message names."""
    message = str(error) or type(error).__name__
    refused = {path_refused.path for path_refused in folder.unread}
    path, _, reason = message.removeprefix(f"{folder.root}/").partition(": ")
    if not path.startswith(relative_path):
        path, reason = relative_path, message
    # A file that was refused before is missing now, but this is not a second fault.
    if not any(path_refused.startswith(f"{relative_path}/") for path_refused in refused):
        folder.refuse(folder.root / path, reason)


def _name_part(inside: str) -> str:
    """Return the part of an eval that a file belongs to, by its path in the eval's folder."""
    head = inside.partition("/")[0]
    if head in {"grader.py", GRADER} or (head.startswith("check_") and head.endswith(".py")):
        return "grader"
    names = {
        "TASK.txt": "task",
        "answer": "reference answer",
        "eval.toml": "configuration",
        "eval.json": "configuration",
        "calibration": "variants",
    }
    return names.get(head, "other files")


def _describe_eval(
    name: str, parts: Sequence[str], after: RevisionFolder, old: SuiteState, new: SuiteState
) -> EvalChange:
    kind = ChangeKind.CHANGED
    if name not in old.names:
        kind = ChangeKind.ADDED
    elif name not in new.names:
        kind = ChangeKind.REMOVED
    state = old if kind is ChangeKind.REMOVED else new
    evaluation = state.evals.get(name)
    variants = None
    if evaluation is not None and kind is not ChangeKind.REMOVED:
        variants = _count_variants(evaluation, after)
    return EvalChange(
        name=name,
        kind=kind,
        title=evaluation and evaluation.config.title,
        parts=parts if kind is ChangeKind.CHANGED else (),
        variants=variants,
    )


def _count_variants(evaluation: Eval, folder: RevisionFolder) -> VariantCount | None:
    try:
        calibrations = evaluation.load_calibrations()
    except (InvalidEvalError, OSError, ValueError, RecursionError) as error:
        _refuse(folder, f"{folder.places.evals}/{evaluation.name}", error)
        return None
    right = sum(calibration.kind == "pass" for calibration in calibrations)
    return VariantCount(right, len(calibrations) - right)
