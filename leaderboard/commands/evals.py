"""`leaderboard evals`: the evals of the suite and their results; without a subcommand, a menu."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from leaderboard.evals.status import EvalsStatus, choose_histories
from leaderboard.options import (
    FOLDER,
    category_option,
    data_if_needed_option,
    evals_option,
    filter_option,
    format_examples,
    json_option,
    model_option,
)
from leaderboard.project import find_folder
from leaderboard.terminal.streams import say, say_json, say_result
from records.files.data_folder import DataFolder
from runner.evals.discovery import Eval, Suite, discover
from runner.runs.history import read_histories
from runner.suite.mint import make_benchmark


@click.command(
    "evals",
    epilog=format_examples(
        "leaderboard evals                      # the menu",
        "leaderboard evals list -f crons",
        "leaderboard evals status --failed",
        "leaderboard evals status --runs",
        "leaderboard evals status -m anthropic/claude-opus-5.5 -e no_guidelines -f crons",
        "leaderboard evals status -m oracle,stub    # baselines that came with the project",
    ),
)
@click.argument("view", type=click.Choice(["list", "status"]), required=False)
@model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@filter_option
@category_option
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option("--failed", is_flag=True, help="Only attempts that did not pass.")
@click.option("--runs", is_flag=True, help="Only runs, a line for each.")
@evals_option
@data_if_needed_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option of the command
    context: click.Context,
    *,
    view: str | None,
    models: Sequence[str],
    pattern: str | None,
    categories: Sequence[str],
    experiment: str | None,
    failed: bool,
    runs: bool,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """List the evals, or show their state; without a word, show a menu for runs.

    "list", which --json stands for, prints the name and the title of each eval.

    "status" shows the latest verdict of each model on each eval of today's suite. All runs of a
    model under an experiment count together: runs of the whole suite, runs of some evals, and
    stopped runs. Models with local runs come first. Published baselines are only shown if -m names
    them. The last line is the sum of all.
    """
    if view != "status" and (models or experiment or failed or runs):
        raise click.UsageError("-m, -e, --failed and --runs are of `leaderboard evals status`")
    if view is None and as_json:
        view = "list"
    if view is None and (pattern or categories):
        raise click.UsageError("-f and -c are of `evals list` and `evals status`: name one")
    suite = discover(evals_root)
    chosen = suite.select(pattern, categories)
    if view == "list":
        _say_evals(chosen, as_json=as_json)
        return 0
    data = DataFolder(FOLDER.convert(data_root, None, context))
    folders = [
        part
        for option, folder in (("--evals", evals_root), ("--data", data_root))
        if folder != find_folder(option.removeprefix("--"))
        for part in (option, str(folder))
    ]
    if view is None:
        return _show_menu(suite, data, folders)
    history_by_model = read_histories(data, make_benchmark(suite).version)
    chosen_histories = choose_histories(history_by_model.values(), models, experiment)
    names = frozenset(evaluation.name for evaluation in chosen)
    status = EvalsStatus(chosen_histories, names, failed=failed)
    if as_json:
        say_json(status.build_run_rows() if runs else status.build_attempt_rows())
        return 0
    if not chosen_histories:
        noun = "selected run" if history_by_model else "run"
        say(f"No {noun} of today's suite yet; `leaderboard demo` makes some without a key.")
        return 0
    if runs:
        status.say_runs()
    else:
        status.say_attempts(folders)
    say(status.format_summary())
    return 0


def _say_evals(evals: Sequence[Eval], *, as_json: bool) -> None:
    rows = [
        {
            "eval": evaluation.name,
            "title": evaluation.config.title,
            "concept": evaluation.config.concept,
            "guidelines": list(evaluation.config.guidelines),
        }
        for evaluation in evals
    ]
    lines = (f"{evaluation.name:<48} {evaluation.config.title}" for evaluation in evals)
    say_result(rows, lines, as_json=as_json)


def _show_menu(suite: Suite, data: DataFolder, folders: Sequence[str]) -> int:
    """Let the user choose a run in a menu, and execute it."""
    if not sys.stdin.isatty():
        raise click.UsageError("the menu needs a terminal; use `evals list` or `evals status`")
    # The prompt library takes half a second to import, and only the menu needs it.
    from leaderboard.commands.run import command as run  # noqa: PLC0415
    from leaderboard.evals.menu import Menu  # noqa: PLC0415
    from runner.models.api_keys import load_keys  # noqa: PLC0415

    load_keys()
    arguments = Menu(suite, data, folders).choose()
    return 0 if arguments is None else run.main(arguments, standalone_mode=False)
