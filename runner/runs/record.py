"""The record and archive of a run, made from its journal; the journal, made again from them."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from records.archives.archive import Archive, AttemptArtifact, write_archive
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.journal.entries import AttemptKey, Generated, Graded, Opened, list_planned_attempts
from records.journal.journal import Journal, read
from records.reader import read_run
from records.shapes.attempt import Attempt, Fault, Outcome
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.writer import tidy, write_run


def finish(folder: DataFolder, journal: Path, finished_at: datetime | None = None) -> Run:
    """Write the record and archive from ``journal``; return the record.

    ``finished_at`` is the end of the run, by default now. If every planned attempt has an outcome,
    the journal is removed, after record and archive are written: so a process that is killed in
    between loses nothing. At the end, half-written files of killed writers are removed.
    """
    state = read(journal)
    run = _make_record(state, finished_at or datetime.now(UTC))
    if (written := _find_written_record(folder, run)) is None:
        write_archive(
            folder.get_artifact_file(run.model.slug, run.run_id), state.read_attempt_artifacts()
        )
        write_run(folder, run)
    run = written or run
    if run.status == "completed":
        journal.unlink()
    tidy(folder, run.model.slug, run.run_id)
    return run


def _find_written_record(folder: DataFolder, run: Run) -> Run | None:
    """Return the record on the disk if it differs from ``run`` only in its end; else None.

    Such a record is from a process that was killed before it removed the journal.
    """
    with suppress(RecordsError):
        before = read_run(folder.get_run_file(run.model.slug, run.run_id))
        if before == run.model_copy(update={"finished_at": before.finished_at}):
            return before if before.finished_at is not None else None
    return None


def reopen(folder: DataFolder, run: Run, plan: Opened) -> Path:
    """Make the journal of a finished run again, from its record and archive; return its path.

    ``plan`` becomes the first line of the journal. Verdicts stay. A resume asks again for replies
    with a fault of the provider, but not for replies that grading could not judge. The journal is
    written to a temporary file and renamed when it is complete, because the next resume would
    take a part of a journal for the whole, and ask the missing questions again.
    """
    path = folder.get_journal_file(run.model.slug, run.run_id)
    with Archive(folder.get_artifact_file(run.model.slug, run.run_id)) as archive:

        def read_entries() -> Iterator[Generated | Graded]:
            for attempt in run.attempts:
                if attempt.outcome is not Outcome.NOT_RUN:
                    artifact = archive.read(attempt.eval, attempt.sample)
                    # steps is None if the request failed: a resume asks again.
                    fault = attempt.fault if attempt.steps is None else None
                    yield restore_generated(attempt, artifact, fault)
                    yield Graded(attempt=attempt, files=artifact.files, logs=artifact.logs)

        Journal.write_whole(path, plan, read_entries())
    return path


def make_opening_entry(run: Run) -> Opened:
    """Return the first line of a journal for ``run``, which begins or goes on."""
    begun = {
        "attempts": (),
        "status": "running",
        "finished_at": None,
        "totals": compute_run_totals(()),
    }
    return Opened(run=run.model_copy(update=begun))


def restore_generated(
    attempt: Attempt, artifact: AttemptArtifact, fault: Fault | None = None
) -> Generated:
    """Return the journal's entry for the answer of an attempt, from its record and archive."""
    return Generated(
        eval=attempt.eval,
        sample=attempt.sample,
        messages=artifact.messages,
        reply=artifact.reply,
        generation=attempt.generation,
        fault=fault,
        failed_tries_usd=attempt.failed_tries_usd,
        carried_over=attempt.carried_over,
    )


def _make_record(state: Journal, finished_at: datetime) -> Run:
    planned = state.header.run
    judged = dict(state.attempts)
    places = list_planned_attempts(planned)
    attempts: list[Attempt] = []
    for key in places:
        attempt = judged.get(key) or make_unrun_attempt(key, state.find_last_result(*key))
        # Requests that a killed process cut off count as failed tries.
        if unsettled_usd := state.find_unsettled_cost(*key):
            total = (attempt.failed_tries_usd or 0.0) + unsettled_usd
            attempt = attempt.model_copy(update={"failed_tries_usd": total})
        attempts.append(attempt)
    return Run.model_validate(
        dict(planned)
        | {
            "status": "completed" if len(judged) == len(places) else "aborted",
            "finished_at": finished_at,
            "totals": compute_run_totals(attempts),
            "attempts": tuple(attempts),
        }
    )


def make_unrun_attempt(place: AttemptKey, asked: Generated | None) -> Attempt:
    """Return an attempt that was not run, with the cost of its answer if there is one."""
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
