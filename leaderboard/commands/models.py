"""`leaderboard models`: the models that can be asked by name."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.due import Schedule, schedule
from leaderboard.options import data_option, evals_option, examples, json_option
from leaderboard.streams import say, say_json
from records.experiments import DEFAULT
from records.folder import DataFolder
from records.reader import read_models
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.baselines import BASELINES
from runner.runs.history import histories
from runner.suite.mint import benchmark


@click.command(
    "models",
    epilog=examples(
        "leaderboard models",
        "leaderboard models --due --json",
    ),
)
@click.option("--due", is_flag=True, help="Only those that are due for a run.")
@json_option
@evals_option
@data_option
def command(*, due: bool, as_json: bool, evals_root: Path, data_root: Path) -> None:
    """List models.toml and local/models.toml: who can be asked, whether the key is set, last runs.

    A model is due when it has no whole run of today's suite with guidelines, or when the latest is
    older than its interval: one day for each six days since its release, between 1 and 60, and by
    what a run costs at least 1 day ($5) to 14 days ($50). After a run that ended without all its
    verdicts it is due again in a day, after two in two, then 4, 8, 14.
    """
    load_keys()
    data = DataFolder(data_root)
    today = datetime.now(UTC).date()
    suite = discover(evals_root)
    names = [one.name for one in suite.evals]
    known = histories(data, benchmark(suite).version)
    schedules: list[Schedule] = []
    for entry in read_models(data).models:
        history = known.get((entry.slug, DEFAULT))
        schedules.append(schedule(entry, history.runs if history else (), names, today))
    chosen = [one for one in schedules if one.is_due(today) or not due]
    if as_json:
        say_json([_row(one) for one in chosen])
        return
    for one in chosen:
        row = _row(one)
        key = "" if row["key_set"] else f"  needs {one.entry.api_key_env}"
        say(f"{one.entry.slug:<44} {row['last_run'] or 'never run':<12}{key}")
    if due:
        return
    say("\nBaselines, which need no key:")
    for slug, name in BASELINES.items():
        say(f"{slug:<44} {name}")
    say(
        "\nOthers are asked by their litellm id, or at a server of your own: leaderboard run --help"
    )


def _row(one: Schedule) -> dict[str, object]:
    variable = one.entry.api_key_env
    return {
        "slug": one.entry.slug,
        "name": one.entry.name,
        "provider": one.entry.provider,
        "litellm_id": one.entry.litellm_id,
        "released": one.entry.released.isoformat() if one.entry.released else None,
        "key_variable": variable,
        "key_set": variable is None or bool(os.environ.get(variable)),
        "last_run": one.last.isoformat() if one.last else None,
        "next_due": one.next.isoformat() if one.next else None,
    }
