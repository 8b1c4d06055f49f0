"""From a journal to a run's record and archive, and back when a finished run goes on."""

from datetime import UTC, datetime
from pathlib import Path

from records.artifacts import Archive, write_archive
from records.folder import DataFolder
from records.journal import Generated, Graded, Journal, JournalState, Opened, Place, read
from records.run import Attempt, Outcome, Run
from records.totals import totals
from records.writer import write_run


def finish(folder: DataFolder, journal: Path) -> Run:
    """Write the record and archive of what ``journal`` holds; return the record.

    The journal goes once nothing can be gained from it: when every planned attempt was judged.
    Order matters for a process killed in between: the journal is the last to go.
    """
    state = read(journal)
    run = _record(state)
    write_archive(folder.artifact_file(run.model.slug, run.run_id), state.artifacts())
    write_run(folder, run)
    if run.status == "completed":
        journal.unlink()
    return run


def reopen(folder: DataFolder, run: Run) -> Path:
    """Make the journal of a finished run anew from its record and archive; return its path.

    Attempts that were judged keep their verdicts. A reply that grading could not judge is not asked
    for again; one that came with a fault of its provider is. The journal is written to a temporary
    file and renamed once it is whole: a resume that is killed earlier leaves no part of a journal,
    which the next resume would take for the whole and ask the missing questions again.
    """
    path = folder.journal_file(run.model.slug, run.run_id)
    plan = run.model_copy(update={"attempts": (), "status": "running", "totals": totals(())})
    with Archive(folder.artifact_file(run.model.slug, run.run_id)) as archive:
        reached = (one for one in run.attempts if one.outcome is not Outcome.NOT_RUN)
        entries = (entry for attempt in reached for entry in _entries(archive, attempt))
        Journal.write_whole(path, Opened(run=plan), entries)
    return path


def _entries(archive: Archive, attempt: Attempt) -> tuple[Generated, Graded]:
    kept = archive.read(attempt.eval, attempt.sample)
    generated = Generated(
        eval=attempt.eval,
        sample=attempt.sample,
        messages=kept.messages,
        reply=kept.reply,
        generation=attempt.generation,
        # Without steps nothing was graded: the fault is the provider's, and a resume asks again.
        fault=attempt.fault if attempt.steps is None else None,
    )
    return generated, Graded(attempt=attempt, files=kept.files, logs=kept.logs)


def _record(state: JournalState) -> Run:
    planned = state.header.run
    judged = dict(state.attempts)
    places = [Place(name, s) for name in planned.planned for s in range(1, planned.samples + 1)]
    attempts = tuple(judged.get(place) or _not_run(place) for place in places)
    return Run.model_validate(
        dict(planned)
        | {
            "status": "completed" if len(judged) == len(places) else "aborted",
            "finished_at": datetime.now(UTC),
            "totals": totals(attempts),
            "attempts": attempts,
        }
    )


def _not_run(place: Place) -> Attempt:
    return Attempt(
        eval=place.eval,
        sample=place.sample,
        outcome=Outcome.NOT_RUN,
        failed_step=None,
        reason=None,
        fault=None,
        steps=None,
        tests=None,
        generation=None,
        failed_tries_usd=None,
        graded_at=None,
        key=None,
        artifact=None,
    )
