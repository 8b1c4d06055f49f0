"""Options that are given twice: refused where click would use only the last value."""

import click
import pytest

from leaderboard.cli import root
from leaderboard.strict_group import takes_one_value
from runner.errors import UnknownExperimentError
from tests.leaderboard.commands.listing import list_commands

pytestmark = pytest.mark.unit


def call(*words: str) -> None:
    """Call the program, without any exit."""
    root.main(words, standalone_mode=False)


def test_an_option_with_one_value_is_refused_if_it_is_given_twice() -> None:
    """In every command; the message names the option in all its spellings."""
    tried = 0
    for name, command in list_commands():
        for option in command.params:
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
        ("evals", "--data", "data", "status", "--data", "data"),
        ("runs", "list", "-m", "oracle", "-m", "stub"),
    ],
)
def test_other_options_may_be_repeated(words: tuple[str, ...]) -> None:
    """A flag says the same again, a command takes precedence over its group, a list grows."""
    call(*words)


def test_the_environment_is_no_second_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line takes precedence over a variable."""
    monkeypatch.setenv("MODELS", "none-such")
    monkeypatch.setenv("EVALS_EXPERIMENT", "none-such")
    with pytest.raises(UnknownExperimentError, match="defualt"):
        call("run", "-m", "oracle", "-e", "defualt", "--plan")
