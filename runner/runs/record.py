"""The record and archive of a run, made from its journal; the entries of the journal."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import Any

from records.archives.archive import (
    Archive,
    AttemptArtifact,
    OpenArchives,
    compute_artifact_digest,
    write_archive,
)
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.journal.entries import Generated, Graded, Opened, build_artifact
from records.journal.journal import Journal, read
from records.reader import read_run
from records.runs.finish_reasons import CALLS, End, end_by
from records.shapes.attempt import (
    Attempt,
    AttemptKey,
    Fault,
    FaultClass,
    Generation,
    Outcome,
    Step,
    StepName,
    Verdict,
    make_attempt,
)
from records.shapes.run import Run
from records.shapes.totals import compute_run_totals
from records.text.visible import make_one_line
from records.writer import tidy, write_run
from runner.grading.grade import GradingResult
from runner.grading.steps.step import LONGEST_MESSAGE

_FACTS = ("outcome", "failed_step", "fault", "steps", "tests", "graded_at", "key")
"""The fields that an attempt has from its verdict, beside the reason."""


def finish(folder: DataFolder, journal: Path, finished_at: datetime | None = None) -> Run:
    """Write the record and archive from ``journal``; return the record.

    ``finished_at`` is the end of the run, by default now. If every planned attempt has an outcome,
    the journal is removed, after record and archive are written: so a process that is killed in
    between loses nothing. At the end, half-written files of killed writers are removed.
    """
    state = read(journal)
    places = list(state.header.run.iterate_places())
    attempts: list[Attempt] = []
    for key in places:
        attempt = state.attempts.get(key) or _make_attempt(
            key, state.find_generation(key), outcome=Outcome.NOT_RUN
        )
        # Requests that a killed process cut off count as failed tries.
        if unsettled_usd := state.find_unsettled_cost(key):
            total = (attempt.failed_tries_usd or 0.0) + unsettled_usd
            attempt = attempt.model_copy(update={"failed_tries_usd": total})
        attempts.append(attempt)
    run = Run.model_validate(
        dict(state.header.run)
        | {
            "status": "completed" if len(state.attempts) == len(places) else "aborted",
            "finished_at": finished_at or datetime.now(UTC),
            "totals": compute_run_totals(attempts),
            "attempts": tuple(attempts),
        }
    )
    if (written := _find_written_record(folder, run)) is None:
        path = folder.get_artifact_file(*run.key)
        # Answers to outdated questions are in no journal, and stay in the archive.
        outdated = [attempt.place for attempt in run.outdated if attempt.artifact is not None]
        with OpenArchives() as archives:
            earlier_bytes = (archives.read(path, *place) for place in outdated)
            judged = state.read_attempt_artifacts()
            write_archive(path, merge(earlier_bytes, judged, key=attrgetter("eval", "sample")))
        write_run(folder, run)
    run = written or run
    if run.status == "completed":
        journal.unlink()
    tidy(folder, *run.key)
    return run


def _find_written_record(folder: DataFolder, run: Run) -> Run | None:
    """Return the record on the disk if it differs from ``run`` only in its end; else None.

    Such a record is from a process that was killed before it removed the journal.
    """
    with suppress(RecordsError):
        before = read_run(folder.get_run_file(*run.key))
        ended_at = before.finished_at
        if ended_at is not None and before == run.model_copy(update={"finished_at": ended_at}):
            return before
    return None


def prepare_journal(folder: DataFolder, plan: Opened, entries: Iterable[Generated] = ()) -> None:
    """Ensure that there is a journal that begins with ``plan``, to begin its run or to go on.

    ``entries`` follow in the journal of a new run.
    """
    key = plan.run.key
    journal, record = folder.get_journal_file(*key), folder.get_run_file(*key)
    if journal.exists():
        Journal.replan(journal, plan)
    elif record.exists():
        reopen(folder, read_run(record), plan)
    else:
        Journal.write_whole(journal, plan, entries)


def reopen(folder: DataFolder, run: Run, plan: Opened) -> Path:
    """Make the journal of a finished run again, from its record and archive; return its path.

    ``plan`` becomes the first line of the journal. Verdicts stay. A resume asks again for replies
    with a fault of the provider, but not for replies that grading could not judge. The journal is
    written to a temporary file and renamed when it is complete, because the next resume would
    take a part of a journal for the whole, and ask the missing questions again.
    """
    path = folder.get_journal_file(*run.key)
    with Archive(folder.get_artifact_file(*run.key)) as archive:

        def read_entries() -> Iterator[Generated | Graded]:
            for attempt in run.attempts:
                if attempt.outcome is not Outcome.NOT_RUN:
                    artifact = archive.read(*attempt.place)
                    # steps is None if the request failed: a resume asks again.
                    fault = attempt.fault if attempt.steps is None else None
                    yield restore_generated(attempt, artifact, fault)
                    yield Graded(attempt=attempt, files=artifact.files, logs=artifact.logs)

        Journal.write_whole(path, plan, read_entries())
    return path


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


def _make_attempt(place: AttemptKey, asked: Generated | None, **facts: Any) -> Attempt:  # noqa: ANN401 - checked by the record
    """Return an attempt with ``facts``, and with the cost of its answer if there is one."""
    names = ("generation", "failed_tries_usd", "carried_over")
    facts |= {name: getattr(asked, name) for name in names} if asked else {}
    return make_attempt(place.eval, place.sample, **facts)


def make_judged_entry(
    generated: Generated,
    verdict: GradingResult,
    limit: int | None,
    earlier_verdicts: tuple[Verdict, ...] = (),
) -> Graded:
    """Return the entry of a graded reply.

    ``limit`` is the limit of its tokens, None if unknown; ``earlier_verdicts`` are replaced ones.
    """
    generation = generated.generation
    reason = explain_reason(
        verdict.reason, verdict.failed_step, generated.reply or "", generation, limit
    )
    facts = {name: getattr(verdict, name) for name in _FACTS}
    facts |= {"reason": reason, "earlier_verdicts": earlier_verdicts}
    return _make_entry(generated, facts, verdict.files, verdict.logs)


def without_verdict(generated: Generated, what: str, error: Exception) -> Graded:
    """Return the entry of a reply whose grading broke: ``what`` failed, and raised ``error``."""
    evidence = make_one_line(f"{what}: {type(error).__name__}: {error}", LONGEST_MESSAGE)
    # A resume asks again for an attempt without a list of steps, and would pay for it twice: the
    # empty list marks the generation as done.
    return make_unjudged_entry(
        generated, Fault(kind=FaultClass.OUTAGE, evidence=evidence), steps=()
    )


def make_unjudged_entry(
    generated: Generated, fault: Fault | None, steps: tuple[Step, ...] | None = None
) -> Graded:
    """Return the entry of an attempt without a verdict, because of ``fault``."""
    facts = {"outcome": Outcome.INFRASTRUCTURE, "fault": fault, "steps": steps}
    return _make_entry(generated, facts, {}, {})


def _make_entry(
    generated: Generated,
    facts: Mapping[str, Any],
    files: Mapping[str, str],
    logs: Mapping[str, str],
) -> Graded:
    """Return the entry with ``facts`` and the digest of the attempt's part of the run's archive."""
    attempt = _make_attempt(generated.place, generated, **facts)
    graded = Graded(attempt=attempt, files=files, logs=logs)
    digest = compute_artifact_digest(build_artifact(generated, graded))
    return graded.model_copy(update={"attempt": attempt.model_copy(update={"artifact": digest})})


def explain_reason(
    reason: str | None,
    step: StepName | None,
    reply: str,
    generation: Generation | None,
    limit: int | None,
) -> str | None:
    """Return the reason of a failed attempt; None if it passed.

    If the reply has no usable files, its finish reason may show the cause, which is added: the
    reply was cut at its limit, or the model called tools.

    Args:
        reason: the grader's reason; None if the attempt passed.
        step: the step that failed.
        reply: the text of the model.
        generation: facts of the reply; None for a baseline.
        limit: the most output tokens of the model; None if no limit was sent.
    """
    if reason is None or generation is None or step is not StepName.FILESYSTEM:
        return reason
    word = generation.finish_reason
    if word in CALLS and not reply.strip():
        return f"{reason}: the model calls tools, of which none was offered"
    if end_by(word) is End.LIMIT and limit is not None:
        return f"{reason}; the reply was cut at its limit of {limit} tokens"
    return reason
