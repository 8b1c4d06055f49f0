"""`leaderboard ablate`: which sections of the guidelines help a model."""

from typing import Any

import click

from leaderboard.options import examples, model_option
from leaderboard.terminal.shell_commands import options_to_keep, refuse_beside_resume
from leaderboard.terminal.verbosity import say_starting
from leaderboard.trials.trial_options import trial_options


@click.command(
    "ablate",
    epilog=examples(
        "leaderboard ablate -m anthropic/claude-opus-5.5 --plan     # what it may cost",
        "leaderboard ablate -m anthropic/claude-opus-5.5 --budget 60",
        "leaderboard ablate -m openai/gpt-6-luna --section validators --placebo --samples 3",
        "leaderboard ablate --resume abcd2345                       # goes on with what is left",
    ),
)
@model_option(help="The model: a slug, a baseline, or any litellm id.")
@click.option(
    "--section", "sections", multiple=True, metavar="NAME", help="Only this one; repeatable."
)
@click.option(
    "--placebo",
    is_flag=True,
    help="Also replace each section by as many tokens of text that is not about Convex.",
)
@trial_options
@click.pass_context
def command(
    context: click.Context,
    *,
    sections: tuple[str, ...],
    placebo: bool,
    **options: Any,  # noqa: ANN401 - as RunOptions says
) -> int:
    """Ask a model with the whole guidelines, and without each section of them, in turns.

    Says for each section which evals it loses and gains, and whether that is more than noise:
    by the standard of docs/method.md, corrected for the number of sections. Each text is a run with
    a record of its own. One budget holds for all of them, however often the ablation is resumed.

    Ends with 3 when an attempt was not judged, else with 0.
    """
    if options["resume"] is not None:
        refuse_beside_resume(context)
    say_starting(as_json=options["as_json"])
    # Imported here: help and the first line of output do not wait for seconds of imports.
    from leaderboard.runs.run_options import RunOptions  # noqa: PLC0415
    from leaderboard.trials.ablate import ablate  # noqa: PLC0415

    run_options = RunOptions(**options)
    return ablate(run_options, sections, options_to_keep(context), placebo=placebo)
