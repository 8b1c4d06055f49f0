"""Features of every command: help, version, completion, -q, -v, and plain terminals."""

import json
import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.project import FILE
from tests.leaderboard.commanding import Terminal
from tests.runner.conftest import FIRST_STEP_ONLY, write_prose_suite
from tests.support.shell_blocks import ShellBlock, run
from tests.support.warm_command import (
    ROOT,
    Ended,
    make_warm_program,
    run_command,
    start_server,
)

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three small evals."""
    (tmp_path / "data").mkdir()
    write_prose_suite(tmp_path / "evals", 3)
    return tmp_path


def call(
    here: Path, *arguments: str, before: str | None = FIRST_STEP_ONLY, code: int | None = None
) -> Ended:
    """Run a command in a folder; answers fail at the first step."""
    return run_command(*arguments, cwd=here, before=before, code=code)


def complete(folder: Path, shell: str, **variables: str) -> str:
    """Return the answer of the program to the completion script of a shell."""
    program = make_warm_program()
    line = f"_LEADERBOARD_COMPLETE={shell}_complete leaderboard"
    return run(
        ShellBlock(line, None),
        folder,
        program.parent,
        more=variables,
        pass_fds=[start_server().fileno()],
    )


def test_a_shell_completes_commands_options_and_choices(tmp_path: Path) -> None:
    """The scripts ask the program by a variable; it answers with matching words."""
    for shell in ("bash", "zsh", "fish"):
        script = call(tmp_path, "completion", shell, code=0)
        assert f"_LEADERBOARD_COMPLETE={shell}_complete" in script.stdout
    commands = complete(tmp_path, "bash", COMP_WORDS="leaderboard mod", COMP_CWORD="1")
    assert commands == "plain,models\n"
    options = complete(tmp_path, "bash", COMP_WORDS="leaderboard check --js", COMP_CWORD="2")
    assert options == "plain,--json\n"
    words = "leaderboard run --sandbox b"
    assert complete(tmp_path, "bash", COMP_WORDS=words, COMP_CWORD="3") == "plain,bwrap\n"


def test_bash_takes_the_script(tmp_path: Path) -> None:
    """Bash sources the script without an error, and registers the completion."""
    program = make_warm_program()
    line = "source <(leaderboard completion bash); complete -p leaderboard"
    printed = run(
        ShellBlock(line, None), tmp_path, program.parent, pass_fds=[start_server().fileno()]
    )
    assert printed.endswith("leaderboard\n")


def test_completion_passes_over_settings_that_cannot_be_used(tmp_path: Path) -> None:
    """The tab key prints no traceback."""
    (tmp_path / FILE).write_text("sandbox = 1")
    words = "leaderboard check --js"
    assert complete(tmp_path, "bash", COMP_WORDS=words, COMP_CWORD="2") == "plain,--json\n"


def test_quiet_prints_the_result_only(project: Path) -> None:
    """With -q the summary and JSON are printed, but no start and no progress."""
    ended = call(project, "-q", "run", "-m", "empty", "-f", "000-task", code=0)
    assert ended.stderr == ""
    assert "Starting" not in ended.stdout
    assert "[1/1]" not in ended.stdout
    assert "baseline/empty default: 1 failed" in ended.stdout
    as_json = call(project, "-q", "run", "-m", "empty", "-f", "000-task", "--json")
    assert as_json.stderr == ""
    assert json.loads(as_json.stdout)[0]["outcomes"] == {"failed": 1}
    refused = call(project, "-q", "run", "-m", "emtpy")
    assert "did you mean empty" in refused.stderr


def test_the_version_has_a_short_option(tmp_path: Path) -> None:
    """Both options print the same line."""
    short, long = call(tmp_path, "-V"), call(tmp_path, "--version")
    assert short.stdout == long.stdout
    assert short.stdout.startswith("leaderboard, version ")


def test_verbose_names_the_project_and_its_settings(project: Path) -> None:
    """The names are on standard error, so that the result stays the same."""
    (project / FILE).write_text("graders = 2\n")
    (project / "docs").mkdir()
    ended = call(project / "docs", "-v", "check")
    assert ended.stdout.splitlines()[-1] == "../data: all right"
    assert ended.stderr == f"project {project}\n../{FILE}: graders = 2\n"
    both = call(project, "-q", "-v", "check")
    assert (both.returncode, "contradict" in both.stderr) == (2, True)


@pytest.mark.parametrize(
    ("pattern", "name"), [("000-tsak", "000-fundamentals/000-task"), ("zzzz", None)]
)
def test_an_eval_of_nearly_that_name_is_proposed(
    pattern: str, name: str | None, project: Path
) -> None:
    """If no eval matches, the message names an eval with a similar name, if any."""
    ended = call(project, "run", "-m", "empty", "-f", pattern, "--plan", code=2)
    assert (f"close to it is {name}" in ended.stderr) is (name is not None)
    assert "`leaderboard evals list` names them" in ended.stderr


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_plain_terminal_gets_no_escapes(variables: dict[str, str], project: Path) -> None:
    """If colours are unwanted or escapes unknown, the progress of a run is plain lines."""
    folders = ["--evals", str(project / "evals"), "--data", str(project / "data")]
    with Terminal(
        ["run", "-m", "empty", "-f", "000-task", *folders],
        variables=variables,
        before=FIRST_STEP_ONLY,
    ) as terminal:
        assert terminal.wait_for_end() == 0
    assert "[1/1] baseline/empty default" in terminal.drawn
    assert "\x1b" not in terminal.drawn


@pytest.mark.more
def test_the_demo_explains_itself_in_few_lines(project: Path) -> None:
    """Two evals of three are answered; steps and time left are named, and the table of the runs."""
    ended = call(project, "demo", "--templates", str(ROOT / "site_templates"), before=None, code=0)
    lines = ended.stdout.splitlines()
    assert any("must fail" in line for line in lines)
    counts = [int(line.split()[0]) for line in lines if "attempts done" in line]
    assert counts == list(range(1, 13))
    assert all(" of 12 attempts done, about " in line for line in lines if line.endswith(" left"))
    assert [line[:11] for line in lines if line.startswith("Step ")] == [
        "Step 1 of 2",
        "Step 2 of 2",
    ]
    (own,) = (line.removeprefix("Your runs: ") for line in lines if line.startswith("Your runs"))
    assert re.fullmatch(r"site/benchmarks/\w+/parts/2-\w{8}/index.html", own)
    page = LexborHTMLParser((project / own).read_text())
    assert len(page.css("table.board tbody tr[data-key]")) == 3
    assert lines[-1].endswith(f"leaderboard serve --templates {ROOT / 'site_templates'}")
