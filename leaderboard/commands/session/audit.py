"""`leaderboard session audit`: attempts are chosen at random, for blind judgements by people."""

from pathlib import Path

import click

from leaderboard.options import (
    check_suite,
    data_option,
    evals_if_needed_option,
    format_examples,
    json_option,
)
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.text.numbers import format_count


@click.command(
    "audit",
    epilog=format_examples(
        "leaderboard session audit --sample 100 --seed 1 --double 0.2",
        "leaderboard session audit 4p2bzjf --sample 20 --seed 1",
        "leaderboard session audit --status",
    ),
)
@click.argument("runs", nargs=-1)
@click.option(
    "--sample",
    type=click.IntRange(2, 100_000),
    default=100,
    show_default=True,
    help="The number of attempts to choose.",
)
@click.option("--seed", type=click.IntRange(0, 10**10 - 1), help="The seed of the random choice.")
@click.option(
    "--double",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="The share of attempts that two people judge.",
)
@click.option("--benchmark", "version", help="A benchmark version; else that of the newest run.")
@click.option("--status", is_flag=True, help="Show the progress of audits; nothing is chosen.")
@evals_if_needed_option
@data_option
@json_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    runs: tuple[str, ...],
    sample: int,
    seed: int | None,
    double: float,
    version: str | None,
    status: bool,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Choose attempts that people judge without their verdicts: how often are graders wrong?

    Half of the attempts failed, and half passed; they are spread over the evals. They are from RUNS
    (the beginnings of run ids), else from all published runs of one benchmark version. Their
    sessions are made, and the desk of `leaderboard serve` shows them first. The method page shows
    the results.
    """
    from leaderboard.sessions.attempt_sessions import choose_audited_runs, count_states, draw_audit  # noqa: PLC0415 - a second
    from review.audit.audit_progress import AuditTasks  # noqa: PLC0415
    from review.audit.drawing import Request  # noqa: PLC0415 - see above
    from review.store import SessionStore  # noqa: PLC0415

    data = DataFolder(data_root)
    tasks = AuditTasks(SessionStore(data))
    if not status:
        if seed is None:
            raise click.UsageError("--seed: give a number, so that anybody can repeat the choice")
        check_suite(evals_root)
        audited = choose_audited_runs(data, runs, version)
        drawn = draw_audit(data, evals_root, audited, Request(sample, seed, double))
        listed = [drawn]
    else:
        listed = tasks.list_audits()
    rows = [
        {
            "audit": audit.audit_id,
            **count_states([t for t in tasks.list_tasks() if t.audit == audit]),
        }
        for audit in listed
    ]
    if as_json:
        say_json(rows)
        return 0
    for audit, row in zip(listed, rows, strict=True):
        number = format_count(len(audit.items), "attempt")
        say(f"{audit.audit_id}: {number}, {audit.doubles} for two reviewers")
        for outcome in ("failed", "passed"):
            drawn, population = audit.count_drawn(outcome), audit.count_population(outcome)
            say(f"  {outcome}: {drawn} drawn of {population}")
        say(f"  {row['open']} open, {row['disputed']} disputed, {row['settled']} settled")
        waiting = next(
            (task for task in tasks.list_tasks() if task.audit == audit and task.is_open), None
        )
        if waiting is not None:
            say(f"  next: leaderboard session show {waiting.name}")
    if not rows:
        say("no audit: leaderboard session audit --sample 100 --seed 1 makes one")
    return 0
