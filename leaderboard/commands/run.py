"""`leaderboard run`: give models the tasks, grade what they write, record it."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from leaderboard.options import (
    Backend,
    Dollars,
    Install,
    Sandbox,
    backend_option,
    evals_option,
    examples,
    graders_option,
    install_option,
    json_option,
    max_tokens_option,
    model_option,
    new_data_option,
    price_option,
    sandbox_option,
    set_option,
    split_names,
    workspaces_option,
)
from leaderboard.pasting import OF_THE_RUN, given, options_to_keep
from leaderboard.streams import say, terminal


@click.command(
    "run",
    epilog=examples(
        "leaderboard run -m oracle -f crons                  # a baseline: no key, no cost",
        "leaderboard run -m anthropic/claude-opus-5.5 -e no_guidelines -c 001-queries --budget 5",
        "leaderboard run -m openai/qwen3 --api-base http://127.0.0.1:8080/v1   # a local server",
        "leaderboard run -m anthropic/claude-opus-5.5 --failed",
        "leaderboard run --resume abcd2345                   # goes on; answers are kept",
    ),
)
@model_option(
    envvar="MODELS",
    help="A slug of data/models.toml, a baseline (oracle, empty, stub), or any litellm id; "
    "repeatable, or MODELS=a,b.",
)
@click.option("-f", "--filter", "pattern", envvar="TEST_FILTER", help="Regex over category/name.")
@click.option("-c", "--category", "categories", multiple=True, help="Only these; repeatable.")
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
@click.option(
    "--samples",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Attempts at each eval.",
)
@click.option("--budget", type=Dollars(), help="Most dollars to spend.")
@click.option("--concurrency", type=click.IntRange(1, 1000), help="Most requests per provider.")
@click.option("--api-base", help="A server that speaks the OpenAI protocol.")
@max_tokens_option
@set_option
@price_option
@click.option("--resume", metavar="RUN", help="Go on with this run: its id or the start of it.")
@click.option("--failed", is_flag=True, help="Only what did not pass when last judged.")
@click.option("--publish", is_flag=True, help="Record in data/ instead of data/local/.")
@backend_option
@sandbox_option
@install_option
@graders_option
@workspaces_option
@evals_option
@new_data_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option of the command
    context: click.Context,
    *,
    models: Sequence[str],
    pattern: str | None,
    categories: Sequence[str],
    experiment: str | None,
    guidelines: Path | None,
    samples: int,
    budget: float | None,
    concurrency: int | None,
    api_base: str | None,
    max_tokens: int | None,
    settings: Sequence[str],
    price: str | None,
    resume: str | None,
    failed: bool,
    publish: bool,
    backend: Backend,
    sandbox: Sandbox,
    install: Install,
    graders: int,
    workspaces: Path | None,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Give models the tasks, grade what they write, write one record per run.

    MODELS, TEST_FILTER, EVALS_EXPERIMENT and OUTPUT_TEMPDIR are read from the environment; keys
    from there or from a .env file. Ends with 3 when an attempt was not judged, be it that
    infrastructure kept it from that or that the run was stopped, with 130 when a second Ctrl-C
    stopped it at once, else with 0: how models fared is in the record.
    """
    if resume is not None:
        _refuse_beside_resume(context)
    say("Starting …", err=as_json)
    # Imported here: help answers, and something is said, before seconds of imports.
    from leaderboard.outcomes import exit_code, report, resuming  # noqa: PLC0415
    from records.folder import DataFolder  # noqa: PLC0415
    from runner.evals.discovery import discover  # noqa: PLC0415
    from runner.models.api_keys import load_keys  # noqa: PLC0415
    from runner.models.terms import terms_of  # noqa: PLC0415
    from runner.runs.launch import launch  # noqa: PLC0415
    from runner.runs.plan import experiment_setup  # noqa: PLC0415
    from runner.runs.progress.watcher import watcher  # noqa: PLC0415
    from runner.runs.request import Destination, Machine, RunRequest, plan_runs  # noqa: PLC0415
    from runner.runs.resume import Given, plan_resumed  # noqa: PLC0415

    load_keys()
    suite = discover(evals_root)
    destination = Destination(suite, DataFolder(data_root), publish=publish)
    machine = Machine(backend, sandbox, install, graders, workspaces)
    terms = terms_of(max_tokens, settings, price)
    again = options_to_keep(context)
    if resume is not None:
        resumed = plan_resumed(
            resume, destination, Given(machine, guidelines, api_base, budget, terms)
        )
        destination = resumed.destination
        if resumed.plan is None:
            report([resumed.run], destination.folder, again, as_json=as_json)
            if not as_json:
                say(f"nothing is left to do of run {resumed.run.run_id}")
            return exit_code([resumed.run])
        plans, budget = [resumed.plan], resumed.plan.run.budget_usd
    else:
        request = RunRequest(
            models=_named(models),
            experiments=[experiment_setup(suite, experiment, guidelines)],
            evals=suite.select(pattern, categories),
            samples=samples,
            api_base=api_base,
            terms=terms,
            failed_only=failed,
            budget_usd=budget,
        )
        plans = plan_runs(request, destination, machine)
    watching = watcher(sys.stderr) if as_json else watcher(sys.stdout, terminal())
    try:
        runs = launch(
            plans, destination, machine, watching, concurrency=concurrency, budget_usd=budget
        )
    except KeyboardInterrupt:
        for plan in plans:
            say(f"Stopped at once. Go on with:\n{resuming(plan.run, again)}", err=True)
        raise
    report(runs, destination.folder, again, as_json=as_json)
    return exit_code(runs)


def _refuse_beside_resume(context: click.Context) -> None:
    contradicting = [option for option in given(context) if option.name in OF_THE_RUN]
    if contradicting:
        names = ", ".join(option.opts[-1] for option in contradicting)
        raise click.UsageError(f"--resume goes on with a run as it was begun: leave out {names}")


def _named(models: Sequence[str]) -> list[str]:
    chosen = split_names(models)
    if not chosen:
        raise click.UsageError(
            "which model? Use -m MODEL or MODELS=…; `leaderboard models` lists them"
        )
    return chosen
