"""`leaderboard session opinions`: the agreement of judge models with people."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaderboard.options import data_option, format_examples, json_option
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.reader import read_opinions
from records.sessions.opinions import SessionOpinions
from records.text.numbers import format_count

if TYPE_CHECKING:
    from review.store import SessionStore


@click.command(
    "opinions",
    epilog=format_examples(
        "leaderboard session opinions",
        "leaderboard session opinions 4p2bzjf",
    ),
)
@click.argument("beginning", metavar="[ID]", required=False)
@data_option
@json_option
def command(*, beginning: str | None, data_root: Path, as_json: bool) -> int:
    """Compare opinions of judge models with statuses of people; without an ID, list all records.

    ID is the beginning of an id that `session judge` printed. Each judge has a table of people's
    statuses and its own, and accuracy and Cohen's kappa with 95% intervals: in all, by tag and by
    the model that answered. Sessions without a status of people are counted separately.
    """
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
        STATISTICS,
        format_agreement_lines,
        read_judged_sessions,
    )
    from review.audit.audit_progress import AuditTasks  # noqa: PLC0415
    from review.opinions.agreement import build_agreement_rows, list_differing_sessions  # noqa: PLC0415

    sessions = read_judged_sessions(store, opinions)
    waiting = AuditTasks(store).group_ids(None).hidden
    rows = build_agreement_rows(opinions, sessions, waiting, STATISTICS)
    if not as_json:
        say("\n".join(format_agreement_lines(rows)))
    differing = [
        {"session": session, "judge": judge, "people": people, "opinion": status}
        for session, judge, people, status in list_differing_sessions(opinions, sessions, waiting)
    ]
    return {"agreement": [asdict(row) for row in rows], "differing": differing}
