"""The folder of a snapshot: no file of others is lost, and the earlier snapshot stays or goes."""

import errno
import shutil
from pathlib import Path
from threading import Thread

import pytest

from generator.errors import OutputFolderError, SnapshotError
from generator.output_folder import hold_lock
from generator.snapshot.snapshot import take_snapshot
from generator.snapshot.snapshot_files import exchange_folder
from tests.generator.editable_project import EditableProject, read_site_files

pytestmark = pytest.mark.unit


def test_files_of_others_are_left_alone(place: EditableProject) -> None:
    """A folder with other files is refused by name, as is a file; nothing in it changes."""
    out = place.root / "mine"
    out.mkdir()
    (out / "notes.txt").write_text("keep this")
    with pytest.raises(SnapshotError, match=r"mine: not empty and no earlier snapshot"):
        take_snapshot(place.sources, out)
    assert read_site_files(out) == {"notes.txt": b"keep this"}
    with pytest.raises(SnapshotError, match=r"notes\.txt: not a folder"):
        take_snapshot(place.sources, out / "notes.txt")


@pytest.mark.parametrize("name", ["notes.txt", "parquet/more.parquet", ".hidden", "empty/"])
def test_a_file_beside_an_earlier_snapshot_is_left_alone(place: EditableProject, name: str) -> None:
    """The message names the file that is not in the manifest; nothing in the folder changes."""
    out = place.root / f"with-{name.strip('/.').replace('/', '-')}"
    take_snapshot(place.sources, out)
    if name.endswith("/"):
        (out / name).mkdir()
    else:
        (out / name).write_text("keep this")
    before = read_site_files(out)
    with pytest.raises(SnapshotError, match=rf"{name.strip('/')}: is not in manifest\.json"):
        take_snapshot(place.sources, out)
    assert read_site_files(out) == before
    assert (out / name).exists()


@pytest.mark.more
@pytest.mark.parametrize("manifest", ["", "[]", '{"made_by": "leaderboard snapshot"}'])
def test_a_manifest_of_another_program_makes_no_snapshot(
    tmp_path: Path, place: EditableProject, manifest: str
) -> None:
    """A folder with such a manifest is not ours, even if it has no other file."""
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(SnapshotError, match="no earlier snapshot"):
        take_snapshot(place.sources, tmp_path)


@pytest.mark.more
def test_the_working_folder_is_refused(
    place: EditableProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell would stand in a folder that is gone; this holds for folders above it, too."""
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for out in (Path(), Path("..")):
        with pytest.raises(SnapshotError, match="the working folder"):
            take_snapshot(place.sources, out)
    assert inside.is_dir()


def test_a_folder_that_is_read_is_refused(place: EditableProject) -> None:
    """Programs would read a snapshot among the records as a record."""
    with pytest.raises(OutputFolderError, match="which is read"):
        take_snapshot(place.sources, place.data.root / "runs" / "snapshot")


@pytest.mark.more
def test_a_link_stays_a_link(place: EditableProject, tmp_path: Path) -> None:
    """The folder that the link leads to is replaced, and the link still leads to it."""
    (tmp_path / "disk").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "disk")
    snapshot = take_snapshot(place.sources, link)
    assert link.is_symlink()
    assert read_site_files(tmp_path / "disk").keys() == {file.path for file in snapshot.files}
    assert {path.name for path in tmp_path.iterdir()} == {"disk", "link", ".disk.build"}


@pytest.mark.more
def test_a_second_snapshot_waits_for_the_first(place: EditableProject) -> None:
    """Two commands into one folder do not write into each other's files."""
    out = place.root / "shared"
    second = Thread(target=take_snapshot, args=(place.sources, out), daemon=True)
    with hold_lock(place.root / ".shared.build"):
        second.start()
        second.join(0.2)
        assert second.is_alive()
        assert not out.exists()
    second.join()
    assert (out / "manifest.json").is_file()


def test_the_earlier_snapshot_is_put_back(place: EditableProject) -> None:
    """The next command restores it if the exchange fails, or if a command was killed meanwhile."""
    out = place.root / "kept-whole"
    take_snapshot(place.sources, out)
    before = read_site_files(out)

    def lose_the_new_snapshot() -> None:
        with exchange_folder(place.sources, out) as new:
            assert read_site_files(out) == before
            shutil.rmtree(new)

    with pytest.raises(SnapshotError, match="cannot be written"):
        lose_the_new_snapshot()
    assert read_site_files(out) == before
    out.rename(place.root / ".kept-whole.build" / "old")  # as a command leaves it that is killed
    with pytest.raises(SnapshotError, match="cannot be written"):
        lose_the_new_snapshot()
    assert read_site_files(out) == before


@pytest.mark.more
def test_a_file_that_appears_meanwhile_is_not_lost(place: EditableProject) -> None:
    """Somebody writes a file into the folder during the work: nothing is exchanged."""
    out = place.root / "shared-with-notes"
    take_snapshot(place.sources, out)
    before = read_site_files(out)
    with (
        pytest.raises(SnapshotError, match=r"notes\.txt: is not in manifest\.json"),
        exchange_folder(place.sources, out),
    ):
        (out / "notes.txt").write_text("keep this")
    assert read_site_files(out) == before | {"notes.txt": b"keep this"}


@pytest.mark.more
def test_the_end_of_a_worker_is_not_the_fault_of_the_folder(place: EditableProject) -> None:
    """The error of a killed worker comes out unchanged, and the earlier snapshot stays."""
    out = place.root / "without-a-worker"
    take_snapshot(place.sources, out)
    before = read_site_files(out)
    ended = ChildProcessError("a worker was killed")
    with pytest.raises(ChildProcessError) as error, exchange_folder(place.sources, out):
        raise ended
    assert error.value is ended
    assert read_site_files(out) == before


def test_a_file_that_cannot_be_read_is_not_the_output(place: EditableProject) -> None:
    """The message does not blame the folder of the snapshot for a source that is gone."""
    out, gone = place.root / "blamed", place.root / "gone.json"
    with pytest.raises(FileNotFoundError, match="gone"), exchange_folder(place.sources, out):
        gone.read_bytes()
    with (
        pytest.raises(SnapshotError, match="blamed: cannot be written"),
        exchange_folder(place.sources, out) as new,
    ):
        (new / "missing" / "file").write_bytes(b"")
    with (
        pytest.raises(SnapshotError, match="No space left"),
        exchange_folder(place.sources, out),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")
