"""The published verdicts that a change makes stale, and the change of the suite's version."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from generator.diff.data_diff import DataState
from leaderboard.changes.revisions import RevisionFolder
from leaderboard.changes.suites import UNFIT, SuiteState, refuse_suite
from records.files.data_folder import DataFolder
from records.suites.benchmark import Benchmark
from runner.evals.discovery import Eval

_DEFINITION: Final = ("version", "protocol", "digest", "system_prompt", "guidelines", "evals")


@dataclass(frozen=True, slots=True)
class StaleVerdicts:
    """Published verdicts of graders that differ in the second revision."""

    by_eval: Mapping[str, int]
    """The number of stale verdicts for each eval whose grader differs."""
    other_questions: int
    """The number of those that ``regrade`` cannot replace: their runs answered other questions."""
    toolchain: Sequence[str]
    """The changed files on which all verdicts depend."""
    at_most: int
    """The number of all verdicts if `toolchain` has files, else 0."""

    @property
    def number(self) -> int:
        """The number of verdicts that are stale because of their graders."""
        return sum(self.by_eval.values())


@dataclass(frozen=True, slots=True)
class SuiteVersionChange:
    """The change of the suite's benchmark version."""

    before: str | None
    """The first version; None if it cannot be computed."""
    after: str | None
    """The second version; None if it cannot be computed."""
    minted: bool
    """True if the second version is defined in data/benchmarks/ with the day of its minting."""
    is_new_definition: bool
    """True if the change itself adds the definition of the second version."""
    contradicts: bool
    """True if the definition of the second version differs from the suite."""
    why_unknown: str | None
    """The reason why the second version cannot be computed; None if it can."""


@dataclass(frozen=True, slots=True)
class SuiteVersions:
    """The benchmark versions that the suites of both revisions give."""

    before: Benchmark | None
    after: Benchmark | None
    why_unknown: str | None


def compute_versions(old: SuiteState, new: SuiteState, after: RevisionFolder) -> SuiteVersions:
    """Return the benchmark versions of two revisions of a suite; nothing is written.

    If the second suite cannot be used, this is noted in its folder, ``after``.
    """
    try:
        # Some machines that compare revisions lack the parsers that this module needs.
        from runner.suite.mint import make_benchmark  # noqa: PLC0415
    except ModuleNotFoundError as error:
        return SuiteVersions(None, None, f"the package {error.name} is not installed")
    computed: list[Benchmark | None] = []
    for state in (old, new):
        try:
            computed.append(None if state.whole is None else make_benchmark(state.whole))
        except UNFIT as error:
            computed.append(None)
            if state is new:
                refuse_suite(after, error)
    unknown = None if computed[1] is not None else "a part of the suite cannot be used"
    return SuiteVersions(computed[0], computed[1], unknown)


def compare_versions(
    versions: SuiteVersions, states: tuple[DataState, DataState], after: RevisionFolder
) -> SuiteVersionChange:
    """Return the change of the suite's version; ``states`` define the versions that are minted.

    A definition in the second revision, ``after``, that contradicts the suite is noted there.
    """
    computed = versions.after
    minted = None if computed is None else states[1].benchmarks.get(computed.version)
    contradicts = (
        computed is not None
        and minted is not None
        and any(getattr(computed, name) != getattr(minted, name) for name in _DEFINITION)
    )
    if contradicts and computed is not None:
        path = DataFolder(after.data).get_benchmark_file(computed.version)
        after.refuse(path, "is not the definition that the suite gives")
    return SuiteVersionChange(
        before=versions.before and versions.before.version,
        after=computed and computed.version,
        minted=minted is not None and minted.minted_at is not None and not contradicts,
        is_new_definition=minted is not None and minted.version not in states[0].benchmarks,
        contradicts=contradicts,
        why_unknown=versions.why_unknown,
    )


def count_stale_verdicts(
    suites: tuple[SuiteState, SuiteState],
    versions: SuiteVersions,
    states: tuple[DataState, DataState],
    toolchain: Sequence[str],
) -> StaleVerdicts | None:
    """Return the published verdicts that become stale; None if the runner cannot be imported.

    ``suites`` and ``states`` are those of both revisions. All verdicts depend on the changed files
    ``toolchain``.
    """
    old, new = suites
    defined = {**states[0].benchmarks, **states[1].benchmarks}
    try:
        from runner.runs.regrade import explain_misfit  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return None
    digests = {
        name: (
            _digest_grader(old.evals[name]),
            _digest_grader(new.evals[name]) if name in new.evals else None,
        )
        for name in old.evals
        if name in new.evals or name not in new.names
    }
    changed = {name: pair[0] for name, pair in digests.items() if pair[0] != pair[1]}
    counts = Counter[str]({name: 0 for name in changed if name in new.evals})
    kept_verdicts = at_most = 0
    for run in states[1].runs.values():
        if run.provenance.kind != "executed" or run.withdrawn is not None:
            continue
        stale = [
            attempt.eval
            for attempt in run.attempts
            if attempt.key is not None
            and attempt.eval in changed
            and attempt.key.grader == changed[attempt.eval]
        ]
        counts.update(stale)
        if toolchain:
            at_most += sum(attempt.key is not None for attempt in run.attempts)
        benchmark_of_run = defined.get(run.benchmark_version)
        if stale and (
            versions.after is None
            or explain_misfit(run, benchmark_of_run, versions.after) is not None
        ):
            kept_verdicts += len(stale)
    return StaleVerdicts(dict(sorted(counts.items())), kept_verdicts, toolchain, at_most)


def find_toolchain_files(
    paths: Sequence[str], before: RevisionFolder, after: RevisionFolder
) -> list[str] | None:
    """Return those of the changed ``paths`` on which every verdict depends.

    These are our own programs that grade, and the suite's package.json if its pins differ. None if
    the runner cannot be imported.
    """
    try:
        from runner.toolchain import is_judging_program  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return None

    files = [path for path in paths if is_judging_program(path)]
    if before.evals and after.evals and _read_pins(before.evals) != _read_pins(after.evals):
        files.append(f"{after.places.evals}/package.json")
    return files


def _digest_grader(evaluation: Eval) -> str | None:
    from runner.grading.grade import compute_grader_digest  # noqa: PLC0415 - as above

    try:
        return compute_grader_digest(evaluation)
    except UNFIT:
        return None


def _read_pins(evals: Path) -> object:
    """Return the packages that a suite pins; the text of package.json if it has another form."""
    try:
        text = (evals / "package.json").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    try:
        package: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return (
        cast("dict[str, object]", package).get("dependencies")
        if isinstance(package, dict)
        else text
    )
