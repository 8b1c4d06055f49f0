import json
from pathlib import Path

import pytest

from records.errors import InvalidRecordError
from records.reader import MIGRATIONS, Fields, read_run
from records.shapes.run import RUN_VERSION, Run
from records.writer import encode_run
from tests.records import examples

pytestmark = pytest.mark.unit

RUN = examples.make_run()


def without_budget(path: Path) -> None:
    """Write a run in an invented shape of the version before, which had no budget."""
    fields = json.loads(encode_run(RUN))
    del fields["budget_usd"]
    path.write_text(json.dumps(fields | {"schema_version": RUN_VERSION - 1}))


def test_an_older_version_reads_as_the_current_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration adds the missing field; the result is checked like any record."""

    def add_budget(old: Fields) -> Fields:
        return {**old, "schema_version": RUN_VERSION, "budget_usd": None}

    monkeypatch.setitem(MIGRATIONS, (Run, RUN_VERSION - 1), add_budget)
    path = tmp_path / "run.json"
    without_budget(path)
    assert read_run(path) == RUN


def test_a_version_without_a_migration_is_refused(tmp_path: Path) -> None:
    """The message has the file, the field and the version that is read."""
    path = tmp_path / "run.json"
    without_budget(path)
    with pytest.raises(InvalidRecordError, match=f"schema_version: .*version {RUN_VERSION}"):
        read_run(path)
