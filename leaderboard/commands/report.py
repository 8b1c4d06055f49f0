"""`leaderboard report`: why the attempts of a run failed."""

from pathlib import Path

import click

from leaderboard.options import Dollars, data_option, evals_option, examples, json_option


@click.command(
    "report",
    epilog=examples(
        "leaderboard report jn7fgntk",
        "leaderboard report jn7fgntk --classify",
        "leaderboard report jn7fgntk --draft-with anthropic/claude-opus-5.5 --budget 2",
        "leaderboard report jn7fgntk --update",
    ),
)
@click.argument("run")
@click.option("--author", help="Who answers for it.  [default: user.name of git]")
@click.option("--update", is_flag=True, help="Bring the report on the run to today's record.")
@click.option("--classify", is_flag=True, help="Ask for the class of each failure, by one key.")
@click.option("--draft-with", metavar="MODEL", help="Let this model propose classes and reasons.")
@click.option("--budget", type=Dollars(), metavar="USD", help="The most to spend.")
@click.option(
    "--api-base", metavar="URL", help="Where the model is served, if not by its provider."
)
@evals_option
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    run: str,
    author: str | None,
    update: bool,
    classify: bool,
    draft_with: str | None,
    budget: float | None,
    api_base: str | None,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Write the report on a run, to be completed by a person.

    RUN is the beginning of a run's id. The report lists each failure with the task, the grader's
    message, the answer beside the reference and what earlier reports said, and leaves its class
    open: model_fault, overly_strict, ambiguous_task, known_gap or harness_fault. Give each a class
    and a note, and remove `draft: true`; `leaderboard check` finds what is missing. With --classify
    they are asked for on the terminal, one failure at a time, and each is saved at once; called
    again, the command goes on with those that have no class.
    """
    from leaderboard.reports import report  # noqa: PLC0415 - its imports take a second

    options = report.ReportOptions(
        run,
        author,
        draft_with,
        budget,
        api_base,
        evals_root,
        data_root,
        update=update,
        classify=classify,
        as_json=as_json,
    )
    return report.report(options)
