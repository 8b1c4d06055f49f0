"""`leaderboard models`: the models that can be asked by name."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.due import Due, standing
from leaderboard.options import data_option, evals_option, examples, json_option
from leaderboard.streams import say, say_json
from records.folder import DataFolder
from records.reader import read_models
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.baselines import BASELINES
from runner.runs.history import latest_runs
from runner.suite.benchmark import benchmark


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

    A model is due when it has no run of today's suite, or when its latest is older than 14 days
    (released within 90 days) or 45 days (older); twice that where a run cost more than $20.
    """
    load_keys()
    data = DataFolder(data_root)
    today = datetime.now(UTC).date()
    version = benchmark(discover(evals_root)).version
    latest = latest_runs(data, version)
    standings = [standing(entry, latest, today) for entry in read_models(data).models]
    chosen = [one for one in standings if one.on(today) or not due]
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


def _row(one: Due) -> dict[str, object]:
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
