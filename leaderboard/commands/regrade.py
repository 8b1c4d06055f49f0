"""`leaderboard regrade`: today's graders judge stored answers."""

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
def command(*, since: str | None, why: str | None, **options: Any) -> int:  # noqa: ANN401 - as RegradeOptions says
    """Grade stored answers again if the grader, or anything that it depends on, has changed.

    No model is asked. RUNS are beginnings of run ids. The record keeps the replaced verdicts, and
    belongs to today's benchmark version afterwards. A run that answered other tasks than today's
    is left unchanged, and the reason is printed.
    """
    from leaderboard.runs import regrade  # noqa: PLC0415 - its imports take a second

    return regrade.regrade_runs(regrade.RegradeOptions(**options), since, why)
