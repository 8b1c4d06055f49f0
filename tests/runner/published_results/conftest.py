"""Fixtures of imports of results."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """An empty data folder."""
    return DataFolder(tmp_path / "data")
