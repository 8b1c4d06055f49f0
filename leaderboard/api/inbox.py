"""The files of runs that are being received, in `data/local/inbox/<run id>/`: plan and attempts."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from leaderboard.api.errors import ContradictionError
from leaderboard.api.run_shapes import Channel
from records.archives.archive import AttemptArtifact
from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.problems import Problem
from records.reader import read_record, read_run
from records.runs.carrying import find_broken_promise
from records.shapes.attempt import Attempt, AttemptKey
from records.shapes.base import Name, Record
from records.shapes.run import Run

PLAN = "run.json"


class InboxPlan(Record):
    """The plan of a run that is being received."""

    channel: Channel
    """The channel of the run, which decides the folder of its record."""
    sent_by: Name
    """The name of the key with which the run was begun."""
    run: Run
    """The run without attempts."""


class InboxAttempt(Record):
    """An attempt that was received."""

    attempt: Attempt
    """The attempt, as it will be recorded."""
    kept: AttemptArtifact | None
    """The artifact; null if the attempt was not run."""


def read_plan(inbox: Path) -> InboxPlan | None:
    """Return the plan of the run in a folder of the inbox; null if there is none.

    Raises:
        InvalidRecordError: the plan cannot be read.
    """
    path = inbox / PLAN
    try:
        return read_record(InboxPlan, path)
    except MissingRecordError:
        return None


def build_entry_path(inbox: Path, place: AttemptKey) -> Path:
    """Return the path of the file of an attempt, which may not exist."""
    return inbox / f"{place.eval.replace('/', '.')}.{place.sample}.json"


read_entry = partial(read_record, InboxAttempt)


def find_damage(data: DataFolder) -> Iterator[Problem]:
    """Yield the problems of runs in the inbox, each with its remedy."""
    for inbox in sorted(data.inbox.glob("[!.]*/")):
        try:
            plan = read_plan(inbox)
        except InvalidRecordError as error:
            yield _build_problem(error, "remove the folder, and its runner sends the run anew")
            continue
        attempt_keys = list(plan.run.iterate_places()) if plan else ()
        expected = {
            build_entry_path(inbox, attempt_key): attempt_key for attempt_key in attempt_keys
        }
        for path in sorted(inbox.glob("[!.]*")):
            if path.name == PLAN or plan is None:
                continue
            place = expected.get(path)
            if place is None:
                yield Problem(path, "", "is no attempt that the run plans: remove it")
                continue
            try:
                attempt = read_entry(path).attempt
            except MissingRecordError:
                continue  # the run ended meanwhile
            except InvalidRecordError as error:
                yield _build_problem(error, "remove it, and its runner sends the attempt again")
                continue
            if attempt.place != place:
                yield Problem(path, "", "holds another attempt than its name says: remove it")


def find_abandoned(data: DataFolder) -> Iterator[Path]:
    """Yield folders that a killed server left: without a plan, or not yet removed at the end."""
    yield from sorted(data.inbox.glob(".*.done"))
    for inbox in sorted(data.inbox.glob("[!.]*/")):
        if not (inbox / PLAN).exists():
            yield inbox


def _build_problem(error: InvalidRecordError, mending: str) -> Problem:
    return Problem(error.path, error.field, f"{error.reason}: {mending}")


def check_carried(folders: Sequence[DataFolder], run: Run, attempt: Attempt) -> None:
    """Check a carried-over attempt of ``run`` against the run in ``folders`` that asked for it.

    Does nothing for other attempts.

    Raises:
        ContradictionError: the run that asked is missing, or its attempt or answer differs.
    """
    carried = attempt.carried_over
    if carried is None:
        return
    try:
        Run.model_validate(dict(run) | {"status": "running", "attempts": (attempt,)})
    except ValidationError as error:
        raise ContradictionError(
            "does not fit carry_over_days, started_at or run_id of the run", "carried_over"
        ) from error
    paths = [folder.get_run_file(run.model.slug, carried.run) for folder in folders]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise ContradictionError(
            f"run {carried.run}, which asked for the answer, is not recorded here: send it first",
            "carried_over",
        )
    if (why := find_broken_promise(run, attempt, read_run(path))) is not None:
        raise ContradictionError(why, "carried_over")
