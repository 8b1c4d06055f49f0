"""The options of the commands that try editions of the guidelines."""

import click

from leaderboard.options import (
    ahead_option,
    budget_option,
    category_option,
    evals_option,
    filter_option,
    grading_options,
    join_options,
    json_option,
    new_data_option,
    publish_option,
    request_options,
    samples_option,
    why_publish_option,
)

trial_options = join_options(
    filter_option,
    category_option,
    samples_option(help="Attempts at each eval with each text."),
    budget_option(help="Most dollars to spend on all of it."),
    ahead_option,
    request_options,
    click.option("--resume", metavar="ID", help="Go on: the id that was printed, or its start."),
    publish_option,
    why_publish_option,
    grading_options,
    evals_option,
    new_data_option,
    json_option,
)
