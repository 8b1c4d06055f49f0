"""`leaderboard session from-run`: a session of each attempt of a run."""

from contextlib import suppress
from pathlib import Path

import click

from leaderboard.options import data_option, evals_option, examples
from leaderboard.streams import say


@click.command("from-run", epilog=examples("leaderboard session from-run 4p2bzjf"))
@click.argument("run")
@evals_option
@data_option
def command(*, run: str, evals_root: Path, data_root: Path) -> int:
    """Make a session of each attempt of a run that has a verdict.

    An attempt that passed is `correct`, one that failed `incorrect`, until a person judges
    otherwise; the expected output is the reference answer. Made again, sessions keep their labels.
    """
    from records.artifacts import Archive  # noqa: PLC0415 - these imports take a second
    from records.errors import MissingRecordError  # noqa: PLC0415
    from records.folder import DataFolder  # noqa: PLC0415
    from records.reader import read_run  # noqa: PLC0415
    from review.from_runs import attempt_session  # noqa: PLC0415
    from review.store import SessionStore  # noqa: PLC0415
    from runner.evals.discovery import discover  # noqa: PLC0415
    from runner.models.baselines import reply  # noqa: PLC0415

    data = DataFolder(data_root)
    home = data
    with suppress(MissingRecordError):
        data.local.find_run(run)
        home = data.local
    record = read_run(home.find_run(run))
    evals = {one.name: one for one in discover(evals_root).evals}
    store = SessionStore(data)
    made = changed = 0
    with Archive(home.artifact_file(record.model.slug, record.run_id)) as archive:
        for attempt in record.attempts:
            if attempt.artifact is None:
                continue
            evaluation = evals.get(attempt.eval)
            reference = None if evaluation is None else reply("baseline/oracle", evaluation)
            kept = archive.read(attempt.eval, attempt.sample)
            session = attempt_session(record, attempt, kept, reference)
            if session is not None:
                made += 1
                changed += store.write(session)
    left_out = len(record.attempts) - made
    say(f"{made} sessions, {changed} new or changed")
    if left_out:
        say(f"{left_out} attempts have no verdict, no answer, or nobody was asked: no sessions")
    return 0
