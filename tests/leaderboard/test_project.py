"""The project of a command: found from any folder in it, with settings that choose folders only."""

import json
import os
from pathlib import Path

import pytest

from leaderboard.project import (
    FILE,
    FOLDERS,
    LARGEST_FILE,
    build_data_option,
    build_suite_option,
)
from leaderboard.project_settings import ProjectSettings
from records.files.data_folder import DataFolder
from records.writer import write_record
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.runner.conftest import write_prose_suite
from tests.runner.small_suite import write_suite
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project without a file of settings: a suite and an empty data folder."""
    root = tmp_path / "project"
    write_suite(root / "evals")
    (root / "data").mkdir()
    (root / "docs" / "deep").mkdir(parents=True)
    return root


def call(here: Path, *arguments: str, code: int | None = None, **more: str) -> Ended:
    """Run a command in a folder."""
    return run_command(*arguments, cwd=here, variables=more, code=code)


def list_named_evals(here: Path, *arguments: str) -> list[str]:
    """Return the evals that `evals list` names in a folder."""
    ended = call(here, "evals", *arguments, "list", "--json", code=0)
    return [row["eval"] for row in json.loads(ended.stdout)]


def test_commands_work_from_any_folder_of_a_project(project: Path) -> None:
    """data/ and evals/guidelines.md make a project without a file; names are as seen from here."""
    for here in (project, project / "docs" / "deep", project / "evals" / "002-queries"):
        assert list_named_evals(here) == ["000-fundamentals/000-ponds", "002-queries/007-streams"]
    checked = call(project / "docs" / "deep", "check")
    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "../../data: all right")
    help_text = call(project / "docs", "check", "--help").stdout
    assert "[default: ../data]" in help_text


def test_a_folder_without_a_project_is_reported(tmp_path: Path) -> None:
    """The refusal names the option, and that no project was found."""
    ended = call(tmp_path, "check", code=2)
    assert ended.stderr.splitlines()[-1] == (
        "Error: Invalid value for '--data': Directory 'data' does not exist. "
        "This folder is in no project: go to one, or give --data."
    )


def test_settings_name_folders_relative_to_their_file(project: Path) -> None:
    """The nearest file counts; the suite and the data under other names are found from below."""
    (project / "evals").rename(project / "suite")
    (project / "data").rename(project / "results")
    (project / FILE).write_text('evals = "suite"\ndata = "results"\ngraders = 1\n')
    assert list_named_evals(project / "docs" / "deep")[0] == "000-fundamentals/000-ponds"
    checked = call(project / "docs", "check")
    assert checked.stdout.splitlines()[-1] == "../results: all right"
    text = call(project / "docs", "suite", "check", "--help").stdout
    assert "[default: 1; 1<=x<=64]" in text


def test_printed_commands_name_folders_that_the_settings_do_not(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's own folders are the defaults of a printed command, and no others are."""
    (project / FILE).write_text('evals = "suite"\ndata = "results"\n')
    monkeypatch.chdir(project / "docs")
    assert build_data_option(DataFolder(Path("../results"))) == []
    assert build_data_option(DataFolder(Path("data"))) == ["--data", "data"]
    assert build_suite_option(Path("../suite")) == build_suite_option(None) == []
    assert build_suite_option(Path("evals")) == ["--evals", "evals"]


def test_the_command_line_and_the_environment_win_over_settings(tmp_path: Path) -> None:
    """An option before a subcommand or behind it, and OUTPUT_TEMPDIR, are stronger."""
    project = tmp_path
    (project / "data").mkdir()
    write_prose_suite(project / "evals", 2)
    (project / FILE).write_text('data = "nowhere"\nevals = "nowhere"\nworkspaces = "/proc/none"\n')
    call(project, "check", "--data", "data", code=0)
    assert len(list_named_evals(project, "--evals", "evals")) == 2
    run = ("run", "-m", "stub", "-f", "000-task", "--evals", "evals", "--data", "data")
    refused = call(project, *run, code=2)
    assert "/proc/none" in refused.stderr
    elsewhere = call(project, *run, OUTPUT_TEMPDIR="/proc/other")
    assert "/proc/other" in elsewhere.stderr


def test_a_setting_that_leads_nowhere_names_its_file(project: Path) -> None:
    """The refusal names the file with the wrong setting."""
    (project / FILE).write_text('data = "dta"\n')
    ended = call(project / "docs", "check", code=2)
    assert ended.stderr.splitlines()[-1] == (
        "Error: Invalid value for '--data': Directory '../dta' does not exist. "
        "../leaderboard.toml names it."
    )


UNKNOWN = "Extra inputs are not permitted"
NO_TEXT = "Input should be a valid string"
REFUSED = {
    'sandbox = "none"': UNKNOWN,
    'Sandbox = "none"': UNKNOWN,
    '[run]\nsandbox = "none"': UNKNOWN,
    'run.graders-jail = "none"': UNKNOWN,
    'backend = "local"': UNKNOWN,
    'api_base = "http://evil.example"': UNKNOWN,
    'OPENAI_BASE_URL = "http://evil.example"': UNKNOWN,
    'models = ["openai/x"]': UNKNOWN,
    'OPENAI_API_KEY = "sk-1"': UNKNOWN,
    'dta = "x"': "dta: Extra inputs are not permitted: close to it is data",
    "graderz = 2": "graderz: Extra inputs are not permitted: close to it is graders",
    "zzz = 1": "known are data, evals, graders, site, templates, texts, workspaces",
    "[data]\nfolder = 1": NO_TEXT,
    "data = 3": NO_TEXT,
    'data = ""': "data: String should match pattern",
    "data = {}": NO_TEXT,
    'graders = "3"': "graders: Input should be a valid integer",
    "graders = true": "graders: Input should be a valid integer",
    "graders = 65": "graders: Input should be less than or equal to 64",
    "data = \n": "leaderboard.toml: Invalid value (at line 1",
    "#" * (LARGEST_FILE + 1): "larger than",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_a_line_that_is_no_setting_is_refused_with_the_reason(text: str, project: Path) -> None:
    """A cloned project chooses neither servers, keys nor the jail; help answers all the same."""
    (project / FILE).write_text(text)
    ended = call(project / "docs", "check", code=2)
    assert ended.stderr.startswith("Error: ../leaderboard.toml: ")
    assert REFUSED[text] in ended.stderr
    assert "Traceback" not in ended.stderr
    call(project, "check", "--help", code=0)


def test_all_faults_are_reported_at_once(project: Path) -> None:
    """The line names both faults."""
    (project / FILE).write_text('dta = "x"\nsandbox = "none"\n')
    (line,) = call(project, "check").stderr.splitlines()
    assert "dta: Extra inputs" in line
    assert "sandbox: Extra inputs" in line


@pytest.mark.parametrize("make", ["folder", "link"])
def test_a_path_that_is_no_file_is_refused(make: str, project: Path) -> None:
    """An endless device is not read, and a folder is no file."""
    if make == "folder":
        (project / FILE).mkdir()
    else:
        (project / FILE).symlink_to("/dev/zero")
    ended = call(project, "check", code=2)
    assert "leaderboard.toml: is no file" in ended.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_passed_over(project: Path) -> None:
    """Other users with rights to a folder above, such as /tmp, choose no settings."""
    (project / FILE).write_text('data = "theirs"\n')
    os.chown(project / FILE, 12345, 12345)
    os.chown(project / "docs", 23456, 23456)
    checked = call(project / "docs", "check")
    assert checked.stdout.splitlines()[-1] == "../data: all right"
    os.chown(project, 12345, 12345)
    assert "in no project" in call(project / "docs", "check").stderr
    # If root works for a user, a project that belongs as a whole to that user is the user's own.
    os.chown(project / "docs", 12345, 12345)
    assert "'../theirs' does not exist" in call(project / "docs", "check").stderr


def test_all_settings_are_documented() -> None:
    """The table of docs/commands.md names each setting once."""
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    table = text.partition("| setting |")[2].partition("\n\n")[0]
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    assert rows == [*ProjectSettings.model_fields]
    assert FOLDERS.keys() < {*rows}


def test_progress_of_audits_needs_no_suite(tmp_path: Path) -> None:
    """Only the drawing of an audit needs a suite; the refusal names the option."""
    data = tmp_path / "results"
    drawn = write_record(
        DataFolder(data).audits, make_audit(make_audit_item(0), make_audit_item(1))
    )
    arguments = ("session", "audit", "--data", data)
    done = run_command(*arguments, "--status", "--json", cwd=tmp_path, code=0)
    (row,) = json.loads(done.stdout)
    assert (row["audit"], row["open"]) == (drawn.stem, 2)
    for more in ((), ("--evals", "elsewhere")):
        refused = run_command(*arguments, "--seed", "1", *more, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "--evals: there is no folder" in refused.stderr
