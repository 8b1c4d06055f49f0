"""`leaderboard snapshot` in a project of a team's own."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.runner.published_results.results import import_files
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration

TABLE = "model,task,sample,outcome\nlab/a,adding,q1,1\nlab/a,adding,q2,0\n"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that `leaderboard init` wrote, with two imported samples."""
    folder = tmp_path_factory.mktemp("ours") / "board"
    particulars = ("--title", "Our board", "--address", "https://board.example.org")
    run_command("init", folder, *particulars, cwd=folder.parent, code=0)
    (folder.parent / "table.csv").write_text(TABLE)
    import_files(DataFolder(folder / "data"), folder.parent / "table.csv")
    return folder


def test_a_snapshot_has_the_title_and_address_of_its_project(board: Path) -> None:
    """The settings are those of the project's own texts, as in its site; none of ours is there."""
    run_command("snapshot", "--out", "results", cwd=board, code=0)
    manifest = json.loads((board / "results" / "manifest.json").read_text())
    assert manifest["title"] == "Our board"
    assert manifest["address"] == "https://board.example.org/"
    described = (board / "results" / "README.md").read_text()
    assert "Convex" not in described
    assert "convex-leaderboard.example" not in described
