"""`leaderboard session opinions`: answers of models about sessions, compared with people."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.reader import read_opinions
from records.sessions.opinions import SessionOpinions
from records.text.numbers import format_count, format_dollars
from review.comparisons.results import ComparedRow

if TYPE_CHECKING:
    from review.store import SessionStore


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
    "opinions",
    epilog=format_examples(
        "leaderboard session opinions",
        "leaderboard session opinions 4p2bzjf",
        "leaderboard session opinions --comparisons",
    ),
)
@click.argument("beginning", metavar="[ID]", required=False)
@click.option("--comparisons", is_flag=True, help="Instead show what `session compare` found out.")
@data_option
@json_option
def command(*, beginning: str | None, comparisons: bool, data_root: Path, as_json: bool) -> int:
    """Compare opinions of judge models with statuses of people; without an ID, list all records.

    ID is the beginning of an id that `session judge` printed. Each judge has a table of people's
    statuses and its own, and accuracy and Cohen's kappa with 95% intervals: in all, by tag and by
    the model that answered. Sessions without a status of people are counted separately.

    With --comparisons, each model has a row with the number of answers, their mean score with a 95%
    interval, their cost, and how often people found them better, worse or equal. ID is then the
    beginning of an id that `session compare` printed.
    """
    if comparisons:
        return _show_comparisons(DataFolder(data_root), beginning, as_json=as_json)
    # Imported here, because the import takes a second.
    from review.store import SessionStore  # noqa: PLC0415

    data = DataFolder(data_root)
    folder = data.local
    paths = [folder.find_opinions(beginning)] if beginning else [*folder.list_opinions_files()]
    store = SessionStore(data)
    records: list[dict[str, object]] = []
    for path in paths:
        opinions = read_opinions(path)
        if not as_json:
            say(_format_line(opinions))
        agreement = _report_agreement(store, opinions, as_json=as_json) if beginning else {}
        records.append({**_build_head(opinions), **agreement})
    if as_json:
        say_json(records)
    elif not paths:
        say("no opinions: leaderboard session judge -m MODEL asks for them")
    return 0


def _show_comparisons(data: DataFolder, beginning: str | None, *, as_json: bool) -> int:
    # Imported here, because the imports take a second.
    from generator.scores.intervals import compute_session_interval  # noqa: PLC0415
    from records.reader import read_comparison, read_judgements  # noqa: PLC0415
    from review.comparisons.results import make_comparison_rows  # noqa: PLC0415

    folder = data.local
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


def _format_line(opinions: SessionOpinions) -> str:
    return (
        f"{opinions.opinions_id}  {opinions.began_at:%Y-%m-%d}  "
        f"{format_count(len(opinions.items), 'session')}, "
        f"{format_count(len(opinions.get_answer_texts()), 'opinion')}, "
        f"rubric {opinions.rubric_digest[:8]}"
    )


def _build_head(opinions: SessionOpinions) -> dict[str, object]:
    """Return the fields of a record without its opinions."""
    return {
        "opinions": opinions.opinions_id,
        "began_at": opinions.began_at.isoformat(),
        "rubric_digest": opinions.rubric_digest,
        "sessions": len(opinions.items),
        "models": [model.slug for model in opinions.models],
        "answers": len(opinions.get_answer_texts()),
        "spent_usd": opinions.spent_usd,
    }


def _report_agreement(
    store: "SessionStore", opinions: SessionOpinions, *, as_json: bool
) -> dict[str, object]:
    """Return the agreement of opinions with people as JSON; print it as text unless ``as_json``."""
    from leaderboard.sessions.opinions import (  # noqa: PLC0415
        build_agreement_rows,
        format_agreement_lines,
        list_differing_sessions,
        read_judged_sessions,
    )
    from review.audit.audit_progress import AuditTasks  # noqa: PLC0415

    sessions = read_judged_sessions(store, opinions)
    waiting = AuditTasks(store).group_ids(None).hidden
    rows = build_agreement_rows(opinions, sessions, waiting)
    if not as_json:
        say("\n".join(format_agreement_lines(rows)))
    differing = [
        {"session": session, "judge": judge, "people": people, "opinion": status}
        for session, judge, people, status in list_differing_sessions(opinions, sessions, waiting)
    ]
    return {"agreement": [asdict(row) for row in rows], "differing": differing}
