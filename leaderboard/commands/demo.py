"""`leaderboard demo`: the whole machine on this machine, without any key."""

from functools import partial
from pathlib import Path

import click

from generator.build import Sources, build
from leaderboard.options import (
    Sandbox,
    evals_option,
    examples,
    graders_option,
    new_data_option,
    out_option,
    sandbox_option,
    templates_option,
)
from leaderboard.pasting import options_to_keep
from leaderboard.run_summary import exit_code, recorded_at, report
from leaderboard.running import choose_watcher
from leaderboard.streams import say
from leaderboard.verbosity import say_starting
from records.folder import DataFolder
from records.showing import counted
from runner.evals.discovery import discover
from runner.models.baselines import BASELINES
from runner.runs.launch import launch
from runner.runs.plan import DEFAULT, NO_GUIDELINES, experiment_setup
from runner.runs.request import Destination, Machine, RunRequest, plan_runs


@click.command(
    "demo",
    epilog=examples(
        "leaderboard demo",
        "leaderboard demo --data /tmp/data --out /tmp/site",
    ),
)
@sandbox_option
@graders_option
@out_option
@templates_option
@evals_option
@new_data_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option of the command
    context: click.Context,
    *,
    sandbox: Sandbox,
    graders: int,
    out: Path,
    templates: Path,
    evals_root: Path,
    data_root: Path,
) -> int:
    """Run the three baselines with and without guidelines, and build the site from it."""
    say_starting()
    suite = discover(evals_root)
    destination = Destination(suite, DataFolder(data_root))
    machine = Machine(sandbox=sandbox, graders=graders)
    request = RunRequest(
        models=list(BASELINES),
        experiments=[experiment_setup(suite, name, None) for name in (DEFAULT, NO_GUIDELINES)],
        evals=suite.evals,
    )
    runs = launch(
        plan_runs(request, destination, machine),
        destination,
        machine,
        choose_watcher(),
    )
    record_of = partial(recorded_at, destination.data)
    report(runs, record_of, options_to_keep(context), as_json=False)
    sources = Sources(destination.data, templates, evals_root, local=True)
    written = build(sources, out)
    say(f"\nThe site: {out / 'index.html'} ({counted(written.files, 'file')})")
    own = out / "benchmarks" / runs[0].benchmark_version / "index.html"
    if own.exists():
        say(f"Its own runs: {own}")
    say("Open that file in a browser, or run: .venv/bin/leaderboard serve")
    return exit_code(runs)
