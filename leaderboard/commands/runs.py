"""The commands about recorded runs: `leaderboard runs`, `diff`, `report`, `publish` and others."""

from typing import Any

import click

from leaderboard import options
from leaderboard.command_groups import SharedOption
from leaderboard.terminal.streams import is_json
from records.files.data_folder import DataFolder


@options.command(
    "leaderboard runs 4p2bzjf",
    "leaderboard runs --where local",
    "leaderboard runs -m anthropic/claude-opus-5.5 -e no_guidelines",
    "leaderboard runs --state interrupted --state incomplete",
    "leaderboard runs --json | jq -r '.[].run_id'",
)
@click.argument("run", metavar="[RUN]", required=False)
@options.model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option(
    "--state",
    "states",
    type=click.Choice(["complete", "incomplete", "stopped", "interrupted", "going"]),
    multiple=True,
    help="Only runs in this state; repeatable.",
)
@click.option(
    "--where",
    "places",
    type=click.Choice(["local", "published", "withdrawn"]),
    multiple=True,
    help="Only local, published or withdrawn runs; repeatable.",
)
@options.record_options
def runs_command(*, run: str | None, data: DataFolder, **chosen: Any) -> int:  # noqa: ANN401 - as list_runs says
    """List runs, newest first; or show RUN, the beginning of a run's id.

    A run is complete if each attempt has a verdict, and incomplete if it has ended without some
    verdicts. It is stopped if Ctrl-C or a budget ended it, going while a program executes it, and
    interrupted if this program was killed. On a narrow terminal names are cut and some columns are
    left out; a pipe gets all. If a record cannot be read, the others are listed, and the exit code
    is 1.

    Of RUN the output has facts, outcomes, each attempt that did not pass with its reason, the cost,
    the path of the record, and the next commands.
    """
    # Their imports take a second.
    from leaderboard.runs.list import list_runs, show_run  # noqa: PLC0415

    if run is None:
        return list_runs(data, **chosen)
    if any(chosen.values()):
        raise click.UsageError("RUN: -m, -e, --state and --where choose runs of the list only")
    return show_run(data, run)


@options.command(
    "leaderboard diff jn7fgntk jn741xc0",
    "leaderboard diff old-guidelines.md evals/guidelines.md",
    "leaderboard diff origin/main HEAD --markdown --max-chars 60000 > comment.md",
    "leaderboard diff origin/main HEAD --merge",
    "leaderboard diff origin/main HEAD --fail-on regression",
)
@click.argument("before")
@click.argument("after")
@click.option(
    "--text",
    "form",
    flag_value="text",
    help="Tables that fit the terminal.  [default on a terminal]",
)
@click.option(
    "--markdown", "form", flag_value="markdown", help="For comments.  [default in a pipe or file]"
)
@click.option("--max-chars", type=click.IntRange(min=1000), metavar="N", help="Limit of markdown.")
@click.option("--site-url", metavar="URL", help="The site of AFTER, for links to its pages.")
@click.option(
    "--fail-on",
    type=click.Choice(["regression"]),
    help="End with 1 if AFTER is surely worse, with 2 if this is not known.",
)
@click.option("--merge", is_flag=True, help="Of revisions: the changes by merging AFTER.")
@click.option(
    "--suite-check",
    "checks",
    type=options.ANY_FILE,
    help="A file with results of `leaderboard suite check --json`.",
)
@click.option(
    "--evals",
    "evals_root",
    cls=SharedOption,
    type=options.FOLDER,
    help="The suite.  [default: evals, beside the data folder]",
)
@options.record_options
def diff_command(**given: Any) -> int:  # noqa: ANN401 - as `diff` says
    """Show the changes from BEFORE to AFTER: evals fixed and broken, ranks, cost.

    Each of the two is the beginning of a run's id, a file of guidelines (for all runs that were
    sent its text), or a git revision. Of revisions, the evals, guidelines, models and published
    records are compared. The standard of docs/method.md decides whether a difference is more than
    chance.
    """
    from leaderboard.changes import diff  # noqa: PLC0415 - its imports take a second

    if is_json() and given["form"] is not None:
        raise click.UsageError(f"--json and --{given['form']} contradict one another")
    given |= {"form": "json"} if is_json() else {}
    return diff.diff(**given)


@options.command(
    "leaderboard report jn7fgntk",
    "leaderboard report jn7fgntk --classify",
    "leaderboard report jn7fgntk --draft-with anthropic/claude-opus-5.5 --budget 2",
    "leaderboard report jn7fgntk --update",
)
@click.argument("run")
@click.option("--author", help="The responsible person.  [default: user.name of git]")
@click.option("--update", is_flag=True, help="Update an existing report to today's record.")
@click.option("--classify", is_flag=True, help="Ask for the class of each failure, by a letter.")
@click.option("--draft-with", metavar="MODEL", help="Let this model propose classes and reasons.")
@click.option("--budget", type=options.Dollars(), metavar="USD", help="The most to spend.")
@click.option(
    "--api-base", metavar="URL", help="The address of the model's server, if it is your own."
)
@options.evals_option
@options.record_options
def report_command(**given: Any) -> int:  # noqa: ANN401 - as `report` says
    """Write the report on a run, to be completed by a person.

    RUN is the beginning of a run's id. The report lists each failure with the task, the grader's
    message, the changes from the reference to the answer, and findings of earlier reports. Give
    each failure a class (model_fault, overly_strict, ambiguous_task, known_gap or harness_fault)
    and a note, and remove `draft: true`; `leaderboard check` finds missing parts. With --classify
    the command asks for class and note of one failure after another, and saves each at once. Called
    again, it goes on with failures without a class.
    """
    from leaderboard import reports  # noqa: PLC0415 - its imports take a second

    return reports.report(**given)


@options.command(
    "leaderboard publish 4p2bzjf",
    'leaderboard publish 4p2bzjf --why "the provider refuses two of the tasks"',
)
@click.argument("runs", nargs=-1, required=True)
@options.why_publish_option
@options.record_options
def publish_command(*, runs: tuple[str, ...], why: str | None, data: DataFolder) -> int:
    """Move local runs with their archives and reports to data/, and show the changes.

    RUNS are beginnings of run ids. Some runs are refused without --why: runs that are incomplete,
    of a part of the suite, of a version that is not minted, or made by a program with uncommitted
    changes. The reason is kept in the record. `run --publish` refuses the same runs before any
    model is asked.
    """
    from leaderboard.runs.publish import publish_runs  # noqa: PLC0415 - its imports take a second

    return publish_runs(runs, why, data)


@options.command(
    'leaderboard withdraw 4p2bzjf --yes --why "sent with another model\'s key"',
    'leaderboard withdraw 4p2bzjf --undo --yes --why "the key was right after all"',
)
@click.argument("run")
@options.why_option(required=True, help="The reason; shown on the site.")
@click.option("--by", metavar="NAME", help="Your name, for the record.  [default: git's user.name]")
@click.option("--undo", is_flag=True, help="Take its withdrawal back: the run counts again.")
@click.option("--yes", "agreed", is_flag=True, help="Do it without asking.")
@options.record_options
def withdraw_command(*, run: str, **given: Any) -> int:  # noqa: ANN401 - as withdraw_run says
    """Take a run out of all scores. Its record, its pages and the reason stay.

    RUN is the beginning of a run's id. The run, its verdicts and the changes of ranks are shown
    before anything is changed. --undo takes a withdrawal back; the record keeps both, with dates.
    """
    from leaderboard.runs.publish import withdraw_run  # noqa: PLC0415 - its imports take a second

    return withdraw_run(run, **given)


@options.command(
    'leaderboard regrade 4p2bzjf --why "the order of equal dates was not in the task"',
    "leaderboard regrade --all --since v1.2",
)
@click.argument("runs", nargs=-1)
@options.all_runs_option
@options.since_option
@options.why_option(help="The reason; kept with each replaced verdict.")
@options.grading_options
@options.evals_option
@options.record_options
def regrade_command(*, since: str | None, why: str | None, **given: Any) -> int:  # noqa: ANN401 - as RegradeOptions says
    """Grade stored answers again if the grader, or anything that it depends on, has changed.

    No model is asked. RUNS are beginnings of run ids. The record keeps the replaced verdicts, and
    belongs to today's benchmark version afterwards. A run that answered other tasks than today's
    is left unchanged, and the reason is printed.
    """
    from leaderboard.runs import regrade  # noqa: PLC0415 - its imports take a second

    return regrade.regrade_runs(regrade.RegradeOptions(**given), since, why)


@options.command(
    "leaderboard verify 4p2bzjf",
    "leaderboard verify 4p2bzjf -f forget_hive   # the attempts at one eval",
    "leaderboard verify --all --sample 20 --seed 7",
    "leaderboard verify --backend local --evals SUITE   # compares both backends",
)
@click.argument("runs", nargs=-1)
@options.all_runs_option
@options.make_filter_option()
@click.option(
    "--sample", type=click.IntRange(min=1), metavar="N", help="Only N attempts, at random."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of --sample.")
@options.grading_options
@options.evals_option
@options.record_options
def verify_command(
    *,
    pattern: str | None,
    sample: int | None,
    seed: int,
    **given: Any,  # noqa: ANN401 - as RegradeOptions says
) -> int:
    """Grade archived answers again, and show for each attempt whether its verdict is the same.

    Ends with 1 if a verdict differs, or an archive does not have the graded answer. Verdicts of
    other graders than this suite's cannot be reproduced here, and are listed separately: check out
    the commit that the record names.

    With `--backend local`, references, variants and the answers of RUNS (may be none) are graded
    over both backends. The share of equal verdicts is printed, and each verdict that differs.
    """
    from leaderboard.runs import regrade  # noqa: PLC0415 - imports take a second

    settings = regrade.RegradeOptions(**given)
    if settings.backend == "local":
        return regrade.compare_backends(settings, pattern, sample, seed)
    return regrade.verify_runs(settings, pattern, sample, seed)
