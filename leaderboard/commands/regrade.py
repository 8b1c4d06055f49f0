"""`leaderboard regrade`: stored answers through today's graders."""

from pathlib import Path

import click

from leaderboard.options import (
    Backend,
    Install,
    Reason,
    Sandbox,
    backend_option,
    data_option,
    evals_option,
    examples,
    graders_option,
    install_option,
    json_option,
    sandbox_option,
    workspaces_option,
)


@click.command(
    "regrade",
    epilog=examples(
        'leaderboard regrade 4p2bzjf --why "the order of equal dates was not in the task"',
        "leaderboard regrade --all --since v1.2",
    ),
)
@click.argument("runs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every published run that was made here.")
@click.option("--since", metavar="REV", help="Only evals that changed since this revision of git.")
@click.option(
    "--why", type=Reason(), metavar="TEXT", help="Why; kept beside each verdict that is replaced."
)
@backend_option
@sandbox_option
@install_option
@graders_option
@workspaces_option
@evals_option
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    runs: tuple[str, ...],
    everything: bool,
    since: str | None,
    why: str | None,
    backend: Backend,
    sandbox: Sandbox,
    install: Install,
    graders: int,
    workspaces: Path | None,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Grade stored answers again where the grader, or what it depends on, changed.

    No model is asked. RUNS are beginnings of run ids. The record keeps the verdict that is
    replaced, and becomes one of today's benchmark version; where its answers are to other tasks
    than today's, it is left as it is and the reason is told.
    """
    from leaderboard.runs import regrade  # noqa: PLC0415 - its imports take a second

    chosen = regrade.Chosen(runs, data_root, evals_root, everything=everything)
    machine = regrade.Machine(backend, sandbox, install, graders, workspaces)
    return regrade.regrade_runs(chosen, machine, since, why, as_json=as_json)
