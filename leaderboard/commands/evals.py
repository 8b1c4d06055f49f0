"""`leaderboard evals`: what the suite holds and how models fare; bare, a menu."""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import click

from leaderboard.options import (
    FOLDER,
    category_option,
    examples,
    filter_option,
    group_data_option,
    group_evals_option,
    inner_data_option,
    inner_evals_option,
    json_option,
    model_option,
    split_names,
)
from leaderboard.run_summary import resuming
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.run import Outcome, Run
from records.showing import one_line
from runner.evals.discovery import discover
from runner.models.baselines import baseline
from runner.models.registry import LOCAL
from runner.runs.history import History, histories
from runner.runs.progress.state import attempts, reasons, title
from runner.suite.mint import benchmark


@click.group(
    "evals",
    epilog=examples(
        "leaderboard evals                      # the menu",
        "leaderboard evals list",
        "leaderboard evals status --failed",
    ),
    invoke_without_command=True,
)
@group_evals_option
@group_data_option
@click.pass_context
def command(context: click.Context, *, evals_root: Path | None, data_root: Path | None) -> int:
    """List evals and how models fare; without a subcommand, a menu to choose and run from."""
    if context.invoked_subcommand is not None:
        return 0
    root = FOLDER.convert(evals_root or "evals", None, context)
    folder = FOLDER.convert(data_root or "data", None, context)
    if not sys.stdin.isatty():
        raise click.UsageError("the menu needs a terminal; use `evals list` or `evals status`")
    # The prompt library takes half a second to import, and only the menu needs it.
    from leaderboard.commands.run import command as run  # noqa: PLC0415
    from leaderboard.menu import Menu  # noqa: PLC0415
    from runner.models.api_keys import load_keys  # noqa: PLC0415

    load_keys()
    places = ["--evals", str(root)] if evals_root else []
    places += ["--data", str(folder)] if data_root else []
    arguments = Menu(discover(root), DataFolder(folder), places).choose()
    return 0 if arguments is None else run.main(arguments, standalone_mode=False)


@command.command(
    "list",
    epilog=examples(
        "leaderboard evals list | grep crons",
    ),
)
@json_option
@inner_evals_option
def list_command(*, as_json: bool, evals_root: Path) -> None:
    """Name every eval with its title."""
    suite = discover(evals_root)
    if as_json:
        rows = [
            {
                "eval": one.name,
                "title": one.config.title,
                "concept": one.config.concept,
                "guidelines": list(one.config.guidelines),
            }
            for one in suite.evals
        ]
        say_json(rows)
        return
    for one in suite.evals:
        say(f"{one.name:<48} {one.config.title}")


@command.command(
    "status",
    short_help="Show how each eval ended when a model was last judged on it.",
    epilog=examples(
        "leaderboard evals status --failed",
        "leaderboard evals status -m anthropic/claude-opus-5.5 -e no_guidelines -f crons",
        "leaderboard evals status -m oracle,stub    # baselines that came with the project",
    ),
)
@model_option(help="Only these: slugs, baselines or litellm ids; repeatable, or a,b.")
@filter_option
@category_option
@click.option("-e", "--experiment", help="Only runs under this experiment.")
@click.option("--failed", is_flag=True, help="Only what did not pass.")
@json_option
@inner_evals_option
@inner_data_option
def status_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    models: Sequence[str],
    pattern: str | None,
    categories: Sequence[str],
    experiment: str | None,
    failed: bool,
    as_json: bool,
    evals_root: Path,
    data_root: Path,
) -> None:
    """Show how each eval of today's suite ended when a model was last judged on it.

    All runs of a model under an experiment count together: whole ones, those of some evals, and
    those that were stopped. Your own stand first; baselines that came with the project are shown
    where -m asks for them.
    """
    suite, data = discover(evals_root), DataFolder(data_root)
    chosen = frozenset(one.name for one in suite.select(pattern, categories))
    known = histories(data, benchmark(suite).version)
    shown = _shown(known.values(), split_names(models), experiment)
    if as_json:
        say_json([row for one in shown for row in _rows(one, chosen, failed=failed)])
        return
    if not shown:
        what = "run that is asked for" if known else "run"
        say(f"No {what} of today's suite yet; `leaderboard demo` makes some without a key.")
    places = [
        part
        for option, place in (("--evals", evals_root), ("--data", data_root))
        if place != Path(option.removeprefix("--"))
        for part in (option, str(place))
    ]
    for one in shown:
        _say(one, chosen, places, failed=failed)


def _shown(
    known: Iterable[History], models: Sequence[str], experiment: str | None
) -> list[History]:
    """Choose histories: what the user made first, and what came along only where it was asked."""
    wanted = {baseline(name) or name for name in models}
    chosen = [
        one
        for one in known
        if experiment in {None, one.latest.experiment.name}
        and (_is_named(one.latest, wanted) if wanted else _is_worth_showing(one))
    ]
    return sorted(chosen, key=lambda one: not one.is_local)


def _is_named(run: Run, wanted: Collection[str]) -> bool:
    return bool({run.model.slug, run.model.litellm_id} & {*wanted, *map(str.lower, wanted)})


def _is_worth_showing(history: History) -> bool:
    """Baselines that came with the project are there to compare with: two of them fail all."""
    return history.is_local or history.latest.model.kind != "baseline"


def _say(history: History, chosen: Collection[str], places: Sequence[str], *, failed: bool) -> None:
    run = history.latest
    rows = list(_rows(history, chosen, failed=False))
    say(f"{title(run)}: {_counts(history, chosen)}")
    for row in rows:
        if failed and row["outcome"] == Outcome.PASSED:
            continue
        name = f"{row['eval']}#{row['sample']}" if run.samples > 1 else row["eval"]
        why = f"  {row['reason']}" if row["reason"] else ""
        say(f"  {row['outcome']:<14}  {name}{why}")
    if left := history.missing():
        where = ["--api-base", "URL"] if run.model.slug.startswith(f"{LOCAL}/") else []
        number = attempts(left)
        say(f"  run {run.run_id[:8]} has {number} left; unless it is going now, go on with:")
        say(resuming(run, [*where, *places]))
    say()


def _counts(history: History, chosen: Collection[str]) -> str:
    known = [one for name in chosen for one in history.attempts.get(name, ())]
    outcomes = Counter(one.outcome for one in known)
    judged = outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED]
    faults = Counter(one.fault.kind for one in known if one.fault is not None)
    untried = len(set(chosen) - history.attempts.keys())
    parts = (
        f"{outcomes[Outcome.PASSED]} of {judged} passed" if judged else "",
        f"{faults.total()} without a verdict ({reasons(faults)})" if faults else "",
        f"{untried} eval{'s' * (untried > 1)} not run yet" if untried else "",
    )
    return ", ".join(part for part in parts if part)


def _rows(
    history: History, chosen: Collection[str], *, failed: bool
) -> Iterator[dict[str, str | int | None]]:
    for name, known in history.attempts.items():
        for attempt in known:
            if name not in chosen or (failed and attempt.outcome is Outcome.PASSED):
                continue
            reason = attempt.fault.evidence if attempt.fault else attempt.reason
            yield {
                "model": history.latest.model.slug,
                "experiment": history.latest.experiment.name,
                "eval": attempt.eval,
                "sample": attempt.sample,
                "outcome": attempt.outcome.value,
                "failed_step": attempt.failed_step.value if attempt.failed_step else None,
                "reason": one_line(reason, 160) if reason else None,
            }
