from pathlib import Path

import click
import pytest

from leaderboard.commands.records import import_command

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("--pass-at", "nan", "nan is no score"),
        ("--pass-at", "-inf", "-inf is no score"),
        ("--pass-at", "high", "'high' is not a valid float"),
        ("--name", "n" * 250, "String should have at most 200 characters"),
        ("--name", "  ", "must"),
        ("--name", "", "must"),
        ("--source", "https://example.org\nmore", "must"),
        ("--score", "s" * 300, "String should have at most 200 characters"),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, option: str, value: str, reason: str) -> None:
    """The message names the option, before a file is read or written."""
    table = tmp_path / "results.csv"
    table.write_text("model,task,sample,outcome\na,b,c,1\n")
    data = tmp_path / "data"
    with pytest.raises(click.BadParameter) as error:
        import_command.main([f"{table}", f"--data={data}", option, value], standalone_mode=False)
    assert reason in error.value.message
    assert error.value.param is not None
    assert option in error.value.param.opts
    assert not data.exists()
