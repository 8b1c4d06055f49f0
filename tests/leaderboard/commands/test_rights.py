"""Places that this user may not read or write: one line names them, with exit code 2."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaderboard.commands.test_serve import Project, make_bare_project
from tests.support.warm_command import run_command

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything"),
]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without any run."""
    return make_bare_project(tmp_path)


@pytest.fixture
def locked(project: Project) -> Iterator[Path]:
    """A folder of records that nobody may read."""
    folder = project.root / "data" / "runs"
    folder.mkdir(mode=0)
    yield folder
    folder.chmod(0o755)


@pytest.mark.parametrize("command", ["build", "serve", "check"])
def test_records_that_may_not_be_read(command: str, project: Project, locked: Path) -> None:
    """Each command that reads records names the unreadable file."""
    places = project.places if command in {"build", "serve"} else project.places[:2]
    port = ["--port", "0"] if command == "serve" else []
    ended = run_command(command, *places, *port, code=2)
    assert str(locked) in ended.stderr.splitlines()[-1]
    assert "ermission denied" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr


def test_an_output_that_may_not_be_written(project: Project, tmp_path: Path) -> None:
    """The message names the place, and has no text of Python."""
    sealed = tmp_path / "sealed"
    sealed.mkdir(mode=0o555)
    ended = run_command("build", *project.places[:-1], sealed / "site", code=2)
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"leaderboard: {sealed}/")
    assert line.endswith(": Permission denied")


def test_compiled_templates_of_somebody_else_are_left_alone(project: Project) -> None:
    """A build works also if it cannot write compiled templates beside the templates."""
    run_command("build", *project.places, code=0)
    (compiled,) = (project.root / "templates" / "__pycache__").iterdir()
    for file in compiled.iterdir():
        file.unlink()
    compiled.chmod(0o555)
    run_command("build", *project.places[:-1], project.root / "other", code=0)
    assert list(compiled.iterdir()) == []
