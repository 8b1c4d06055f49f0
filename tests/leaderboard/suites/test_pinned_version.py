"""Warnings of `publish` and `check` where site.toml pins a version that is behind."""

from pathlib import Path

import pytest

from leaderboard.pinned_version import find_pin_behind
from records.files.data_folder import DataFolder
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.unit

REPLACED = "a9e711c2"


def pin(folder: Path, version: str | None) -> Path:
    """Return a folder of templates whose site.toml pins that version."""
    line = f'current_version = "{version}"\n' if version else ""
    (folder / "site.toml").write_text(
        f'{line}title = "T"\ntagline = "L"\naddress = "https://a.example"\n', encoding="utf-8"
    )
    return folder


def test_nothing_is_behind_without_a_pin(tmp_path: Path) -> None:
    """Without a file of settings, or without a pin in it, the data decide."""
    data = DataFolder(ROOT / "data")
    assert find_pin_behind(data, tmp_path) is None
    assert find_pin_behind(data, pin(tmp_path, None)) is None


def test_a_pin_on_a_version_without_models_is_behind(tmp_path: Path) -> None:
    """In the published records the pinned version ranks no model, another version six."""
    data = DataFolder(ROOT / "data")
    versions = [path.stem for path in data.benchmarks.list_files()]
    (pinned,) = [version for version in versions if version.startswith(REPLACED)]
    behind = find_pin_behind(data, pin(tmp_path, pinned))
    assert behind is not None
    assert f"current_version: {pinned} has 0 ranked models" in behind
    assert "convex-evals-66-dbe4c5df with 6 ranked models would be shown first" in behind
