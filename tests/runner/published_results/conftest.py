"""Fixtures of imports of results."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.runner.published_results.results import Change, change_json


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """An empty data folder."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Path, Change], Path]:
    """The maker of a changed copy of a JSON file."""

    def make(source: Path, change: Change) -> Path:
        content = json.loads(source.read_bytes())
        change_json(content, change)
        path = tmp_path / f"changed-{source.stem}.json"
        path.write_text(json.dumps(content))
        return path

    return make
