"""The command for a new user: a clear line for each mistake, and meaningful exit codes."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from generator.output_folder import MARK
from leaderboard.cli import FORMER_COMMANDS, replace_former_words, root
from leaderboard.command_groups import SharedOption, takes_one_value
from runner.errors import BadSelectionError
from tests.leaderboard.commanding import run_installed
from tests.leaderboard.commands.listing import list_commands
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration


def test_help_names_every_command() -> None:
    """The installed program starts in any folder; its help lists each subcommand with a line."""
    why = "the console script that an installation writes is what users start"
    result = run_installed(why, "--help", cwd=Path("/"))
    assert result.returncode == 0
    for name in ("demo", "run", "evals", "models", "suite", "build", "serve", "check"):
        assert f"\n  {name} " in result.stdout


def test_models_are_listed_as_json_without_baselines() -> None:
    """A script finds the models that it could ask, and which keys are missing."""
    rows = json.loads(run_command("models", "--json").stdout)
    assert {"slug", "key_set", "last_run"} <= rows[0].keys()
    assert not [row for row in rows if row["slug"].startswith("baseline/")]


@pytest.mark.parametrize("group", [[], ["suite"], ["run"]])
def test_help_imports_nothing_heavy(group: list[str]) -> None:
    """Help, also of run, answers without litellm, pydantic, jinja2, pytest or rich."""
    program = (
        "import sys\n"
        "from leaderboard.cli import main\n"
        f"sys.argv = ['leaderboard', *{group}, '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'litellm', 'pydantic', 'jinja2', 'pytest', 'rich', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.stderr.strip() == "[]"


def test_every_command_explains_itself_by_text_and_example() -> None:
    """Each command has a help text, a text for every option, and examples that click can parse."""
    by_name = dict(list_commands())
    assert len(by_name) > 15
    for name, command in by_name.items():
        assert command.help, name
        for parameter in command.get_params(click.Context(command)):
            if isinstance(parameter, click.Option):
                assert parameter.help, (name, parameter.name)
        epilog_lines = (command.epilog or "").splitlines()
        lines = [line.strip() for line in epilog_lines if line.strip().startswith("leaderboard ")]
        assert lines, f"{name}: no example"
        for line in lines:
            words = shlex.split(line.partition("|")[0].partition("&&")[0], comments=True)
            assert f"{' '.join(words)} ".startswith(f"{name} "), line
            assert_is_parsed(by_name, words)


def assert_is_parsed(commands: dict[str, click.Command], words: list[str]) -> None:
    """Parse the options of a line as its command does, files apart, which need not be there."""
    name = max((name for name in commands if f"{' '.join(words)} ".startswith(f"{name} ")), key=len)
    command = commands[name]
    parser = command.make_parser(click.Context(command))
    parser.parse_args(words[len(name.split()) :])


def test_help_cuts_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of help ends in the dots of something that was too long, at 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    for name, command in list_commands():
        text = command.get_help(click.Context(command, info_name=name))
        _, *lines = text.splitlines()  # a command's usage ends so
        assert not [line for line in lines if line.endswith("...")], name


@pytest.mark.parametrize("group", [[], ["suite"], ["session"]])
def test_a_group_without_a_command_shows_its_help(group: list[str]) -> None:
    """The help is printed once, on standard output, with exit code 0."""
    result = run_command(*group, code=0)
    assert result.stdout.startswith(f"Usage: {' '.join(['leaderboard', *group])} ")
    assert result.stderr == ""


MISTAKES = {
    "no model": (["run"], "which model?"),
    "a misspelt command": (["modles"], "Did you mean 'models'?"),
    "a misspelt command of a group": (["suite", "lnt"], "Did you mean 'lint'?"),
    "a bad regex": (["run", "-m", "baseline/stub", "-f", "crons("], "crons("),
    "an unknown category": (["run", "-m", "baseline/stub", "-c", "009-magic"], "009-magic"),
    "an unknown model": (["run", "-m", "nobody/nothing"], "nobody/nothing"),
    "an unknown experiment": (["run", "-m", "baseline/stub", "-e", "magic"], "magic"),
    "an empty selection": (["run", "-m", "baseline/stub", "-f", "^no-such-eval$"], "no-such-eval"),
    "an unknown run": (["run", "--resume", "zzzzzzzz"], "zzzzzzzz"),
    "nothing that failed": (["run", "-m", "baseline/stub", "--failed"], "--failed"),
    "an unminted version": (["run", "-m", "baseline/stub", "--publish"], "leaderboard suite mint"),
    "missing guidelines": (["run", "-m", "baseline/stub", "--guidelines", "none.md"], "none.md"),
    "guidelines without text": (
        ["run", "-m", "baseline/stub", "--guidelines", "/dev/null"],
        "holds no text",
    ),
    "a name with blanks and capitals": (
        ["run", "-m", "baseline/stub", "-e", "My Exp", "--guidelines", "LICENSE"],
        "such as my-exp",
    ),
    "a budget that is no number": (["run", "-m", "baseline/stub", "--budget", "nan"], "nan"),
    "a budget without end": (["run", "-m", "baseline/stub", "--budget", "inf"], "inf"),
    "an address without a scheme": (
        ["run", "-m", "openai/x", "--api-base", "127.0.0.1:9100/v1"],
        "http://",
    ),
    "nobody listening": (
        ["run", "-m", "openai/x", "--api-base", "http://127.0.0.1:1/v1"],
        "no server listens at http://127.0.0.1:1/v1: Connection refused",
    ),
    "a place that takes no workspaces": (
        ["run", "-m", "baseline/stub", "--workspaces", "/proc/none"],
        "/proc/none",
    ),
    "nothing to repair": (["check", "--repair", "zzzzzzzz"], "zzzzzzzz"),
    "a missing suite": (["run", "-m", "baseline/stub", "--evals", "nowhere"], "nowhere"),
    "a menu without a terminal": (["evals"], "needs a terminal"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gets_one_line_and_exit_code_2(mistake: str, tmp_path: Path) -> None:
    """The last line names the mistake; there is no traceback, and no file is written."""
    arguments, expected = MISTAKES[mistake]
    (tmp_path / "data").mkdir()
    ended = run_command(*arguments, "--data", tmp_path / "data", code=2)
    assert expected in ended.stderr.strip().splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert not list((tmp_path / "data").rglob("runs/**/*.json"))


READING = [
    *(["build"], ["serve", "--port", "0"], ["check"], ["models"]),
    *(["evals"], ["evals", "status"]),
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_data_folder_that_is_not_there_is_not_an_empty_one(
    arguments: list[str], tmp_path: Path
) -> None:
    """A mistyped --data is named, and the last site stays as it was."""
    missing, out = tmp_path / "dta", tmp_path / "site"
    out.mkdir()
    (out / MARK).touch()
    (out / "index.html").write_text("the last good one")
    command, *options = arguments
    folders = ["--out", out] if command in {"build", "serve"} else []
    ended = run_command(command, "--data", missing, *folders, *options, code=2)
    assert f"Directory '{missing}' does not exist." in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert (out / "index.html").read_text() == "the last good one"
    assert not missing.exists()


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    """The error about a registered model without its key names the variable to set."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "models.toml").write_bytes((ROOT / "data" / "models.toml").read_bytes())
    ended = run_command("run", "-m", "anthropic/claude-sonnet-4-5-20250929", "--data", data, code=2)
    assert "ANTHROPIC_API_KEY" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_environment_can_set_everything(tmp_path: Path) -> None:
    """MODELS, TEST_FILTER and EVALS_EXPERIMENT have the same effect as the options."""
    ended = run_command(
        "run",
        "--json",
        "--data",
        tmp_path / "data",
        variables={
            "MODELS": "baseline/empty,baseline/stub",
            "TEST_FILTER": "dome_functions",
            "EVALS_EXPERIMENT": "no_guidelines",
        },
        before=FIRST_STEP_ONLY,
        code=0,
    )
    assert ended.stdout.count('"experiment": "no_guidelines"') == 2
    assert '"failed": 1' in ended.stdout
    records = sorted((tmp_path / "data").rglob("runs/**/*.json"))
    assert [path.parent.name for path in records] == ["empty", "stub"]


def test_check_ends_with_1_and_names_the_file(tmp_path: Path) -> None:
    """A record that is not valid is named, with its field."""
    broken = tmp_path / "data" / "runs" / "a" / "b" / ("c" * 32 + ".json")
    broken.parent.mkdir(parents=True)
    broken.write_text('{"schema_version": 2}')
    why = "the exit code is the one that a shell sees"
    ended = run_installed(why, "check", "--data", tmp_path / "data")
    assert ended.returncode == 1
    assert str(broken) in ended.stdout


def test_build_refuses_a_folder_it_did_not_make(tmp_path: Path) -> None:
    """A folder with somebody's files is never cleaned."""
    (tmp_path / "mine.txt").write_text("keep me")
    run_command("build", "--out", tmp_path, code=2)
    assert (tmp_path / "mine.txt").read_text() == "keep me"


def test_a_strict_build_refuses_addresses_that_nobody_filled_in(tmp_path: Path) -> None:
    """Canonical links and feeds would lead nowhere; options may name the true addresses."""
    data, out = tmp_path / "data", tmp_path / "site"
    data.mkdir()
    refused = run_command("build", "--strict", "--out", out, "--data", data, code=1)
    assert [line.partition(" is a")[0] for line in refused.stderr.splitlines()] == [
        "site_templates/site.toml: address",
        "site_templates/site.toml: repository",
    ]
    assert not out.exists()
    options = ["--address", "https://board.dev", "--repository", "https://github.com/a/b"]
    run_command("build", "--strict", "--out", out, *options, "--data", data, code=0)
    assert "https://board.dev/" in (out / "sitemap.xml").read_text()
    assert 'href="https://github.com/a/b' in (out / "index.html").read_text()


@pytest.mark.parametrize("name", ["file", "link", "file/site", "/"])
def test_build_refuses_a_path_that_is_no_folder(name: str, tmp_path: Path) -> None:
    """A file, a link to nowhere and a place below a file get one line, and stay as they are."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    ended = run_command("build", "--out", tmp_path / name, code=2)
    assert str((tmp_path / name).parent) in ended.stderr.strip().splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"file", "link"}


def test_build_names_a_broken_template_in_one_line(tmp_path: Path) -> None:
    """The line has file and line of the template; exit code 2, and the last good site stays."""
    (tmp_path / "data").mkdir()
    ignored = shutil.ignore_patterns("__pycache__")
    templates = Path(shutil.copytree(ROOT / "site_templates", tmp_path / "look", ignore=ignored))
    folders = ["--templates", templates, "--out", tmp_path / "site"]
    run_command("build", *folders, "--data", tmp_path / "data", code=0)
    good = (tmp_path / "site" / "404.html").read_bytes()
    with (templates / "pages" / "missing.html").open("a") as template:
        template.write("{% block more %}")
    last = len((templates / "pages" / "missing.html").read_text().splitlines())
    ended = run_command("build", *folders, "--data", tmp_path / "data", code=2)
    (line,) = ended.stderr.splitlines()
    assert line.startswith(
        f"leaderboard: {templates}/pages/missing.html:{last}: Unexpected end of template"
    )
    assert (tmp_path / "site" / "404.html").read_bytes() == good


def call(*words: str) -> None:
    """Call the program, without any exit."""
    root.main(words, standalone_mode=False)


@pytest.mark.unit
def test_an_option_with_one_value_is_refused_if_it_is_given_twice() -> None:
    """In every command; the message names the option in all its spellings."""
    tried = 0
    for name, command in list_commands():
        for option in command.get_params(click.Context(command)):
            if command is root or not isinstance(option, click.Option):
                continue
            if not takes_one_value(option):
                continue
            value = () if option.is_flag else ("1",)
            spellings = (option.opts[0], [*option.opts, *option.secondary_opts][-1])
            given = [word for spelling in spellings for word in (spelling, *value)]
            with pytest.raises(click.UsageError, match="given 2 times") as refused:
                call(*name.split()[1:], *given)
            assert option.opts[-1] in refused.value.message, (name, option.name)
            assert refused.value.exit_code == 2
            tried += 1
    assert tried > 100


@pytest.mark.unit
@pytest.mark.parametrize(
    "words",
    [
        ("models", "--json", "--json"),
        ("--data", "data", "evals", "status", "--data", "data"),
        ("runs", "-m", "oracle", "-m", "stub"),
    ],
)
def test_other_options_may_be_repeated(words: tuple[str, ...]) -> None:
    """A flag says the same again, a command takes precedence over its group, a list grows."""
    call(*words)


@pytest.mark.unit
def test_the_environment_is_no_second_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line takes precedence over a variable."""
    monkeypatch.setenv("MODELS", "none-such")
    monkeypatch.setenv("EVALS_EXPERIMENT", "none-such")
    with pytest.raises(BadSelectionError, match="defualt"):
        call("run", "-m", "oracle", "-e", "defualt", "--plan")


@pytest.mark.unit
@pytest.mark.parametrize(
    "words",
    [
        ("--data", "{data}", "--json", "runs"),
        ("runs", "--json", "--data", "{data}"),
        ("--data", "nowhere", "runs", "--data", "{data}", "--json"),
    ],
)
def test_an_option_of_the_program_stands_before_or_after_the_command(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last value counts, as it does for a user who adds it to the end of a line."""
    call(*(word.format(data=tmp_path) for word in words))
    assert capsys.readouterr().out == "[]\n"


@pytest.mark.unit
def test_an_option_of_the_program_is_refused_where_it_has_no_use() -> None:
    """Otherwise a user would wait for JSON that never comes."""
    with pytest.raises(click.UsageError, match="--json: this command does not use it"):
        call("--json", "completion", "bash")


@pytest.mark.unit
def test_a_stranger_can_hold_the_commands_and_options() -> None:
    """Commands without subcommands, and their options with those of the program, once each."""
    commands = [command for _, command in list_commands() if not isinstance(command, click.Group)]
    options = [
        option
        for command in (root, *commands)
        for option in command.params
        if isinstance(option, click.Option)
        and (command is root or not isinstance(option, SharedOption))
    ]
    assert len(commands) <= 46, len(commands)
    assert len(options) <= 320, len(options)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("former", "today"),
    [
        (former, today)
        for former, today in FORMER_COMMANDS.items()
        if former != ("guidelines", "check")
    ],
    ids=" ".join,
)
def test_a_former_command_works_and_names_todays(
    former: tuple[str, ...], today: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Both have the same help; the notice is on standard error."""
    outputs: list[tuple[str, str]] = []
    for words in (former, today):
        call(*words, "--help")
        outputs.append(capsys.readouterr())
    assert outputs[0][0] == outputs[1][0] != ""
    assert (
        f"`leaderboard {' '.join(former)}` is now `leaderboard {' '.join(today)}`" in outputs[0][1]
    )
    assert outputs[1][1] == ""


@pytest.mark.unit
def test_help_of_a_command_is_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    """The former command prints the same, also of a command in a group."""
    call("help", "suite", "lint")
    assert capsys.readouterr().out.startswith("Usage: ")


@pytest.mark.unit
def test_a_former_check_of_guidelines_begins_no_ablation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without a revision it was refused, and the new command would ask for money."""
    call("guidelines", "check", "--help")
    assert "--before" in capsys.readouterr().out
    with pytest.raises(click.UsageError, match="--before REVISION"):
        call("guidelines", "check", "-m", "stub")


@pytest.mark.unit
def test_the_former_page_of_a_difference_is_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts that still ask for the page end well, and are told where both answers are."""
    words = ["diff", "aaaa", "bbbb", "--templates", "x", "--html", "--json"]
    assert replace_former_words(words) == ["diff", "aaaa", "bbbb", "--markdown", "--json"]
    assert "leaderboard serve" in capsys.readouterr().err
