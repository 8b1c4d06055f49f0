"""The folder of a snapshot: written as that of a site, with a mark of its own."""

from pathlib import Path
from threading import Thread

import pytest

from generator.build import build
from generator.errors import GeneratorError
from generator.output_folder import SNAPSHOT_MARK, hold_lock
from generator.snapshot.snapshot import take_snapshot
from tests.generator.editable_project import EditableProject, read_site_files

pytestmark = pytest.mark.unit


def test_files_of_others_are_left_alone(place: EditableProject) -> None:
    """A folder with other files is refused by name, as is a source; a file beside ours stays.

    A site is no snapshot, and a snapshot no site.
    """
    out = place.root / "mine"
    out.mkdir()
    (out / "notes.txt").write_text("keep this")
    with pytest.raises(GeneratorError, match=r"mine: not empty and not made by a snapshot"):
        take_snapshot(place.sources, out)
    assert read_site_files(out) == {"notes.txt": b"keep this"}
    with pytest.raises(GeneratorError, match="which is read"):
        take_snapshot(place.sources, place.data.root / "runs" / "snapshot")
    (out / "notes.txt").unlink()
    first = take_snapshot(place.sources, out)
    (out / "notes.txt").write_text("keep this")
    take_snapshot(place.sources, out)
    assert read_site_files(out).keys() >= {"notes.txt", *(file.path for file in first.files)}
    with pytest.raises(GeneratorError, match="not made by a build"):
        build(place.sources, out)
    site = place.root / "site"
    build(place.sources, site)
    with pytest.raises(GeneratorError, match="not made by a snapshot"):
        take_snapshot(place.sources, site)


@pytest.mark.more
def test_a_link_stays_a_link(place: EditableProject, tmp_path: Path) -> None:
    """The folder that the link leads to is filled, and the link still leads to it."""
    (tmp_path / "disk").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "disk")
    snapshot = take_snapshot(place.sources, link)
    assert link.is_symlink()
    written = read_site_files(tmp_path / "disk").keys()
    assert written == {SNAPSHOT_MARK, *(file.path for file in snapshot.files)}
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
