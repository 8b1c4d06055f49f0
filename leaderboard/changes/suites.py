"""The changes of a suite: evals, sections of the guidelines, faults of files, results of checks."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from generator.diff.data_diff import ChangeKind
from leaderboard.changes.revisions import RevisionFolder
from records.errors import RecordsError
from records.files.json_limits import find_excess
from records.grouping import group_values
from records.guidelines.sections import parse_sections, read_guidelines_tokens, remove_sections
from records.suites.benchmark import compute_texts_digest
from records.suites.given_app import GIVEN
from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval, Suite, discover, read_eval
from runner.evals.typescript_suites import GRADER, has_typescript_graders
from runner.models.tokens import count_tokens
from runner.suite.held_out import FROZEN, FROZEN_DIGEST, find_shared_texts

UNFIT = (InvalidEvalError, OSError, ValueError, RecursionError)
"""The errors that a file of a suite may cause."""
LARGEST_RESULTS = 4 * 1024 * 1024
"""The most bytes of a file of results."""
_MOST_VALUES = 100_000
_MOST_ROWS = 10_000
_PARTS = {
    "grader.py": "grader",
    GRADER: "grader",
    "TASK.txt": "task",
    GIVEN: "given app",
    "answer": "reference answer",
    "eval.toml": "configuration",
    "eval.json": "configuration",
    "calibration": "variants",
    "blind": "blind answers",
}
"""The parts of an eval by their file or folder."""
_SUITE_FILES = frozenset(
    {
        "guidelines.md",
        "guidelines.tokens.json",
        FROZEN,
        FROZEN_DIGEST,
        "package.json",
        "package-lock.json",
    }
)


class VariantCount(NamedTuple):
    """The numbers of right and wrong variants that calibrate a grader."""

    right: int
    wrong: int


class EvalChange(NamedTuple):
    """An eval that was added, changed or removed."""

    name: str
    kind: ChangeKind
    title: str | None
    """The title; None if it cannot be read."""
    parts: Sequence[str]
    """The parts with changed files, such as ``task``; empty for an added or removed eval."""
    variants: VariantCount | None
    """The numbers in the second revision; None if the eval is removed or cannot be read."""


class SuiteState(NamedTuple):
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
    inside = [path for path in map(folder.places.find_in_evals, folder.files) if path is not None]
    if root is None or not inside:
        return SuiteState({}, frozenset(), None, {}, None)
    # An eval is a folder category/name with a file.
    parts = [path.split("/", 2) for path in inside]
    names = frozenset(
        f"{part[0]}/{part[1]}"
        for part in parts
        if len(part) == 3 and part[0][:1].isdigit() and not part[1].startswith((".", "_"))  # noqa: PLR2004 - both folders and the file
    )
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
        try:
            evals[name] = read_eval(root / name, slugs)
        except UNFIT as error:
            refuse_suite(folder, error, name)
    whole = None
    if names and not any(folder.places.find_in_evals(file.path) for file in folder.unread):
        try:
            whole = discover(root)
        except UNFIT as error:
            refuse_suite(folder, error)
    return SuiteState(evals, names, guidelines, slugs, whole)


def compare_evals(
    paths: Sequence[str], after: RevisionFolder, old: SuiteState, new: SuiteState
) -> list[EvalChange]:
    """Return the evals that have a changed file, by name; ``paths`` are all changed files."""
    parts: dict[str, dict[str, None]] = {}
    for path in paths:
        inside = after.places.find_in_evals(path) or ""
        name = "/".join(inside.split("/")[:2])
        if name in old.names | new.names:
            head = inside.removeprefix(f"{name}/").partition("/")[0]
            is_kit = head.startswith("check_") and head.endswith(".py")
            part = "grader" if is_kit else _PARTS.get(head, "other files")
            parts.setdefault(name, {})[part] = None
    changes: list[EvalChange] = []
    for name, touched in parts.items():
        kind = ChangeKind.compare(
            name if name in old.names else None, name if name in new.names else None
        )
        state = old if kind is ChangeKind.REMOVED else new
        evaluation = state.evals.get(name)
        variants = None
        if evaluation is not None and kind is not ChangeKind.REMOVED:
            try:
                calibrations = evaluation.load_calibrations()
                right = sum(calibration.kind == "pass" for calibration in calibrations)
                variants = VariantCount(right, len(calibrations) - right)
            except UNFIT as error:
                refuse_suite(after, error, evaluation.name)
        title = None if evaluation is None else evaluation.config.title
        named = list(touched) if kind is ChangeKind.CHANGED else []
        changes.append(EvalChange(name, kind, title, named, variants))
    return changes


def is_part_of_suite(inside: str, state: SuiteState) -> bool:
    """Return whether a description covers a file; ``inside`` is its path relative to the suite."""
    return inside in _SUITE_FILES or "/".join(inside.split("/")[:2]) in state.names


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


def refuse_suite(folder: RevisionFolder, error: Exception, name: str = "") -> None:
    """Note in ``folder`` that an eval or the suite cannot be used, at the file that is named."""
    relative_path = f"{folder.places.evals}/{name}".rstrip("/")
    message = str(error) or type(error).__name__
    path, _, reason = message.removeprefix(f"{folder.root}/").partition(": ")
    if not path.startswith(relative_path):
        path, reason = relative_path, message
    # A file that was refused before is missing now, but this is not a second fault.
    if not any(file.path.startswith(f"{relative_path}/") for file in folder.unread):
        folder.refuse(folder.root / path, reason)


class SectionChange(NamedTuple):
    """A section of the guidelines that differs."""

    slug: str | None
    """None for the text outside of all sections."""
    kind: ChangeKind
    tokens: tuple[int | None, int | None]
    """The numbers before and after; null if the section is missing."""
    evals: Sequence[str]
    """The evals of the second suite that exercise the section."""


class GuidelinesChange(NamedTuple):
    """The changes from one text of the guidelines to another."""

    sections: Sequence[SectionChange]
    tokens: tuple[int | None, int | None]
    """The tokens of the whole texts, before and after."""
    counts_are_stale: bool
    """True if the file of counts beside the second text is missing or is about another text."""
    shared: Sequence[tuple[str, str]] = ()
    """The held-out evals with which the second text shares more than the first, each with what."""


def compare_guidelines(
    old: SuiteState, new: SuiteState, after: RevisionFolder
) -> GuidelinesChange | None:
    """Return the changes of the guidelines; None if they are the same, or cannot be read."""
    if old.guidelines == new.guidelines or new.guidelines is None:
        return None
    before = old.guidelines or ""
    try:
        earlier, later = parse_sections(before), parse_sections(new.guidelines)
        outsides = remove_sections(before), remove_sections(new.guidelines)
    except ValueError:  # the file is among the unread files
        return None
    changes: list[SectionChange] = []
    for slug in dict.fromkeys((*later, *earlier)):
        texts = earlier.get(slug), later.get(slug)
        if texts[0] != texts[1]:
            first, second = (None if text is None else count_tokens(text) for text in texts)
            users = [name for name, each in new.evals.items() if slug in each.config.guidelines]
            kind = ChangeKind.compare(*texts)
            changes.append(SectionChange(slug, kind, (first, second), users))
    if outsides[0] != outsides[1]:
        counts = count_tokens(outsides[0]), count_tokens(outsides[1])
        changes.append(SectionChange(None, ChangeKind.CHANGED, counts, ()))
    are_stale = after.evals is not None
    if after.evals is not None:
        try:
            counted = read_guidelines_tokens(after.evals)
            digest = compute_texts_digest(new.guidelines)
            are_stale = counted is None or counted.digest != digest
        except RecordsError as error:
            after.refuse(after.evals / "guidelines.tokens.json", str(error))
    shared: list[tuple[str, str]] = []
    try:
        shared += find_shared_texts(before, new.guidelines, new.evals.values())
    except UNFIT as error:
        refuse_suite(after, error)
    return GuidelinesChange(
        shared=shared,
        sections=changes,
        tokens=(count_tokens(before) if old.guidelines else None, count_tokens(new.guidelines)),
        counts_are_stale=are_stale,
    )


class CheckedEval(NamedTuple):
    """The numbers of answers to an eval with right, wrong and no verdicts."""

    right: int
    """Answers with the expected verdict."""
    wrong: int
    """Answers with another verdict."""
    left_out: int
    """Answers without a verdict, because the reference of the eval did not pass."""


class CheckResults(NamedTuple):
    """The results by eval, or the reason why there are none."""

    evals: Mapping[str, CheckedEval]
    fault: str | None
    """The reason why there are no results; None if there are."""


class _CheckedAnswer(BaseModel):
    """A row of `suite check --json`, as far as it counts."""

    eval: str
    answer: Annotated[
        str,
        Field(pattern=r"^(?:reference|baseline/(?:empty|stub)|(?:pass|fail)/[A-Za-z0-9_-]{1,80})$"),
    ]
    holds: bool
    left_out: bool


_ROWS = TypeAdapter(Annotated[list[_CheckedAnswer], Field(max_length=_MOST_ROWS)])


def read_check_results(path: Path, names: Collection[str]) -> CheckResults:
    """Return the results in the file at ``path`` for the evals called ``names``.

    The file comes from a job that a stranger may control. Only the names of evals that the suite
    has, and answers and verdicts of the right form, are accepted; one wrong row refuses all.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_RESULTS + 1)
    except OSError:
        return CheckResults({}, "the job of this pull request left none")
    if len(data) > LARGEST_RESULTS or find_excess(data, _MOST_VALUES) is not None:
        return CheckResults({}, "the job of this pull request left a file that is too large")
    try:
        rows = _ROWS.validate_json(data, strict=True)
    except ValidationError as error:
        is_json = error.errors(include_url=False)[0]["type"] != "json_invalid"
        form = "rows of another form" if is_json else "a file that is not JSON"
        return CheckResults({}, f"the job of this pull request left {form}")
    if any(row.eval not in names for row in rows):
        return CheckResults({}, "the job of this pull request names an eval that is not there")
    if len({(row.eval, row.answer) for row in rows}) < len(rows):
        return CheckResults({}, "the job of this pull request names an answer twice")
    evals = {
        name: CheckedEval(
            right=sum(row.holds and not row.left_out for row in answers),
            wrong=sum(not row.holds and not row.left_out for row in answers),
            left_out=sum(row.left_out for row in answers),
        )
        for name, answers in group_values((row.eval, row) for row in rows).items()
    }
    return CheckResults(evals, None)
