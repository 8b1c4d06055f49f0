"""The description of all changes between two revisions, in `data/` and the suite."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from generator.diff.data_diff import DataDiff, DataState, diff_data
from leaderboard.changes.checkout import (
    ChangeKind,
    Places,
    RevisionFolder,
    UnreadFile,
    list_changed_files,
    write_revision,
)
from leaderboard.changes.guidelines import GuidelinesChange, compare_guidelines
from leaderboard.changes.registries import ModelChange, compare_models
from leaderboard.changes.repository import MergedTree, Repository, list_paths_below
from leaderboard.changes.results import (
    RecordCache,
    ReportChange,
    RunOfChange,
    compare_reports,
    describe_runs,
    keep_unread,
    list_removed,
    list_withdrawn,
    read_state,
)
from leaderboard.changes.stale_verdicts import (
    StaleVerdicts,
    SuiteVersionChange,
    compare_versions,
    compute_versions,
    count_stale_verdicts,
    find_toolchain_files,
)
from leaderboard.changes.suite_check import CheckResults, read_check_results
from leaderboard.changes.suites import (
    EvalChange,
    SuiteState,
    compare_evals,
    is_part_of_suite,
    read_suite_state,
)
from records.files.data_folder import list_run_paths
from records.shapes.run import Run

SITE_PATHS: Final = (
    *("data", "docs/method.md", "evals", "generator", "leaderboard", "netlify.toml", "records"),
    *("requirements", "scripts/netlify-ignore", "site_templates"),
)
"""The files and folders from which the site is built, the same as in `scripts/netlify-ignore`."""
_NOT_SHOWN: Final = frozenset({"README.md", "package-lock.json", ".npmrc"})
"""Files of the suite that no page depends on."""
_PROGRAMS: Final = ("records/", "runner/")
"""The packages that compute versions of a suite and digests of graders."""
_SURVIVORS: Final = "calibration/survivors.toml"
_RECORD_PLACES: Final = (("runs", 4, ".json"), ("reports", 4, ".md"))
"""The folders of records, each with the number of names in a record's path, and the path's end."""


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A changed file that no other part of the description covers."""

    path: str
    kind: ChangeKind


@dataclass(frozen=True, slots=True)
class RevisionChange:
    """The changes from one revision to another."""

    before: str
    """The name of the first revision, for readers."""
    after: str
    """The name of the second revision, for readers."""
    commit: str
    """The whole name of the first revision's commit."""
    is_merge: bool
    """True if the result of merging the second into the first is described."""
    note: str | None
    """Why other revisions are compared than the two that the user gave; None if they are not."""
    files: int
    """The number of changed files in `data/` and the suite."""
    shows: bool
    """True if the site may show any of the changes, including changes of the program."""
    changes_program: bool
    """True if files of the program change that compute versions and stale verdicts."""
    evals: Sequence[EvalChange]
    guidelines: GuidelinesChange | None
    models: Sequence[ModelChange]
    version: SuiteVersionChange | None
    """None if neither the suite nor a definition of a version changes."""
    stale: StaleVerdicts | None
    """None if the stale verdicts cannot be found."""
    data: DataDiff
    runs: Sequence[RunOfChange]
    withdrawn: Sequence[Run]
    removed: Sequence[Run]
    reports: Sequence[ReportChange]
    other: Sequence[OtherFile]
    unread: Sequence[UnreadFile]
    """The unusable files of the second revision, without faults that the first also has."""
    checks: CheckResults | None
    """The results of `suite check`; None if no file of results was given."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two revisions to compare, with the options for the comparison."""

    before: str
    """A revision of git, as the user gave it."""
    after: str
    data: Path
    """The data folder in the working tree."""
    evals: Path
    """The suite in the working tree."""
    merge: bool
    """True to compare with the result of merging the second revision into the first."""
    checks: Path | None = None
    """A file with results of `suite check`."""


def describe(comparison: Comparison) -> RevisionChange:
    """Read both revisions and return their differences.

    Raises:
        UsageError: a revision does not exist.
    """
    repository = Repository.find_containing(comparison.data)
    before, after = (repository.find_commit(name) for name in (comparison.before, comparison.after))
    tree = MergedTree(before, after, None)
    if comparison.merge:
        tree = repository.merge(before, after)
    places = _find_places(repository, comparison)
    paths = repository.list_changed_paths(tree.before, tree.after)
    with _write_folders(repository, comparison, tree, places) as (old, new):
        return _describe_sides(comparison, tree, paths, old, new)


def _find_places(repository: Repository, comparison: Comparison) -> Places:
    root = repository.root.resolve()
    data, evals = comparison.data.resolve(), comparison.evals.resolve()
    inside = evals.relative_to(root).as_posix() if evals.is_relative_to(root) else None
    return Places(data.relative_to(root).as_posix().removeprefix("."), inside)


@contextmanager
def _write_folders(
    repository: Repository, comparison: Comparison, tree: MergedTree, places: Places
) -> Generator[tuple[RevisionFolder, RevisionFolder]]:
    """Write both revisions into temporary folders, which exist until the end of the block."""
    with (
        TemporaryDirectory(prefix="leaderboard-diff-") as home,
        repository.open_contents() as reader,
    ):
        sides = [
            write_revision(
                label,
                repository.list_files(name, places.folders),
                places,
                reader,
                Path(home).resolve() / side,
            )
            for label, name, side in (
                (comparison.before, tree.before, "before"),
                (comparison.after, tree.after, "after"),
            )
        ]
        yield sides[0], sides[1]


@dataclass(slots=True)
class _Sides:
    """The suites and the data of both revisions."""

    old: RevisionFolder
    new: RevisionFolder
    suites: tuple[SuiteState, SuiteState] = field(init=False)
    states: tuple[DataState, DataState] = field(init=False)

    @property
    def _evals(self) -> str:
        return self.new.places.evals or "/"

    def __post_init__(self) -> None:
        cache = RecordCache()
        suite = read_suite_state(self.old)
        inside = list_paths_below(
            (path for path, _ in list_changed_files(self.old, self.new)), self._evals
        )
        self.suites = suite, read_suite_state(self.new, suite) if any(inside) else suite
        before, after = (read_state(folder, cache) for folder in (self.old, self.new))
        self.states = before, keep_unread(before, after, self.new)


def _describe_sides(
    comparison: Comparison,
    tree: MergedTree,
    paths: Sequence[str],
    old: RevisionFolder,
    new: RevisionFolder,
) -> RevisionChange:
    sides = _Sides(old, new)
    changed = list(list_changed_files(old, new))
    evals = compare_evals(old, new, *sides.suites)
    guidelines = compare_guidelines(*sides.suites, new)
    models = compare_models(old, new)
    version, stale = _compare_verdicts(sides, paths)
    before, after = sides.states
    reports = compare_reports(before, after, new)
    runs, removed = describe_runs(before, after, new), list_removed(before, after)
    described_files = _list_told_files(runs, removed, version)
    checks = None
    if comparison.checks is not None:
        checks = read_check_results(comparison.checks, sides.suites[1].names)
    return RevisionChange(
        before=comparison.before,
        after=comparison.after,
        commit=tree.before,
        is_merge=comparison.merge and tree.note is None,
        note=tree.note,
        files=len(changed),
        shows=any(_may_show(path, new.places) for path in paths),
        changes_program=any(path.startswith(_PROGRAMS) for path in paths),
        evals=evals,
        guidelines=guidelines,
        models=models,
        version=version,
        stale=stale,
        data=diff_data(before, after),
        runs=runs,
        withdrawn=list_withdrawn(before, after),
        removed=removed,
        reports=reports,
        other=[
            OtherFile(path, kind)
            for path, kind in changed
            if not _is_described(path, sides, described_files)
        ],
        unread=sorted(set(new.unread) - set(old.unread)),
        checks=checks,
    )


def _compare_verdicts(
    sides: _Sides, paths: Sequence[str]
) -> tuple[SuiteVersionChange | None, StaleVerdicts | None]:
    old, new = sides.suites
    touched = {path for path, _ in list_changed_files(sides.old, sides.new)}
    below = list(list_paths_below(touched, sides.new.places.evals or "/"))
    definitions = list(
        list_paths_below(touched, f"{sides.new.places.data}/benchmarks".removeprefix("/"))
    )
    toolchain = _find_toolchain(sides, paths)
    if not (below or definitions or toolchain):
        return None, StaleVerdicts({}, 0, (), 0)
    versions = compute_versions(old, new, sides.new)
    stale = count_stale_verdicts(sides.suites, versions, sides.states, toolchain or ())
    if versions.before == versions.after and versions.after is not None and not definitions:
        return None, stale
    change = compare_versions(
        versions, sides.states[1].benchmarks, sides.new, sides.states[0].benchmarks
    )
    return change, stale if toolchain is not None else None


def _find_toolchain(sides: _Sides, paths: Sequence[str]) -> Sequence[str] | None:
    """Return the changed files on which all verdicts depend; None without a needed package."""
    try:
        return find_toolchain_files(paths, sides.old, sides.new)
    except ModuleNotFoundError:
        return None


def _is_described(path: str, sides: _Sides, described_files: frozenset[str]) -> bool:
    """Return whether another part of the description covers a file."""
    places = sides.new.places
    for inside in list_paths_below([path], places.data):
        return inside in described_files or any(map(partial(_is_at, inside), _RECORD_PLACES))
    for inside in list_paths_below([path], places.evals or "/"):
        return any(is_part_of_suite(inside, suite) for suite in sides.suites)
    return False


def _is_at(inside: str, pattern: tuple[str, int, str]) -> bool:
    """Return whether a path in the data folder is that of a kind of records.

    ``pattern`` is an item of `_RECORD_PLACES`.
    """
    folder, parts, suffix = pattern
    names = inside.split("/")
    hidden = any(name.startswith(".") for name in names)
    return names[0] == folder and len(names) == parts and names[-1].endswith(suffix) and not hidden


def _list_told_files(
    runs: Sequence[RunOfChange], gone: Sequence[Run], version: SuiteVersionChange | None
) -> frozenset[str]:
    """Return the paths in the data folder that belong to described runs and the version."""
    described_runs = [*(facts.run for facts in runs), *gone]
    files = {
        path
        for run in described_runs
        for path in list_run_paths("artifacts", run.model.slug, f"{run.run_id}.zip")
    }
    if version is not None and version.after is not None:
        files.add(f"benchmarks/{version.after}.json")
    return frozenset({"models.toml", *files})


def _may_show(path: str, places: Places) -> bool:
    """Return whether the site may show the content of a file."""
    for inside in list_paths_below([path], places.evals or "/"):
        return inside not in _NOT_SHOWN and not inside.endswith(_SURVIVORS)
    if any(list_paths_below([path], places.data)):
        return True
    return any(path == part or path.startswith(f"{part}/") for part in SITE_PATHS)
