"""Sessions of attempts: joins runs, their archives and the suite, for commands that make them."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from records.artifacts import Archive
from records.folder import DataFolder
from records.reader import read_run
from review.from_runs import attempt_session
from review.publishing import publish_attempt
from review.store import SessionStore
from runner.evals.discovery import discover
from runner.models.baselines import reply


@dataclass(slots=True)
class MadeSessions:
    """What became of attempts."""

    made: int = 0
    """Sessions that were written, or were there already as they would be."""
    changed: int = 0
    """Of these, new ones and changed ones."""
    left_out: int = 0
    """Attempts that are no session."""


def make_sessions(
    data: DataFolder,
    evals_root: Path,
    runs: Collection[Path],
    wanted: Collection[tuple[str, str, int]] | None = None,
) -> MadeSessions:
    """Write the sessions of attempts; made again, they keep their labels.

    Args:
        data: where sessions are kept: those of published runs, whose answers are public, among the
            published ones, so that the site counts their labels; others among the raw ones.
        evals_root: the suite, for reference answers.
        runs: records of runs.
        wanted: run, eval and sample of the attempts; all where it is null.
    """
    evals = {one.name: one for one in discover(evals_root).evals}
    store, counts = SessionStore(data), MadeSessions()
    for path in runs:
        record = read_run(path)
        attempts = [
            one
            for one in record.attempts
            if wanted is None or (record.run_id, one.eval, one.sample) in wanted
        ]
        kept = [one for one in attempts if one.artifact is not None]
        counts.left_out += len(attempts) - len(kept)
        if not kept:
            continue
        published = not path.is_relative_to(data.local.root)
        folder = data if published else data.local
        with Archive(folder.artifact_file(record.model.slug, record.run_id)) as archive:
            for attempt in kept:
                evaluation = evals.get(attempt.eval)
                reference = None if evaluation is None else reply("baseline/oracle", evaluation)
                session = attempt_session(
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
