"""The entries of models in the project's own `data/models.toml`."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_registry, read_run

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


def test_every_day_of_a_release_has_a_source() -> None:
    """A reader can follow each date to the page that it was taken from."""
    models = read_registry(ROOT / "data" / "models.toml").by_slug.values()
    assert models
    dated = [model for model in models if model.released or model.retires]
    assert [model.slug for model in dated if model.source is None] == []
    assert [model.slug for model in models if model.family is None] == []


def test_every_published_model_is_described() -> None:
    """No page shows an id or a host of a model in place of its name and maker."""
    folder = DataFolder(ROOT / "data")
    runs = [read_run(path).model for path in folder.list_run_files()]
    described = read_registry(folder.models_file).by_slug
    assert {model.slug for model in runs if model.kind == "llm"} <= described.keys()
