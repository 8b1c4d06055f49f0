"""Attempts of several archives, each of which is opened once."""

from pathlib import Path

import pytest

from records.archives.archive import OpenArchives, write_archive
from records.errors import MissingRecordError
from tests.records import examples

pytestmark = pytest.mark.unit

NAME = "000-a/000-b"


def test_an_archive_is_opened_once(tmp_path: Path) -> None:
    """A file that is removed after its first attempt was read is still open for the second."""
    first = examples.make_artifact(NAME)
    second = first.model_copy(update={"sample": 2})
    path, other = tmp_path / "run.zip", tmp_path / "other.zip"
    write_archive(path, [first, second])
    write_archive(other, [first])
    with OpenArchives() as archives:
        assert archives.read(path, NAME, 1) == first
        path.unlink()
        assert archives.read(other, NAME, 1) == first
        assert archives.read(path, NAME, 2) == second


def test_an_archive_that_is_not_there_is_missing_each_time(tmp_path: Path) -> None:
    """Its file may be there at the next attempt."""
    path, artifact = tmp_path / "run.zip", examples.make_artifact(NAME)
    with OpenArchives() as archives:
        with pytest.raises(MissingRecordError):
            archives.read(path, NAME, 1)
        write_archive(path, [artifact])
        assert archives.read(path, NAME, 1) == artifact
