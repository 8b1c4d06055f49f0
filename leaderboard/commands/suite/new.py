"""`leaderboard suite new`: the folder of a new eval is made, with parts to be written."""

from pathlib import Path

import click

from leaderboard.options import evals_option, format_examples, json_option
from leaderboard.terminal.streams import say_result
from runner.suite.new import make_eval


@click.command(
    "new",
    epilog=format_examples(
        "leaderboard suite new queries read_by_index",
    ),
)
@click.argument("category")
@click.argument("name")
@evals_option
@json_option
def command(*, category: str, name: str, evals_root: Path, as_json: bool) -> None:
    """Make the folder of a new eval about Convex: CATEGORY such as queries, NAME in snake_case.

    In a project of `leaderboard init`, copy the folder of an eval instead.

    Parts that are still to be written are marked FILL IN; `leaderboard suite lint -f NAME` lists
    them.
    """
    folder = make_eval(evals_root, category, name)
    following = f"Fill it in, then: leaderboard suite lint -f {name}"
    say_result({"folder": str(folder)}, [folder, following], as_json=as_json)
