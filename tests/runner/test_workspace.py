"""The folders of an attempt: files are at their own paths, and all is gone afterwards."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import WorkspaceError
from runner.workspace import create_workspace

pytestmark = pytest.mark.unit


def test_files_stand_in_the_project(tmp_path: Path) -> None:
    """Text is written unchanged, line ends included, in folders made as needed."""
    with create_workspace(tmp_path) as workspace:
        workspace.write({"convex/a/b.ts": "one\r\ntwo\n", "package.json": "{}"})
        assert (workspace.project / "convex/a/b.ts").read_bytes() == b"one\r\ntwo\n"
        assert list(workspace.scratch.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["/etc/x", "../x", "a/../../x", "a//b", "./a", "", ".", "a\\..\\x", "a\0b", "a/"]
)
def test_paths_that_leave_are_refused(tmp_path: Path, path: str) -> None:
    """Nothing is written outside the project, and the message names the path."""
    with create_workspace(tmp_path) as workspace:
        with pytest.raises(WorkspaceError, match="a path must"):
            workspace.write({path: "x"})
        assert list(workspace.project.iterdir()) == []


@given(path=st.text(max_size=300))
def test_any_path_is_written_inside_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    """Any path gives a file below the project, or a refusal."""
    with create_workspace(tmp_path_factory.getbasetemp()) as workspace:
        try:
            workspace.write({path: "x"})
        except WorkspaceError:
            return
        (written,) = [file for file in workspace.project.rglob("*") if file.is_file()]
        assert written.relative_to(workspace.project).as_posix() == path


def test_the_parent_comes_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OUTPUT_TEMPDIR sets the folder of workspaces, which is created."""
    monkeypatch.setenv("OUTPUT_TEMPDIR", str(tmp_path / "here"))
    with create_workspace() as workspace:
        assert workspace.root.parent == tmp_path / "here"


def test_an_impossible_parent_is_named(tmp_path: Path) -> None:
    """The user must fix a file in the place of the folder."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(WorkspaceError, match="OUTPUT_TEMPDIR"),
        create_workspace(tmp_path / "file" / "below"),
    ):
        pass


def test_removal_survives_leftovers_of_programs(tmp_path: Path) -> None:
    """Closed folders, pipes, sockets' files, and links, which are not followed, are removed."""
    linked_folder = tmp_path / "kept"
    linked_folder.mkdir(mode=0o500)
    (tmp_path / "parent").mkdir()
    with create_workspace(tmp_path / "parent") as workspace:
        (workspace.scratch / "link").symlink_to(linked_folder)
        (workspace.scratch / "dangling").symlink_to("/nonexistent")
        os.mkfifo(workspace.scratch / "pipe")
        closed = workspace.scratch / "closed"
        (closed / "deeper").mkdir(parents=True)
        (closed / "deeper" / "file").write_text("x")
        (closed / "deeper").chmod(0o000)
        closed.chmod(0o000)
        workspace.project.chmod(0o000)
    assert list((tmp_path / "parent").iterdir()) == []
    assert linked_folder.stat().st_mode & 0o777 == 0o500


def test_removal_survives_folders_deeper_than_any_path(tmp_path: Path) -> None:
    """Three thousand nested folders are longer than a path may be."""
    with create_workspace(tmp_path) as workspace:
        here = os.open(workspace.scratch, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("deep" * 10, dir_fd=here)
            deeper = os.open("deep" * 10, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = deeper
        os.close(here)
    assert list(tmp_path.iterdir()) == []


def test_paths_of_this_machine_are_hidden(tmp_path: Path) -> None:
    """Messages show paths relative to the project, whether a jail was used or not."""
    with create_workspace(tmp_path) as workspace:
        message = f"{workspace.project}/convex/a.ts, /project/convex/b.ts, {workspace.scratch}/c"
        assert workspace.hide_paths(message) == "convex/a.ts, convex/b.ts, scratch/c"
