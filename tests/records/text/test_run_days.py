from datetime import date
from typing import NamedTuple

import pytest

from records.text.run_days import describe_dated_run, describe_day, describe_when

pytestmark = pytest.mark.unit


class Dated(NamedTuple):
    """A run of a day."""

    date: date
    day_of_import: bool


def test_the_day_of_an_import_is_no_day_of_a_run() -> None:
    """Nobody may read that a model was asked on the day of the import."""
    run_day, import_day = (
        Dated(date(2026, 11, 27), is_of_import) for is_of_import in (False, True)
    )

    assert describe_day(run_day) == "2026-11-27"
    assert describe_dated_run(run_day) == "run of 2026-11-27"
    assert describe_when(run_day) == "on 2026-11-27"
    assert describe_day(import_day) == "imported 2026-11-27"
    assert describe_dated_run(import_day) == "run imported 2026-11-27"
    assert describe_when(import_day) == "in a run imported 2026-11-27"
