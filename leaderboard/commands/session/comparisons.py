"""`leaderboard session comparisons`: the results of comparisons of models on sessions."""

from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.text.numbers import format_count, format_dollars
from review.comparisons.results import ComparedRow

_UNKNOWN: Final = "\N{EN DASH}"


def format_compared_row(row: ComparedRow) -> str:
    """Return a row as a line of text, with a dash for an unknown value."""
    faults = f", {format_count(row.faults, 'fault')}" if row.faults else ""
    cost = _UNKNOWN
    if row.cost_usd is not None:
        cost = f"{format_dollars(row.cost_usd)} for {row.cost_known_for}"
    people = _UNKNOWN
    if row.preferred is not None:
        preference = row.preferred
        people = (
            f"preferred {preference.share}; "
            f"{preference.wins} won, {preference.losses} lost, {preference.equal} equal"
        )
    return (
        f"{row.model}  n={row.answers}{faults}  mean {row.score or _UNKNOWN}  cost {cost}  "
        f"people: {people}"
    )


@click.command(
    "comparisons",
    epilog=format_examples(
        "leaderboard session comparisons",
        "leaderboard session comparisons 4p2bzjf",
    ),
)
@click.argument("beginning", metavar="[COMPARISON]", required=False)
@data_option
@json_option
def command(*, beginning: str | None, data_root: Path, as_json: bool) -> int:
    """Show a comparison, named by the beginning of its id; without a name, list all.

    Each model has a row with the number of answers, their mean score with a 95% interval, their
    cost, and how often people found them better, worse or equal.
    """
    # Imported here, because the imports take a second.
    from generator.scores.intervals import compute_session_interval  # noqa: PLC0415
    from records.files.data_folder import DataFolder  # noqa: PLC0415
    from records.reader import read_comparison, read_judgements  # noqa: PLC0415
    from review.comparisons.results import make_comparison_rows  # noqa: PLC0415

    folder = DataFolder(data_root).local
    paths = [folder.find_comparison(beginning)] if beginning else [*folder.list_comparison_files()]
    comparison_rows: list[dict[str, object]] = []
    for path in paths:
        comparison = read_comparison(path)
        events = read_judgements(folder.get_judgement_file(comparison.comparison_id))
        rows = make_comparison_rows(comparison, events, compute_session_interval)
        comparison_rows.append(
            {
                "comparison": comparison.comparison_id,
                "began_at": comparison.began_at.isoformat(),
                "metric": comparison.metric,
                "sessions": len(comparison.items),
                "models": [asdict(model_row) for model_row in rows],
            }
        )
        if not as_json:
            sessions = f"{format_count(len(comparison.items), 'session')}, {comparison.metric}"
            say(f"{comparison.comparison_id}  {comparison.began_at:%Y-%m-%d}  {sessions}")
            for row in rows:
                say(f"  {format_compared_row(row)}")
    if as_json:
        say_json(comparison_rows)
    elif not paths:
        say("no comparison: leaderboard session compare -m MODEL begins one")
    return 0
