"""`leaderboard report`: the report on why attempts of a run failed."""

from typing import Any

import click

from leaderboard.options import Dollars, data_option, evals_option, format_examples, json_option


@click.command(
    "report",
    epilog=format_examples(
        "leaderboard report jn7fgntk",
        "leaderboard report jn7fgntk --classify",
        "leaderboard report jn7fgntk --draft-with anthropic/claude-opus-5.5 --budget 2",
        "leaderboard report jn7fgntk --update",
    ),
)
@click.argument("run")
@click.option("--author", help="The responsible person.  [default: user.name of git]")
@click.option("--update", is_flag=True, help="Update an existing report to today's record.")
@click.option("--classify", is_flag=True, help="Ask for the class of each failure, by a key.")
@click.option("--draft-with", metavar="MODEL", help="Let this model propose classes and reasons.")
@click.option("--budget", type=Dollars(), metavar="USD", help="The most to spend.")
@click.option(
    "--api-base", metavar="URL", help="The address of the model's server, if it is your own."
)
@evals_option
@data_option
@json_option
def command(**options: Any) -> int:  # noqa: ANN401 - as ReportOptions says
    """Write the report on a run, to be completed by a person.

    RUN is the beginning of a run's id. The report lists each failure with the task, the grader's
    message, the changes from the reference to the answer, and findings of earlier reports. Give
    each failure a class (model_fault, overly_strict, ambiguous_task, known_gap or harness_fault)
    and a note, and remove `draft: true`; `leaderboard check` finds missing parts. With --classify
    the command asks for class and note of one failure after another, and saves each at once. Called
    again, it goes on with failures without a class.
    """
    from leaderboard.reports import report  # noqa: PLC0415 - its imports take a second

    return report.report(report.ReportOptions(**options))
