"""The data folders of two revisions: records and models, read file by file.

A file that cannot be used is named with its fault, and counts as unchanged.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from generator.diff.data_diff import ChangedReport, ChangeKind, DataDiff, DataState
from leaderboard.changes.revisions import RevisionFolder
from records.errors import InvalidRecordError, RecordsError
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import parse_report, read_benchmark, read_bytes, read_registry, read_run
from records.shapes.registry import DescribedModel, ModelEntry
from records.shapes.report import build_report_name
from records.shapes.run import Run
from records.suites.benchmark import Benchmark


def read_state(folder: RevisionFolder, earlier: RevisionFolder | None = None) -> DataState:
    """Return the published records of a revision; unusable files are noted in ``folder``.

    Records with the content that they have in ``earlier`` are taken from there, and those of
    unusable files, too. Otherwise a broken file would look like a removed record, and change ranks.
    """
    data = DataFolder(folder.data)
    kinds: tuple[tuple[Iterable[Path], Callable[[Path], object]], ...] = (
        (data.list_run_files(), read_run),
        (data.list_benchmark_files(), read_benchmark),
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
                place = _find_place(data, record) or path
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


def _find_place(data: DataFolder, record: object) -> Path | None:
    """Return the path of a run or a version by its content; None for other records."""
    if isinstance(record, Run):
        return data.get_run_file(record.model.slug, record.run_id)
    return data.get_benchmark_file(record.version) if isinstance(record, Benchmark) else None


def refuse_misplaced_reports(difference: DataDiff, folder: RevisionFolder) -> None:
    """Note in ``folder`` the reports whose path belongs to another run, model or day."""
    for changed in difference.reports:
        run = difference.after.runs.get(changed.report.run)
        if changed.kind is not ChangeKind.REMOVED and not _is_in_place(changed, run):
            reason = f"is on run {changed.report.run}, to which its path does not belong"
            folder.refuse(folder.data / changed.path, reason)


def _is_in_place(changed: ChangedReport, run: Run | None) -> bool:
    file = Path(changed.path)
    has_its_name = file.name == build_report_name(changed.report)
    return has_its_name and (run is None or get_model_slug(file) == run.model.slug)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A changed field of a model's entry; its values are JSON text, null if it is left out."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ModelChange:
    """A model that was added, changed or removed."""

    slug: str
    kind: ChangeKind
    is_askable: bool
    """True if the model can be asked, by its latest entry."""
    fields: Sequence[FieldChange]
    """The changed fields; empty for an added or removed model."""


def compare_models(before: RevisionFolder, after: RevisionFolder) -> list[ModelChange]:
    """Return the models that differ, sorted by slug; empty if one registry cannot be read."""
    sides = [_read_models(folder) for folder in (before, after)]
    if sides[0] is None or sides[1] is None:
        return []
    slugs = sorted(sides[0].keys() | sides[1].keys())
    changes = [_compare_entries(slug, sides[0].get(slug), sides[1].get(slug)) for slug in slugs]
    return [change for change in changes if change is not None]


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


def _compare_entries(
    slug: str, old: DescribedModel | None, new: DescribedModel | None
) -> ModelChange | None:
    if old is None or new is None:
        return ModelChange(
            slug, ChangeKind.compare(old, new), isinstance(new or old, ModelEntry), ()
        )
    sides = [_flatten_entry(model) for model in (old, new)]
    fields = [
        FieldChange(name, *(side.get(name, "null") for side in sides))
        for name in dict.fromkeys((*sides[0], *sides[1]))
        if sides[0].get(name) != sides[1].get(name)
    ]
    if isinstance(old, ModelEntry) is not isinstance(new, ModelEntry):
        words = ["models" if isinstance(model, ModelEntry) else "described" for model in (old, new)]
        fields.insert(0, FieldChange("list", *words))
    if not fields:
        return None
    return ModelChange(slug, ChangeKind.CHANGED, isinstance(new, ModelEntry), fields)


def _flatten_entry(model: DescribedModel) -> dict[str, str]:
    """Return the fields that differ from their defaults, by their dotted names, as JSON text."""
    fields = model.model_dump(mode="json", exclude_defaults=True, exclude={"slug"})
    return dict(_flatten_value("", fields))


def _flatten_value(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        parts = cast("dict[str, object]", value)
        dot = f"{name}." if name else ""
        for key, part in parts.items():
            yield from _flatten_value(f"{dot}{key}", part)
    else:
        yield name, json.dumps(value, ensure_ascii=False)
