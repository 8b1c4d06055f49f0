"""A snapshot whose parts are made by several processes."""

import pytest

from generator.snapshot.snapshot import take_snapshot
from tests.generator.editable_project import EditableProject

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def one_process() -> None:
    """Leave this process without a thread, so that work is divided."""


def test_the_bytes_do_not_depend_on_the_number_of_processes(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are put together in their order, even if a later part is ready first."""
    monkeypatch.setattr("generator.snapshot.snapshot._RUNS", 1)
    alone = take_snapshot(place.sources, place.root / "alone")
    monkeypatch.setattr("generator.workers.FEW_RUNS", 0)
    monkeypatch.setattr("generator.workers._FEWEST", 0)
    forked = take_snapshot(place.sources, place.root / "forked")
    assert forked.files == alone.files
    assert forked.runs > 2
