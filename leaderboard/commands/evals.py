"""`leaderboard evals`: what the suite holds and how models fare; bare, a menu."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from leaderboard.options import data_option, evals_option, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.run import Outcome, Run
from records.showing import one_line
from runner.history import latest_runs
from runner.suite import Suite, discover
from runner.version import benchmark


@click.group("evals", invoke_without_command=True)
@evals_option
@data_option
@click.pass_context
def command(context: click.Context, *, evals_root: Path, data_root: Path) -> int:
    """List evals and how models fare; without a subcommand, a menu to choose and run from."""
    context.obj = (discover(evals_root), DataFolder(data_root))
    if context.invoked_subcommand is not None:
        return 0
    if not sys.stdin.isatty():
        raise click.UsageError("the menu needs a terminal; use `evals list` or `evals status`")
    # The prompt library takes half a second to import, and only the menu needs it.
    from leaderboard.menu import choose  # noqa: PLC0415

    arguments = choose(*context.obj)
    if arguments is None:
        return 0
    from leaderboard.commands.run import command as run  # noqa: PLC0415

    places = ["--evals", str(evals_root), "--data", str(data_root)]
    say("leaderboard run " + " ".join(arguments))
    return run.main([*arguments, *places], standalone_mode=False)


@command.command("list")
@json_option
@click.pass_obj
def list_command(places: tuple[Suite, DataFolder], *, as_json: bool) -> None:
    """Name every eval with its title."""
    suite, _ = places
    if as_json:
        rows = [
            {
                "eval": one.name,
                "title": one.config.title,
                "concept": one.config.concept,
                "guidelines": list(one.config.guidelines),
            }
            for one in suite.evals
        ]
        say_json(rows)
        return
    for one in suite.evals:
        say(f"{one.name:<48} {one.config.title}")


@command.command("status")
@click.option("--failed", is_flag=True, help="Only what did not pass.")
@json_option
@click.pass_obj
def status_command(places: tuple[Suite, DataFolder], *, failed: bool, as_json: bool) -> None:
    """Show how each eval ended in the latest run of each model, for today's suite."""
    suite, data = places
    runs = latest_runs((data, data.local), benchmark(suite).version)
    rows = [
        row
        for key in sorted(runs)
        for row in _rows(runs[key])
        if not failed or row["outcome"] != Outcome.PASSED
    ]
    if as_json:
        say_json(rows)
        return
    if not runs:
        say("No run of today's suite yet; `leaderboard demo` makes some without a key.")
        return
    for row in rows:
        why = f"  {row['reason']}" if row["reason"] else ""
        say(f"{row['model']} {row['experiment']}  {row['eval']}  {row['outcome']}{why}")
    for key in sorted(runs):
        run = runs[key]
        passed = sum(attempt.outcome is Outcome.PASSED for attempt in run.attempts)
        say(
            f"{run.model.slug} {run.experiment.name}: {passed} of {len(run.attempts)} passed, "
            f"{run.date}, run {run.run_id[:8]}"
        )


def _rows(run: Run) -> Iterator[dict[str, str | None]]:
    for attempt in run.attempts:
        reason = attempt.fault.evidence if attempt.fault else attempt.reason
        yield {
            "model": run.model.slug,
            "experiment": run.experiment.name,
            "eval": attempt.eval,
            "outcome": attempt.outcome.value,
            "failed_step": attempt.failed_step.value if attempt.failed_step else None,
            "reason": one_line(reason, 160) if reason else None,
        }
