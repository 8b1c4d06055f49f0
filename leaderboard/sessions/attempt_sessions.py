"""The making of sessions from attempts, with their runs, archives and suite."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from records.archives.archive import Archive
from records.files.data_folder import DataFolder
from records.reader import read_run
from review.from_runs import build_attempt_session
from review.publishing import publish_attempt
from review.store import SessionStore
from runner.evals.discovery import discover
from runner.models.baselines import make_reply


@dataclass(slots=True)
class MadeSessions:
    """The numbers of sessions that were made of attempts."""

    made: int = 0
    """The number of sessions of the attempts, including unchanged sessions."""
    changed: int = 0
    """The number of new and changed sessions."""
    left_out: int = 0
    """The number of attempts without a session."""


def make_sessions(
    data: DataFolder,
    evals_root: Path,
    runs: Collection[Path],
    wanted: Collection[tuple[str, str, int]] | None = None,
) -> MadeSessions:
    """Write the sessions of attempts; existing sessions keep their labels.

    Args:
        data: the data folder. Sessions of published runs, whose answers are public, are published,
            so that the site counts their labels. Other sessions stay raw.
        evals_root: the suite with the reference answers.
        runs: the paths of the records of runs.
        wanted: the run, eval and sample of each attempt; None for all attempts.
    """
    evals = {evaluation.name: evaluation for evaluation in discover(evals_root).evals}
    store, counts = SessionStore(data), MadeSessions()
    for path in runs:
        record = read_run(path)
        attempts = [
            attempt
            for attempt in record.attempts
            if wanted is None or (record.run_id, attempt.eval, attempt.sample) in wanted
        ]
        archived = [attempt for attempt in attempts if attempt.artifact is not None]
        counts.left_out += len(attempts) - len(archived)
        if not archived:
            continue
        published = not path.is_relative_to(data.local.root)
        folder = data if published else data.local
        with Archive(folder.get_artifact_file(record.model.slug, record.run_id)) as archive:
            for attempt in archived:
                evaluation = evals.get(attempt.eval)
                reference = (
                    None if evaluation is None else make_reply("baseline/oracle", evaluation)
                )
                session = build_attempt_session(
                    record, attempt, archive.read(attempt.eval, attempt.sample), reference
                )
                if session is None:
                    counts.left_out += 1
                else:
                    counts.made += 1
                    if published:
                        publish_attempt(store, session.id)
                    counts.changed += store.write(session, published=published)
    return counts
