"""The changes of models.toml: added, changed and removed models, field by field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from leaderboard.changes.checkout import ChangeKind, RevisionFolder
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_registry
from records.shapes.registry import DescribedModel, ModelEntry


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
    name = f"{folder.places.data}/models.toml".removeprefix("/")
    if name not in folder.contents:
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
    fields = _compare_fields(_flatten_entry(old), _flatten_entry(new))
    if isinstance(old, ModelEntry) is not isinstance(new, ModelEntry):
        words = ["models" if isinstance(model, ModelEntry) else "described" for model in (old, new)]
        fields.insert(0, FieldChange("list", *words))
    if not fields:
        return None
    return ModelChange(slug, ChangeKind.CHANGED, isinstance(new, ModelEntry), fields)


def _compare_fields(old: Mapping[str, str], new: Mapping[str, str]) -> list[FieldChange]:
    names = [*old, *(name for name in new if name not in old)]
    return [
        FieldChange(name, old.get(name, "null"), new.get(name, "null"))
        for name in names
        if old.get(name) != new.get(name)
    ]


def _flatten_entry(model: DescribedModel) -> dict[str, str]:
    """Return the fields that differ from their defaults, by their dotted names, as JSON text."""
    fields = model.model_dump(mode="json", exclude_defaults=True, exclude={"slug"})
    return dict(_flatten_value("", fields))


def _flatten_value(name: str, value: object) -> "list[tuple[str, str]]":
    if isinstance(value, dict) and value:
        parts = cast("dict[str, object]", value)
        dot = f"{name}." if name else ""
        return [leaf for key, part in parts.items() for leaf in _flatten_value(f"{dot}{key}", part)]
    return [(name, json.dumps(value, ensure_ascii=False))]
