"""`leaderboard regrade`: stored answers through today's graders."""

from pathlib import Path
from typing import Any

import click

from leaderboard.options import (
    Reason,
    data_option,
    evals_option,
    examples,
    grading_options,
    json_option,
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
@grading_options
@evals_option
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    runs: tuple[str, ...],
    everything: bool,
    since: str | None,
    why: str | None,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
    **grading_settings: Any,  # noqa: ANN401 - as GradingSettings says
) -> int:
    """Grade stored answers again where the grader, or what it depends on, changed.

    No model is asked. RUNS are beginnings of run ids. The record keeps the verdict that is
    replaced, and becomes one of today's benchmark version; where its answers are to other tasks
    than today's, it is left as it is and the reason is told.
    """
    # Imported here: their imports take a second.
    from leaderboard.runs import regrade  # noqa: PLC0415
    from runner.runs.settings import GradingSettings  # noqa: PLC0415

    chosen = regrade.Chosen(runs, data_root, evals_root, everything=everything)
    return regrade.regrade_runs(
        chosen, GradingSettings(**grading_settings), since, why, as_json=as_json
    )
