from datetime import date
from typing import NamedTuple

import pytest

from records.text.run_days import day_words, run_words, when_words

pytestmark = pytest.mark.unit


class Dated(NamedTuple):
    """A run of a day."""

    date: date
    day_of_import: bool


def test_the_day_of_an_import_is_no_day_of_a_run() -> None:
    """Nobody may read that a model was asked on the day of the import."""
    known, unknown = (Dated(date(2026, 11, 27), is_of_import) for is_of_import in (False, True))

    assert day_words(known) == "2026-11-27"
    assert run_words(known) == "run of 2026-11-27"
    assert when_words(known) == "on 2026-11-27"
    assert day_words(unknown) == "imported 2026-11-27"
    assert run_words(unknown) == "run imported 2026-11-27"
    assert when_words(unknown) == "in a run imported 2026-11-27"
