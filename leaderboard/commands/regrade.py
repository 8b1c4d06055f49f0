"""`leaderboard regrade`: today's graders judge stored answers."""

from pathlib import Path
from typing import Any

import click

from leaderboard.options import (
    Reason,
    data_option,
    evals_option,
    format_examples,
    grading_options,
    json_option,
)


@click.command(
    "regrade",
    epilog=format_examples(
        'leaderboard regrade 4p2bzjf --why "the order of equal dates was not in the task"',
        "leaderboard regrade --all --since v1.2",
    ),
)
@click.argument("runs", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All published runs of this program.")
@click.option("--since", metavar="REV", help="Only evals that changed since this git revision.")
@click.option(
    "--why", type=Reason(), metavar="TEXT", help="The reason; kept with each replaced verdict."
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
    """Grade stored answers again if the grader, or anything that it depends on, has changed.

    No model is asked. RUNS are beginnings of run ids. The record keeps the replaced verdicts, and
    belongs to today's benchmark version afterwards. A run that answered other tasks than today's
    is left unchanged, and the reason is printed.
    """
    # Imported here, because the imports take a second.
    from leaderboard.runs import regrade  # noqa: PLC0415
    from runner.runs.settings import GradingSettings  # noqa: PLC0415

    chosen = regrade.Chosen(runs, data_root, evals_root, everything=everything)
    return regrade.regrade_runs(
        chosen, GradingSettings(**grading_settings), since, why, as_json=as_json
    )
