"""`leaderboard ablate`: the effect of each section of the guidelines, or of a change of them."""

from typing import Any

import click

from leaderboard.options import (
    ahead_option,
    budget_option,
    category_option,
    evals_option,
    filter_option,
    format_examples,
    grading_options,
    join_options,
    json_option,
    model_option,
    new_data_option,
    publish_option,
    request_options,
    samples_option,
    why_publish_option,
)
from leaderboard.terminal.shell_commands import list_options_to_keep, refuse_beside_resume
from leaderboard.terminal.verbosity import say_starting

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


@click.command(
    "ablate",
    epilog=format_examples(
        "leaderboard ablate -m anthropic/claude-opus-5.5 --plan     # what it may cost",
        "leaderboard ablate -m anthropic/claude-opus-5.5 --budget 60",
        "leaderboard ablate -m openai/gpt-6-luna --section validators --placebo --samples 3",
        "leaderboard ablate --resume abcd2345                       # goes on with what is left",
        "leaderboard ablate --before origin/main -m openai/gpt-6-luna --samples 3",
        "leaderboard ablate --before v1.2 -m MODEL --fail-on regression   # in CI",
    ),
)
@model_option(
    help="The model: a slug, a baseline, or any litellm id; with --before repeatable, or a,b."
)
@click.option(
    "--section", "sections", multiple=True, metavar="NAME", help="Only this section; repeatable."
)
@click.option(
    "--placebo",
    is_flag=True,
    help="Also replace each section by a text of the same length that is not about Convex.",
)
@click.option(
    "--before",
    metavar="REVISION",
    help="Instead compare guidelines.md with its text at a git revision, on the evals concerned.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["regression"]),
    help="With --before: end with 1 if a model is worse after the change, by more than chance.",
)
@trial_options
@click.pass_context
def command(
    context: click.Context,
    *,
    sections: tuple[str, ...],
    placebo: bool,
    before: str | None,
    fail_on: str | None,
    **options: Any,  # noqa: ANN401 - as RunOptions says
) -> int:
    """Ask a model with the whole guidelines, and without each section of them, in turns.

    Prints for each section the effect of leaving it out, and whether this is more than chance by
    the standard of docs/method.md, corrected for the number of sections. Each text has a run with
    its own record. One budget applies to all runs, however often the ablation is resumed.

    With --before, the evals that exercise a changed section are run, with guidelines.md before and
    after. Both texts take turns at each eval, with one budget for all models. A change outside of
    all sections concerns every eval.

    Ends with 3 if an attempt has no verdict, else with 0.
    """
    if before is not None and (sections or placebo):
        raise click.UsageError("--before compares two whole texts: leave out --section, --placebo")
    if fail_on is not None and before is None and options["resume"] is None:
        raise click.UsageError("--fail-on: name the text to compare with, by --before REVISION")
    if options["resume"] is not None:
        refuse_beside_resume(context)
    say_starting(as_json=options["as_json"])
    # Imported here, so that help and the first line of output come before seconds of imports.
    from leaderboard.runs.run_options import RunOptions  # noqa: PLC0415
    from leaderboard.trials.ablate import AblationChoice, ablate  # noqa: PLC0415

    run_options = RunOptions(**options)
    again = list_options_to_keep(context)
    return ablate(
        run_options,
        AblationChoice(sections, placebo=placebo, before=before, fails_on_regression=bool(fail_on)),
        again,
    )
