"""From a journal to a run's record and archive, and back when a finished run goes on."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from records.archives.archive import Archive, write_archive
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.files.leftovers import tidy
from records.journal.entries import AttemptKey, Generated, Graded, Opened, planned_attempts
from records.journal.journal import Journal
from records.journal.replay import JournalState, read
from records.reader import read_run
from records.shapes.attempt import Attempt, Outcome
from records.shapes.run import Run
from records.shapes.totals import totals
from records.writer import write_run


def finish(folder: DataFolder, journal: Path, finished_at: datetime | None = None) -> Run:
    """Write the record and archive from ``journal``; return the record.

    ``finished_at`` is the end of a run that ended before; by default it ends now.

    The journal is removed when every planned attempt was judged, as it is of no more use.
    Order matters for a process killed in between: the journal is removed last. Half-written
    files of killed writers are removed after it.
    """
    state = read(journal)
    run = _record(state, finished_at or datetime.now(UTC))
    if (written := _written(folder, run)) is None:
        write_archive(folder.artifact_file(run.model.slug, run.run_id), state.artifacts())
        write_run(folder, run)
    run = written or run
    if run.status == "completed":
        journal.unlink()
    tidy(folder, run.model.slug, run.run_id)
    return run


def _written(folder: DataFolder, run: Run) -> Run | None:
    """Return the record on the disk where it differs from ``run`` only in its time of writing.

    Its process wrote archive and record, and was killed before it removed the journal.
    """
    with suppress(RecordsError):
        before = read_run(folder.run_file(run.model.slug, run.run_id))
        if before == run.model_copy(update={"finished_at": before.finished_at}):
            return before if before.finished_at is not None else None
    return None


def reopen(folder: DataFolder, run: Run, plan: Opened) -> Path:
    """Make the journal of a finished run anew from its record and archive; return its path.

    ``plan`` is its first line.

    Attempts that were judged keep their verdicts. A reply that grading could not judge is not asked
    for again; a reply with a fault of its provider is. The journal is written to a temporary
    file and renamed once it is whole: so a killed resume leaves no part of a journal, which the
    next resume would take for the whole and ask the missing questions again.
    """
    path = folder.journal_file(run.model.slug, run.run_id)
    with Archive(folder.artifact_file(run.model.slug, run.run_id)) as archive:
        reached = (
            candidate for candidate in run.attempts if candidate.outcome is not Outcome.NOT_RUN
        )
        entries = (entry for attempt in reached for entry in _entries(archive, attempt))
        Journal.write_whole(path, plan, entries)
    return path


def opened(run: Run) -> Opened:
    """Return the first line of the journal of a run that begins or goes on."""
    begun = {"attempts": (), "status": "running", "finished_at": None, "totals": totals(())}
    return Opened(run=run.model_copy(update=begun))


def _entries(archive: Archive, attempt: Attempt) -> tuple[Generated, Graded]:
    artifact = archive.read(attempt.eval, attempt.sample)
    generated = Generated(
        eval=attempt.eval,
        sample=attempt.sample,
        messages=artifact.messages,
        reply=artifact.reply,
        generation=attempt.generation,
        # steps is None where the request failed: the fault is the provider's and a resume asks
        # again.
        fault=attempt.fault if attempt.steps is None else None,
        failed_tries_usd=attempt.failed_tries_usd,
        carried_over=attempt.carried_over,
    )
    return generated, Graded(attempt=attempt, files=artifact.files, logs=artifact.logs)


def _record(state: JournalState, finished_at: datetime) -> Run:
    planned = state.header.run
    judged = dict(state.attempts)
    places = planned_attempts(planned)
    attempts = tuple(
        _with_unsettled(judged.get(key) or _not_run(key, state.asked(*key)), state.unsettled(*key))
        for key in places
    )
    return Run.model_validate(
        dict(planned)
        | {
            "status": "completed" if len(judged) == len(places) else "aborted",
            "finished_at": finished_at,
            "totals": totals(attempts),
            "attempts": attempts,
        }
    )


def _with_unsettled(attempt: Attempt, unsettled_usd: float) -> Attempt:
    """Add requests that were cut off by the end of the process to the failed tries."""
    if not unsettled_usd:
        return attempt
    total = (attempt.failed_tries_usd or 0.0) + unsettled_usd
    return attempt.model_copy(update={"failed_tries_usd": total})


def _not_run(place: AttemptKey, asked: Generated | None) -> Attempt:
    """Return an attempt without a verdict: its answer was paid for all the same."""
    return Attempt(
        eval=place.eval,
        sample=place.sample,
        outcome=Outcome.NOT_RUN,
        failed_step=None,
        reason=None,
        fault=None,
        steps=None,
        tests=None,
        generation=asked.generation if asked else None,
        failed_tries_usd=asked.failed_tries_usd if asked else None,
        graded_at=None,
        key=None,
        artifact=None,
        carried_over=asked.carried_over if asked else None,
    )
