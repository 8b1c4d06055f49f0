"""Sessions made of attempts: of whole runs, or those that an audit chooses at random."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from records.archives.archive import Archive
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.runs.run_lookup import find_run
from records.sessions.audit import Audit, make_audit_id
from records.shapes.attempt import JUDGED, Outcome
from records.shapes.run import Run
from records.text.numbers import format_count
from records.writer import write_record
from review.audits import Candidate, Request, draw
from review.errors import ReviewError
from review.from_runs import build_attempt_session, make_attempt_session_id
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
        with Archive(folder.get_artifact_file(*record.key)) as archive:
            for attempt in archived:
                evaluation = evals.get(attempt.eval)
                reference = (
                    None if evaluation is None else make_reply("baseline/oracle", evaluation)
                )
                session = build_attempt_session(
                    record, attempt, archive.read(*attempt.place), reference
                )
                if session is None:
                    counts.left_out += 1
                else:
                    counts.made += 1
                    if published:
                        publish_attempt(store, session.id)
                    counts.changed += store.write(session, published=published)
    return counts


def draw_audit(
    data: DataFolder,
    evals_root: Path,
    beginnings: Sequence[str],
    version: str | None,
    request: Request,
) -> Audit:
    """Choose the attempts of an audit, make their sessions, and write the audit's record.

    They are of the named runs, else of all published runs, of a single benchmark version. This is
    ``version``, else that of the newest run. Left out are baselines (no model was asked), withdrawn
    runs (they are in no score) and imported runs (their answers are not in the data folder). The
    record is local if one of the runs is local.

    Raises:
        ReviewError: there is no such run, the named runs have several versions, an audit of this
            version and seed exists, or an archive has no answer.
        RecordsError: a record cannot be read.
    """
    paths = [find_run(data, beginning).get_record_file() for beginning in dict.fromkeys(beginnings)]
    runs = [(path, read_run(path)) for path in paths or data.list_run_files()]
    usable = [(path, run) for path, run in runs if version in {None, run.benchmark_version}]
    usable = [(path, run) for path, run in usable if _list_candidates(run)]
    if not usable:
        raise ReviewError("no published run of a model with its answers; name a local run to audit")
    versions = {run.benchmark_version for _, run in usable}
    if beginnings and len(versions) > 1:
        raise ReviewError(f"these runs are of several benchmark versions: {', '.join(versions)}")
    newest = max((run for _, run in usable), key=lambda run: (run.date, run.run_id))
    version = newest.benchmark_version
    chosen = {path: run for path, run in usable if run.benchmark_version == version}
    identity = make_audit_id(version, request.seed)
    for folder in (data, data.local):
        if folder.audits.get_file(identity).exists():
            raise ReviewError(
                f"{folder.audits.get_file(identity)}: exists already; give another --seed"
            )
    audit = draw(
        version,
        [candidate for run in chosen.values() for candidate in _list_candidates(run)],
        request,
        at=datetime.now(UTC),
        session_of=make_attempt_session_id,
    )
    drawn_attempts = {(item.run_id, item.eval, item.sample) for item in audit.items}
    counts = make_sessions(data, evals_root, chosen, drawn_attempts)
    if counts.left_out:
        raise ReviewError(
            f"{format_count(counts.left_out, 'attempt')} without an answer in their run's archive"
        )
    is_local = any(path.is_relative_to(data.local.root) for path in chosen)
    write_record((data.local if is_local else data).audits, audit)
    return audit


def _list_candidates(run: Run) -> list[Candidate]:
    if run.model.kind == "baseline" or run.withdrawn is not None:
        return []
    return [
        Candidate(
            eval=attempt.eval,
            outcome="passed" if attempt.outcome is Outcome.PASSED else "failed",
            run_id=run.run_id,
            sample=attempt.sample,
            failed_step=attempt.failed_step,
        )
        for attempt in run.attempts
        if attempt.outcome in JUDGED
        and attempt.artifact is not None
        and attempt.generation is not None
    ]
