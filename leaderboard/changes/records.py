"""The data folders of two revisions: records, models, and the verdicts that a change makes stale.

A file that cannot be used is named with its fault, and counts as unchanged.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from generator.diff.data_diff import ChangeKind, DataDiff, DataState
from leaderboard.changes.revisions import RevisionFolder
from leaderboard.changes.suites import UNFIT, SuiteState, refuse_suite
from records.errors import InvalidRecordError, RecordsError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import parse_report, read_benchmark, read_bytes, read_registry, read_run
from records.runs.standing import is_enough_of_levels, list_same_questions
from records.shapes.registry import DescribedModel, ModelEntry
from records.shapes.report import build_report_name
from records.shapes.run import Run
from records.suites.benchmark import Benchmark
from runner.evals.discovery import Eval
from runner.grading.grade import compute_grader_digest
from runner.suite.mint import make_benchmark
from runner.toolchain import is_judging_program


def read_state(folder: RevisionFolder, earlier: RevisionFolder | None = None) -> DataState:
    """Return the published records of a revision; unusable files are noted in ``folder``.

    Records with the content that they have in ``earlier`` are taken from there, and those of
    unusable files, too. Otherwise a broken file would look like a removed record, and change ranks.
    """
    data = DataFolder(folder.data)
    kinds: tuple[tuple[Iterable[Path], Callable[[Path], object]], ...] = (
        (data.list_run_files(), read_run),
        (data.benchmarks.list_files(), read_benchmark),
        (data.list_report_files(), _read_report_text),
    )
    for paths, read in kinds:
        for path in paths:
            name = path.relative_to(folder.root).as_posix()
            is_known = (
                earlier is not None
                and name in earlier.records
                and earlier.files[name] == folder.files[name]
            )
            try:
                record = earlier.records[name] if earlier and is_known else read(path)
                place = path
                if isinstance(record, Run):
                    place = data.get_run_file(*record.key)
                elif isinstance(record, Benchmark):
                    place = data.benchmarks.get_file(record.version)
                if place != path:
                    reason = f"belongs to {place.relative_to(folder.root)} by its content"
                    raise InvalidRecordError(path, "", reason)
            except (RecordsError, ValueError) as error:
                folder.refuse(path, str(error))
            else:
                folder.records[name] = record
    records = dict(folder.records)
    if earlier is not None:
        unread = {file.path for file in folder.unread} & earlier.records.keys()
        records = {path: earlier.records[path] for path in sorted(unread)} | records
    inside = {path: folder.places.find_in_data(path) or "" for path in (*records, *folder.files)}
    return DataState(
        label=folder.label,
        runs={run.run_id: run for run in records.values() if isinstance(run, Run)},
        benchmarks={each.version: each for each in records.values() if isinstance(each, Benchmark)},
        reports={inside[path]: text for path, text in records.items() if isinstance(text, bytes)},
        archives=frozenset(
            Path(path).stem
            for path in folder.files
            if inside[path].startswith("artifacts/") and path.endswith(".zip")
        ),
    )


def _read_report_text(path: Path) -> bytes:
    """Return the bytes of a report that can be parsed."""
    text = read_bytes(path)
    parse_report(path, text)
    return text


def refuse_misplaced_reports(difference: DataDiff, folder: RevisionFolder) -> None:
    """Note in ``folder`` the reports whose path belongs to another run, model or day."""
    for changed in difference.reports:
        run = difference.after.runs.get(changed.report.run)
        if changed.kind is ChangeKind.REMOVED:
            continue
        file = Path(changed.path)
        has_its_folder = run is None or get_model_slug(file) == run.model.slug
        if file.name != build_report_name(changed.report) or not has_its_folder:
            reason = f"is on run {changed.report.run}, to which its path does not belong"
            folder.refuse(folder.data / file, reason)


class FieldChange(NamedTuple):
    """A changed field of a model's entry; its values are JSON text, null if it is left out."""

    field: str
    before: str
    after: str


class ModelChange(NamedTuple):
    """A model that was added, changed or removed."""

    slug: str
    kind: ChangeKind
    is_askable: bool
    """True if the model can be asked, by its latest entry."""
    fields: Sequence[FieldChange]
    """The changed fields; empty for an added or removed model."""


def compare_models(before: RevisionFolder, after: RevisionFolder) -> list[ModelChange]:
    """Return the models that differ, sorted by slug; empty if one registry cannot be read."""
    earlier, later = _read_models(before), _read_models(after)
    if earlier is None or later is None:
        return []
    changes: list[ModelChange] = []
    for slug in sorted(earlier.keys() | later.keys()):
        old, new = earlier.get(slug), later.get(slug)
        kind, is_askable = ChangeKind.compare(old, new), isinstance(new or old, ModelEntry)
        fields: list[FieldChange] = []
        if old is not None and new is not None:
            # The fields that differ from their defaults, by their dotted names, as JSON text.
            old_values, new_values = (
                {"list": "models" if isinstance(model, ModelEntry) else "described"}
                | dict(
                    _flatten_value(
                        "", model.model_dump(mode="json", exclude_defaults=True, exclude={"slug"})
                    )
                )
                for model in (old, new)
            )
            fields = [
                FieldChange(name, old_values.get(name, "null"), new_values.get(name, "null"))
                for name in old_values | new_values
                if old_values.get(name) != new_values.get(name)
            ]
            if not fields:
                continue
        changes.append(ModelChange(slug, kind, is_askable, fields))
    return changes


def _read_models(folder: RevisionFolder) -> Mapping[str, DescribedModel] | None:
    path = DataFolder(folder.data).models_file
    if f"{folder.places.data}/models.toml".removeprefix("/") not in folder.files:
        return {}
    if not path.exists():  # the file was refused, or is missing
        return None
    try:
        return read_registry(path).by_slug
    except RecordsError as error:
        folder.refuse(path, str(error))
        return None


def _flatten_value(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        parts = cast("dict[str, object]", value)
        dot = f"{name}." if name else ""
        for key, part in parts.items():
            yield from _flatten_value(f"{dot}{key}", part)
    else:
        yield name, json.dumps(value, ensure_ascii=False)


_DEFINITION = ("version", "protocol", "digest", "system_prompt", "guidelines", "evals")


class StaleVerdicts(NamedTuple):
    """Published verdicts of graders that differ in the second revision."""

    by_eval: Mapping[str, int]
    """The number of stale verdicts for each eval whose grader differs."""
    other_questions: int
    """The number of those that cannot be replaced: their answers are to other questions."""
    toolchain: Sequence[str]
    """The changed files on which all verdicts depend."""
    at_most: int
    """The number of all verdicts if `toolchain` has files, else 0."""

    @property
    def number(self) -> int:
        """The number of verdicts that are stale because of their graders."""
        return sum(self.by_eval.values())


class SuiteVersionChange(NamedTuple):
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


SuiteVersions = tuple[Benchmark | None, Benchmark | None]
"""The benchmark versions that the suites of both revisions give; None if a suite gives none."""


def compute_versions(old: SuiteState, new: SuiteState, after: RevisionFolder) -> SuiteVersions:
    """Return the benchmark versions of two revisions of a suite; nothing is written.

    If the second suite cannot be used, this is noted in its folder, ``after``.
    """
    computed: list[Benchmark | None] = []
    for state in (old, new):
        try:
            computed.append(None if state.whole is None else make_benchmark(state.whole))
        except UNFIT as error:
            computed.append(None)
            if state is new:
                refuse_suite(after, error)
    return computed[0], computed[1]


def compare_versions(
    versions: SuiteVersions, states: tuple[DataState, DataState], after: RevisionFolder
) -> SuiteVersionChange:
    """Return the change of the suite's version; ``states`` define the versions that are minted.

    A definition in the second revision, ``after``, that contradicts the suite is noted there.
    """
    earlier, computed = versions
    minted = None if computed is None else states[1].benchmarks.get(computed.version)
    contradicts = (
        computed is not None
        and minted is not None
        and any(getattr(computed, name) != getattr(minted, name) for name in _DEFINITION)
    )
    if contradicts and computed is not None:
        path = DataFolder(after.data).benchmarks.get_file(computed.version)
        after.refuse(path, "is not the definition that the suite gives")
    return SuiteVersionChange(
        before=earlier and earlier.version,
        after=computed and computed.version,
        minted=minted is not None and minted.minted_at is not None and not contradicts,
        is_new_definition=minted is not None and minted.version not in states[0].benchmarks,
        contradicts=contradicts,
    )


def count_stale_verdicts(
    suites: tuple[SuiteState, SuiteState],
    versions: SuiteVersions,
    states: tuple[DataState, DataState],
    toolchain: Sequence[str],
) -> StaleVerdicts:
    """Return the published verdicts that become stale.

    ``suites`` and ``states`` are those of both revisions. All verdicts depend on the changed files
    ``toolchain``.
    """
    old, new = suites
    defined = {**states[0].benchmarks, **states[1].benchmarks}

    def digest_grader(evaluation: Eval) -> str | None:
        try:
            return compute_grader_digest(evaluation)
        except UNFIT:
            return None

    digests = {
        name: (
            digest_grader(old.evals[name]),
            digest_grader(new.evals[name]) if name in new.evals else None,
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
        before, after = defined.get(run.asked_version or run.benchmark_version), versions[1]
        same = list_same_questions(run, before, after) if stale and before and after else ()
        moves = after is not None and is_enough_of_levels(same, after)
        kept_verdicts += sum(not moves or name not in same for name in stale)
    return StaleVerdicts(dict(sorted(counts.items())), kept_verdicts, toolchain, at_most)


def find_toolchain_files(
    paths: Sequence[str], before: RevisionFolder, after: RevisionFolder
) -> list[str]:
    """Return those of the changed ``paths`` on which every verdict depends.

    These are our own programs that grade, and the suite's package.json if its pins differ.
    """
    files = [path for path in paths if is_judging_program(path)]
    if before.evals and after.evals and _read_pins(before.evals) != _read_pins(after.evals):
        files.append(f"{after.places.evals}/package.json")
    return files


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
