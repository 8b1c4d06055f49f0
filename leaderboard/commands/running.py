"""The commands that ask models: `leaderboard run`, `ablate` and `send`."""

from typing import Any

import click

from leaderboard import options
from leaderboard.terminal.shell_commands import list_options_to_keep, refuse_beside_resume
from leaderboard.terminal.streams import is_json, say_aside, say_json, say_starting
from records.files.data_folder import DataFolder
from records.shapes.carry_over_days import DEFAULT_DAYS


@options.command(
    "leaderboard run -m oracle -f crons                  # a baseline: no key, no cost",
    "leaderboard run -m anthropic/claude-opus-5.5 -e no_guidelines -c 002-queries --budget 5",
    "leaderboard run -m openai/qwen3 --api-base http://127.0.0.1:8080/v1   # a local server",
    "leaderboard run -m anthropic/claude-opus-5.5 --plan   # what it may cost",
    "leaderboard run -m anthropic/claude-opus-5.5 --level basic   # a first look at a new model",
    "leaderboard run -m anthropic/claude-opus-5.5 --level hard --samples 3   # for a ranked row",
    "leaderboard run -m anthropic/claude-opus-5.5 --failed",
    "leaderboard run -m anthropic/claude-opus-5.5 --carry-over --plan   # after a new version",
    "leaderboard run --resume abcd2345                   # goes on; answers are kept",
    "leaderboard run --resume abcd2345 bcde3456          # several at once",
    "leaderboard run -m anthropic/claude-opus-5.5 --resume-or-start   # the one or the other",
    "leaderboard run -m oracle --report-to https://scores.example.org",
)
@options.model_option(
    envvar="MODELS",
    help="A slug of data/models.toml, a baseline (oracle, empty, stub), or any litellm id; "
    "repeatable, or MODELS=a,b.",
)
@options.make_filter_option(envvar="TEST_FILTER")
@options.group_options
@click.option(
    "-e",
    "--experiment",
    envvar="EVALS_EXPERIMENT",
    help="default, no_guidelines, or a name for --guidelines.",
)
@click.option(
    "--guidelines",
    type=options.ANY_FILE,
    help="Send this text instead of the suite's guidelines.",
)
@options.samples_option(help="Attempts at each eval.")
@options.budget_option(help="Most dollars to spend.")
@options.ahead_option
@options.request_options
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
@options.carry_over_option(
    help="Take over answers of earlier versions of the suite to the same prompts, if they are at "
    f"most this old ({DEFAULT_DAYS} days by default), and ask the other questions.",
)
@options.publish_option
@options.why_publish_option
@click.option(
    "--report-to",
    metavar="URL",
    help="Send the results to this server, too; its key is in LEADERBOARD_REPORT_KEY.",
)
@options.grading_options
@options.evals_option
@options.new_record_options
@click.pass_context
def run_command(
    context: click.Context,
    *,
    resume: tuple[str, ...],
    more_runs: tuple[str, ...],
    **given: Any,  # noqa: ANN401 - as RunOptions says
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
    if given["resume_or_start"] and given["anew"]:
        raise click.UsageError("--resume-or-start or --anew, not both")
    if resume:
        refuse_beside_resume(context)
    elif more_runs:
        raise click.UsageError(
            f"{more_runs[0]}: a model is named with -m, a run to go on with after --resume"
        )
    say_starting()
    # Imported here, so that help and the first line of output come before seconds of imports.
    from leaderboard.runs.run import RunOptions, run  # noqa: PLC0415

    return run(RunOptions(resumed=(*resume, *more_runs), **given), list_options_to_keep(context))


@options.command(
    "leaderboard ablate -m anthropic/claude-opus-5.5 --plan     # what it may cost",
    "leaderboard ablate -m anthropic/claude-opus-5.5 --budget 60",
    "leaderboard ablate -m openai/gpt-6-luna --section validators --placebo --samples 3",
    "leaderboard ablate --resume abcd2345                       # goes on with what is left",
    "leaderboard ablate --before origin/main -m openai/gpt-6-luna --samples 3",
    "leaderboard ablate --before v1.2 -m MODEL --fail-on regression   # in CI",
)
@options.model_option(
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
@options.eval_options
@options.samples_option(help="Attempts at each eval with each text.")
@options.budget_option(help="Most dollars to spend on all of it.")
@options.ahead_option
@options.request_options
@click.option("--resume", metavar="ID", help="Go on: the id that was printed, or its start.")
@options.publish_option
@options.why_publish_option
@options.grading_options
@options.evals_option
@options.new_data_option
@options.json_option
@click.pass_context
def ablate_command(
    context: click.Context,
    *,
    sections: tuple[str, ...],
    placebo: bool,
    before: str | None,
    fail_on: str | None,
    **given: Any,  # noqa: ANN401 - as RunOptions says
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
    if fail_on is not None and before is None and given["resume"] is None:
        raise click.UsageError("--fail-on: name the text to compare with, by --before REVISION")
    if given["resume"] is not None:
        refuse_beside_resume(context)
    say_starting()
    # Imported here, so that help and the first line of output come before seconds of imports.
    from leaderboard.runs.run import RunOptions  # noqa: PLC0415
    from leaderboard.trials.ablate import ablate  # noqa: PLC0415

    return ablate(
        RunOptions(**given),
        list_options_to_keep(context),
        sections=sections,
        placebo=placebo,
        before=before,
        fail_on=fail_on,
    )


@options.command(
    "leaderboard send                                    # all that wait",
    "leaderboard send 4p2bzjf --to https://scores.example.org",
)
@click.argument("runs", nargs=-1)
@click.option("--to", "address", metavar="URL", help="The server; else that of --report-to.")
@options.record_options
def send_command(*, runs: tuple[str, ...], address: str | None, data: DataFolder) -> int:
    """Send runs to a server of scores: those given, else all that wait.

    RUNS are beginnings of run ids. Results that the server has are not sent again. The key of the
    server is in LEADERBOARD_REPORT_KEY, in the environment or in .env. Ends with 3 if the server
    does not answer.
    """
    # Imported here, so that help comes before seconds of imports.
    from leaderboard.delivery.courier import send  # noqa: PLC0415
    from leaderboard.delivery.outbox import Outbox  # noqa: PLC0415

    code = send(runs, address, data, say_aside)
    if is_json():
        say_json({"left": [note.model_dump(mode="json") for note in Outbox(data)]})
    return code
