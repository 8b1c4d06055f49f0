"""`leaderboard guidelines check`: the evals that a change of the guidelines fixes and breaks."""

from typing import Any

import click

from leaderboard.options import format_examples, model_option
from leaderboard.terminal.shell_commands import list_options_to_keep, refuse_beside_resume
from leaderboard.terminal.verbosity import say_starting
from leaderboard.trials.trial_options import trial_options


@click.command(
    "check",
    epilog=format_examples(
        "leaderboard guidelines check --before HEAD -m anthropic/claude-opus-5.5 --plan",
        "leaderboard guidelines check --before origin/main -m openai/gpt-6-luna --samples 3",
        "leaderboard guidelines check --before v1.2 -m MODEL --fail-on regression   # in CI",
    ),
)
@click.option(
    "--before", metavar="REVISION", help="The git revision to compare guidelines.md with."
)
@model_option(help="The model: a slug, a baseline, or any litellm id; repeatable.")
@click.option(
    "--fail-on",
    type=click.Choice(["regression"]),
    help="End with 1 if a model is worse after the change, by more than chance.",
)
@trial_options
@click.pass_context
def command(
    context: click.Context,
    *,
    before: str | None,
    fail_on: str | None,
    **options: Any,  # noqa: ANN401 - as RunOptions says
) -> int:
    """Run the evals that exercise a changed section, with guidelines.md before and after.

    Both texts take turns at each eval, with one budget for all models. A change outside of all
    sections concerns every eval. Ends with 3 if an attempt has no verdict, else with 0.
    """
    if options["resume"] is not None:
        refuse_beside_resume(context)
    say_starting(as_json=options["as_json"])
    # Imported here, so that help and the first line of output come before seconds of imports.
    from leaderboard.runs.run_options import RunOptions  # noqa: PLC0415
    from leaderboard.trials.ablate import check_guidelines  # noqa: PLC0415

    run_options = RunOptions(**options)
    again = list_options_to_keep(context)
    return check_guidelines(run_options, before, again, fail_on_regression=fail_on == "regression")
