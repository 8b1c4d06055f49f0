"""An archive that is no plain file ends a build without a wait."""

import os
from pathlib import Path

import pytest

from generator.build import build
from records.errors import InvalidRecordError
from tests.generator.conftest import MakeProject

pytestmark = pytest.mark.unit


def test_a_fifo_in_place_of_an_archive_ends_a_build(
    make_project: MakeProject, tmp_path: Path
) -> None:
    """The build refuses the archive by name, as `leaderboard check` does, and does not wait."""
    project = make_project(3)
    archive = next(project.data.root.rglob("*.zip"))
    archive.unlink()
    os.mkfifo(archive)
    with pytest.raises(InvalidRecordError, match="is not a plain file") as raised:
        build(project.sources, tmp_path / "site")
    assert raised.value.path == archive
