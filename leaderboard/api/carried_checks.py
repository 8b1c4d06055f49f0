"""The check of answers that a received run has carried over from earlier runs."""

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from leaderboard.api.errors import ContradictionError
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.runs.carrying import find_broken_promise
from records.shapes.attempt import Attempt
from records.shapes.run import Run

_FIELD: Final = "carried_over"


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
            "does not fit carry_over_days, started_at or run_id of the run", _FIELD
        ) from error
    paths = [folder.get_run_file(run.model.slug, carried.run) for folder in folders]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise ContradictionError(
            f"run {carried.run}, which asked for the answer, is not recorded here: send it first",
            _FIELD,
        )
    if (why := find_broken_promise(run, attempt, read_run(path))) is not None:
        raise ContradictionError(why, _FIELD)
