"""`leaderboard evals`: the evals of the suite and their results; without a subcommand, a menu."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from leaderboard.evals.status import EvalsStatus, choose_histories
from leaderboard.options import (
    FOLDER,
    category_option,
    filter_option,
    format_examples,
    group_data_option,
    group_evals_option,
    inner_data_option,
    inner_evals_option,
    json_option,
    model_option,
)
from leaderboard.project import find_folder
from leaderboard.strict_group import StrictGroup
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder
from runner.evals.discovery import discover
from runner.runs.history import read_histories
from runner.suite.mint import make_benchmark


@click.group(
    "evals",
    cls=StrictGroup,
    epilog=format_examples(
        "leaderboard evals                      # the menu",
        "leaderboard evals list",
        "leaderboard evals status --failed",
    ),
    invoke_without_command=True,
)
@group_evals_option
@group_data_option
@click.pass_context
def command(context: click.Context, *, evals_root: Path | None, data_root: Path | None) -> int:
    """List evals and the results of models; without a subcommand, show a menu for runs."""
    if context.invoked_subcommand is not None:
        return 0
    root = FOLDER.convert(evals_root or find_folder("evals"), None, context)
    folder = FOLDER.convert(data_root or find_folder("data"), None, context)
    if not sys.stdin.isatty():
        raise click.UsageError("the menu needs a terminal; use `evals list` or `evals status`")
    # The prompt library takes half a second to import, and only the menu needs it.
    from leaderboard.commands.run import command as run  # noqa: PLC0415
    from leaderboard.evals.menu import Menu  # noqa: PLC0415
    from runner.models.api_keys import load_keys  # noqa: PLC0415

    load_keys()
    options = ["--evals", str(root)] if evals_root else []
    options += ["--data", str(folder)] if data_root else []
    arguments = Menu(discover(root), DataFolder(folder), options).choose()
    return 0 if arguments is None else run.main(arguments, standalone_mode=False)


@command.command(
    "list",
    epilog=format_examples(
        "leaderboard evals list | grep crons",
    ),
)
@json_option
@inner_evals_option
def list_command(*, as_json: bool, evals_root: Path) -> None:
    """Print the name and the title of every eval."""
    suite = discover(evals_root)
    rows = [
        {
            "eval": evaluation.name,
            "title": evaluation.config.title,
            "concept": evaluation.config.concept,
            "guidelines": list(evaluation.config.guidelines),
        }
        for evaluation in suite.evals
    ]
    lines = (f"{evaluation.name:<48} {evaluation.config.title}" for evaluation in suite.evals)
    say_result(rows, lines, as_json=as_json)


@command.command(
    "status",
    short_help="Show the latest verdict of each model on each eval.",
    epilog=format_examples(
        "leaderboard evals status --failed",
        "leaderboard evals status --runs",
        "leaderboard evals status -m anthropic/claude-opus-5.5 -e no_guidelines -f crons",
        "leaderboard evals status -m oracle,stub    # baselines that came with the project",
    ),
)
@model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@filter_option
@category_option
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option("--failed", is_flag=True, help="Only attempts that did not pass.")
@click.option("--runs", is_flag=True, help="Only runs, a line for each.")
@json_option
@inner_evals_option
@inner_data_option
def status_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    models: Sequence[str],
    pattern: str | None,
    categories: Sequence[str],
    experiment: str | None,
    failed: bool,
    runs: bool,
    as_json: bool,
    evals_root: Path,
    data_root: Path,
) -> None:
    """Show the latest verdict of each model on each eval of today's suite.

    All runs of a model under an experiment count together: runs of the whole suite, runs of some
    evals, and stopped runs. Models with local runs come first. Published baselines are only shown
    if -m names them. The last line is the sum of all.
    """
    suite, data = discover(evals_root), DataFolder(data_root)
    chosen = frozenset(evaluation.name for evaluation in suite.select(pattern, categories))
    history_by_model = read_histories(data, make_benchmark(suite).version)
    chosen_histories = choose_histories(history_by_model.values(), models, experiment)
    status = EvalsStatus(chosen_histories, chosen, failed=failed)
    if as_json:
        say_json(status.build_run_rows() if runs else status.build_attempt_rows())
        return
    if not chosen_histories:
        noun = "selected run" if history_by_model else "run"
        say(f"No {noun} of today's suite yet; `leaderboard demo` makes some without a key.")
        return
    if runs:
        status.say_runs()
    else:
        status.say_attempts(
            part
            for option, folder in (("--evals", evals_root), ("--data", data_root))
            if folder != find_folder(option.removeprefix("--"))
            for part in (option, str(folder))
        )
    say(status.format_summary())
