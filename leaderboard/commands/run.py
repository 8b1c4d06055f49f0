"""`leaderboard run`: give models the tasks, grade and record their answers."""

from pathlib import Path
from typing import Any

import click

from leaderboard.options import (
    ahead_option,
    budget_option,
    carry_over_option,
    category_option,
    evals_option,
    format_examples,
    grading_options,
    json_option,
    make_filter_option,
    model_option,
    new_data_option,
    publish_option,
    request_options,
    samples_option,
    why_publish_option,
)
from leaderboard.terminal.shell_commands import list_options_to_keep, refuse_beside_resume
from leaderboard.terminal.verbosity import say_starting
from records.shapes.carry_over_days import DEFAULT_DAYS


@click.command(
    "run",
    epilog=format_examples(
        "leaderboard run -m oracle -f crons                  # a baseline: no key, no cost",
        "leaderboard run -m anthropic/claude-opus-5.5 -e no_guidelines -c 002-queries --budget 5",
        "leaderboard run -m openai/qwen3 --api-base http://127.0.0.1:8080/v1   # a local server",
        "leaderboard run -m anthropic/claude-opus-5.5 --plan   # what it may cost",
        "leaderboard run -m anthropic/claude-opus-5.5 --failed",
        "leaderboard run -m anthropic/claude-opus-5.5 --carry-over --plan   # after a new version",
        "leaderboard run --resume abcd2345                   # goes on; answers are kept",
        "leaderboard run --resume abcd2345 bcde3456          # several at once",
        "leaderboard run -m anthropic/claude-opus-5.5 --resume-or-start   # the one or the other",
        "leaderboard run -m oracle --report-to https://scores.example.org",
    ),
)
@model_option(
    envvar="MODELS",
    help="A slug of data/models.toml, a baseline (oracle, empty, stub), or any litellm id; "
    "repeatable, or MODELS=a,b.",
)
@make_filter_option(envvar="TEST_FILTER")
@category_option
@click.option(
    "-e",
    "--experiment",
    envvar="EVALS_EXPERIMENT",
    help="default, no_guidelines, or a name for --guidelines.",
)
@click.option(
    "--guidelines",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Send this text instead of the suite's guidelines.",
)
@samples_option(help="Attempts at each eval.")
@budget_option(help="Most dollars to spend.")
@ahead_option
@request_options
@click.option(
    "--resume",
    multiple=True,
    metavar="RUN [RUN...]",
    help="Go on with these runs, named by the beginnings of their ids.",
)
@click.option(
    "--resume-or-start",
    is_flag=True,
    help="Go on with an unfinished run of the same model, experiment and evals; else begin one.",
)
@click.option("--anew", is_flag=True, help="Begin a new run although another is unfinished.")
@click.argument("more_runs", nargs=-1, metavar="")
@click.option(
    "--failed", "failed_only", is_flag=True, help="Only evals that did not pass when last judged."
)
@carry_over_option(
    help="Take over answers of earlier versions of the suite to the same prompts, if they are at "
    f"most this old ({DEFAULT_DAYS} days by default), and ask the other questions.",
)
@publish_option
@why_publish_option
@click.option(
    "--report-to",
    metavar="URL",
    help="Send the results to this server, too; its key is in LEADERBOARD_REPORT_KEY.",
)
@grading_options
@evals_option
@new_data_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    *,
    resume: tuple[str, ...],
    more_runs: tuple[str, ...],
    **options: Any,  # noqa: ANN401 - as RunOptions says
) -> int:
    """Give models the tasks, grade their answers, and write a record of each run.

    MODELS, TEST_FILTER, EVALS_EXPERIMENT and OUTPUT_TEMPDIR are read from the environment, keys
    also from a .env file. With --report-to the results are sent to a server during the run; if the
    server does not answer, they wait here, and `leaderboard send` sends them later. --publish
    refuses a run that `leaderboard publish` would refuse, before any model is asked, unless --why
    has a reason. A run with attempts without a verdict stays local without --why.

    Ends with 3 if an attempt has no verdict, because infrastructure failed or the run was stopped,
    or if the server does not have all results; with 130 if a second Ctrl-C stopped the run at once;
    else with 0, whatever the verdicts are.

    If a run of the same model, experiment and evals is unfinished, and not older than 14 days, the
    command shows on a terminal both ways to go on, and no model is asked.
    """
    if options["resume_or_start"] and options["anew"]:
        raise click.UsageError("--resume-or-start or --anew, not both")
    if resume:
        refuse_beside_resume(context)
    elif more_runs:
        raise click.UsageError(
            f"{more_runs[0]}: a model is named with -m, a run to go on with after --resume"
        )
    say_starting(as_json=options["as_json"])
    # Imported here, so that help and the first line of output come before seconds of imports.
    from leaderboard.runs.run import run  # noqa: PLC0415
    from leaderboard.runs.run_options import RunOptions  # noqa: PLC0415

    return run(RunOptions(resumed=(*resume, *more_runs), **options), list_options_to_keep(context))
