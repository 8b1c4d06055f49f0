"""`leaderboard init`: the files of a new project, and what is refused."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from generator.read.site_settings import read_settings
from leaderboard.commands import setup
from records.reader import read_registry
from runner.evals.discovery import discover
from runner.evals.grader_kinds import ProgramGraders
from runner.suite.lint import lint

pytestmark = pytest.mark.unit

TEMPLATES = Path(setup.__file__).parents[1] / "new_projects" / "files"
WORKFLOWS = Path(__file__).parents[2] / ".github" / "workflows"


def _run_init(*arguments: str | Path) -> str:
    ended = CliRunner().invoke(setup.init_command, [str(argument) for argument in arguments])
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_every_file_of_a_project_is_valid(tmp_path: Path) -> None:
    """Suite, settings and models are read by the readers of the commands, without a fault."""
    folder = tmp_path / "Our Board!"
    output = _run_init(folder, "--title", "Our board", "--category", "first_steps")
    assert "suite check --once" in output
    suite = discover(folder / "evals")
    assert [each.name for each in suite.evals] == ["000-first_steps/000-greeting"]
    assert lint(suite, suite.evals) == []
    assert isinstance(suite.kind, ProgramGraders)
    assert suite.kind.config.name == "our-board"
    settings = read_settings(folder / "site_texts")
    assert (settings.title, settings.code) == ("Our board", "code")
    assert read_registry(folder / "data" / "models.toml").by_slug == {}
    assert "/data/local/" in (folder / ".gitignore").read_text()
    assert not [path for path in folder.rglob("*") if path.is_file() and "@" in path.name]


def test_a_project_names_the_python_that_grades(tmp_path: Path) -> None:
    """Models are told this environment's Python, and the workflows use it."""
    _run_init(tmp_path / "board")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"Python {version} and" in (tmp_path / "board" / "evals" / "suite.toml").read_text()
    for path in (tmp_path / "board" / ".github" / "workflows").iterdir():
        assert f'python-version: "{version}"' in path.read_text()
    assert not [path for path in TEMPLATES.rglob("*.template") if "3.11" in path.read_text()]


def test_two_projects_have_two_canaries(tmp_path: Path) -> None:
    """The canary of a suite is drawn for it."""
    for name in ("one", "two"):
        _run_init(tmp_path / name)
    texts = {(tmp_path / name / "evals" / "suite.toml").read_text() for name in ("one", "two")}
    kinds = [discover(tmp_path / name / "evals").kind for name in ("one", "two")]
    assert len(texts) == 2
    assert len({kind.get_canary_line() for kind in kinds}) == 2
    assert None not in {kind.get_canary_line() for kind in kinds}


def test_its_workflows_pin_the_actions_of_ours(tmp_path: Path) -> None:
    """Each action is one that this repository's own workflows use, at the same commit."""
    _run_init(tmp_path / "board")
    files = sorted((tmp_path / "board" / ".github" / "workflows").glob("*.yml"))
    assert [path.name for path in files] == ["check.yml", "run.yml"]
    ours = "\n".join(path.read_text() for path in WORKFLOWS.glob("*.yml"))
    for path in files:
        jobs: dict[str, Any] = yaml.safe_load(path.read_text())["jobs"]
        used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
        assert used
        assert [action for action in used if f"uses: {action}" not in ours] == []


def test_a_folder_with_files_is_left_as_it_is(tmp_path: Path) -> None:
    """Nobody's files are mixed with those of a new project."""
    (tmp_path / "mine.txt").write_text("mine")
    ended = CliRunner().invoke(setup.init_command, [str(tmp_path)])
    assert ended.exit_code != 0
    assert "is not empty" in ended.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--title", 'a "title"'),
        ("--title", "two\nlines"),
        ("--title", "@CANARY@"),
        ("--address", 'https://"'),
        ("--title", "t" * 81),
        ("--address", "foo"),
        ("--address", "ftp://models.example.org"),
        ("--address", "https://models.example.org/?page=1"),
        ("--category", "Two Words"),
        ("--category", "../away"),
    ],
)
def test_values_that_no_file_can_hold_are_refused(tmp_path: Path, option: str, value: str) -> None:
    """A title cannot change another setting, and a category cannot leave the folder."""
    ended = CliRunner().invoke(setup.init_command, [str(tmp_path / "board"), option, value])
    assert ended.exit_code != 0
    assert f"Error: {option}" in ended.output
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize(
    ("folder", "name"), [("Our Board", "our-board"), ("ü", "suite"), ("x" * 60, "x" * 40)]
)
def test_a_suite_is_named_after_its_folder(folder: str, name: str) -> None:
    """The name has the characters that a canary may have."""
    assert setup.name_suite(Path("/projects") / folder) == name


@pytest.mark.parametrize(
    ("called", "program"),
    [("bin/leaderboard", "{here}/bin/leaderboard"), ("/opt/leaderboard", "/opt/leaderboard")],
)
def test_the_next_commands_work_from_the_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: str, program: str
) -> None:
    """A program that was called by a relative path is named by its whole path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [called])
    lines = _run_init("our board").splitlines()
    assert "  cd 'our board'" in lines
    assert f"  {program.format(here=tmp_path)} suite check --once" in lines
