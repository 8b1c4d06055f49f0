"""Options of the program before and after commands, options given twice, and their number."""

from pathlib import Path

import click
import pytest

from leaderboard.cli import FORMER_COMMANDS, replace_former_words, root
from leaderboard.command_groups import SharedOption, takes_one_value
from runner.errors import BadSelectionError
from tests.leaderboard.commands.listing import list_commands

pytestmark = pytest.mark.unit


def call(*words: str) -> None:
    """Call the program, without any exit."""
    root.main(words, standalone_mode=False)


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


def test_the_environment_is_no_second_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line takes precedence over a variable."""
    monkeypatch.setenv("MODELS", "none-such")
    monkeypatch.setenv("EVALS_EXPERIMENT", "none-such")
    with pytest.raises(BadSelectionError, match="defualt"):
        call("run", "-m", "oracle", "-e", "defualt", "--plan")


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


def test_an_option_of_the_program_is_refused_where_it_has_no_use() -> None:
    """Otherwise a user would wait for JSON that never comes."""
    with pytest.raises(click.UsageError, match="--json: this command does not use it"):
        call("--json", "completion", "bash")


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


def test_help_of_a_command_is_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    """The former command prints the same, also of a command in a group."""
    call("help", "suite", "lint")
    assert capsys.readouterr().out.startswith("Usage: ")


def test_a_former_check_of_guidelines_begins_no_ablation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without a revision it was refused, and the new command would ask for money."""
    call("guidelines", "check", "--help")
    assert "--before" in capsys.readouterr().out
    with pytest.raises(click.UsageError, match="--before REVISION"):
        call("guidelines", "check", "-m", "stub")


def test_the_former_page_of_a_difference_is_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts that still ask for the page end well, and are told where both answers are."""
    words = ["diff", "aaaa", "bbbb", "--templates", "x", "--html", "--json"]
    assert replace_former_words(words) == ["diff", "aaaa", "bbbb", "--markdown", "--json"]
    assert "leaderboard serve" in capsys.readouterr().err
