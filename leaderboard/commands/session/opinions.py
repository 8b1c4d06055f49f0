"""`leaderboard session opinions`: how far judge models agree with people."""

from dataclasses import asdict
from pathlib import Path

import click

from leaderboard.options import data_option, examples, json_option
from leaderboard.streams import say, say_json
from records.showing import counted


@click.command(
    "opinions",
    epilog=examples(
        "leaderboard session opinions",
        "leaderboard session opinions 4p2bzjf",
    ),
)
@click.argument("beginning", metavar="[ID]", required=False)
@data_option
@json_option
def command(*, beginning: str | None, data_root: Path, as_json: bool) -> int:
    """Show opinions of judge models beside the statuses that people gave. Else list all records.

    ID is the beginning of an id that `session judge` printed. A judge has a table of people's
    statuses against its own, the accuracy and Cohen's kappa with 95% intervals, in all, by tag and
    by the model that answered. Sessions without a status of people are counted apart.
    """
    # Imported here: they take a second.
    from leaderboard.opinion_table import (  # noqa: PLC0415
        STATISTICS,
        agreement_lines,
        sessions_of,
    )
    from records.folder import DataFolder  # noqa: PLC0415
    from records.reader import read_opinions  # noqa: PLC0415
    from review.audit.progress import AuditTasks  # noqa: PLC0415
    from review.opinions.agreement import agreement_rows, differing_sessions  # noqa: PLC0415
    from review.store import SessionStore  # noqa: PLC0415

    data = DataFolder(data_root)
    folder = data.local
    paths = [folder.find_opinions(beginning)] if beginning else [*folder.opinions_files()]
    store = SessionStore(data)
    records: list[dict[str, object]] = []
    for path in paths:
        opinions = read_opinions(path)
        head: dict[str, object] = {
            "opinions": opinions.opinions_id,
            "began_at": opinions.began_at.isoformat(),
            "rubric_digest": opinions.rubric_digest,
            "sessions": len(opinions.items),
            "models": [model.slug for model in opinions.models],
            "answers": len(opinions.texts()),
            "spent_usd": opinions.spent_usd,
        }
        if not as_json:
            say(
                f"{opinions.opinions_id}  {opinions.began_at:%Y-%m-%d}  "
                f"{counted(len(opinions.items), 'session')}, "
                f"{counted(len(opinions.texts()), 'opinion')}, "
                f"rubric {opinions.rubric_digest[:8]}"
            )
        if beginning:
            sessions = sessions_of(store, opinions)
            waiting = AuditTasks(store).ids_for(None).hidden
            rows = agreement_rows(opinions, sessions, waiting, STATISTICS)
            head["agreement"] = [asdict(row) for row in rows]
            head["differing"] = [
                {"session": session, "judge": judge, "people": people, "opinion": status}
                for session, judge, people, status in differing_sessions(
                    opinions, sessions, waiting
                )
            ]
            if not as_json:
                for line in agreement_lines(rows):
                    say(line)
        records.append(head)
    if as_json:
        say_json(records)
    elif not paths:
        say("no opinions: leaderboard session judge -m MODEL asks for them")
    return 0
