"""The manifest: each run's files by their digests, and whether the run counts."""

import hashlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from generator.tables.published_tables import build_frames
from generator.tables.run_columns import MANIFEST
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Experiment, Run, Withdrawal
from tests.generator.contexts import gather_site
from tests.records import examples

pytestmark = pytest.mark.unit

DAY: Final = date(2026, 11, 1)


def read_manifest(data: DataFolder) -> dict[str, dict[str, Any]]:
    """Return the manifest by run."""
    rows = MANIFEST.list_rows(build_frames(gather_site(data))[MANIFEST.columns])
    return {str(row["run_id"]): row for row in rows}


def without_verdict() -> Run:
    """Return a run whose first attempt has no verdict."""
    run = examples.make_run("d" * 32)
    broken = examples.make_attempt(run.planned[0], outcome=Outcome.INFRASTRUCTURE)
    return examples.with_attempts(run, (broken, *run.attempts[1:]))


def make_run_at_commit(letter: str, commit: str, **changes: object) -> Run:
    """Return a run that a program at this commit made."""
    run = examples.with_harness(examples.make_run(letter * 32), git_commit=commit)
    return run.model_copy(update=changes)


COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
REASONS: Final = {
    "counted": examples.make_run(),
    "withdrawn": examples.make_run("b" * 32, withdrawn=Withdrawal(by="me", reason="a wrong key")),
    "not_completed": examples.make_run("c" * 32, status="aborted"),
    "incomplete": without_verdict(),
    "partial": examples.make_run("e" * 32, evals=2),
    "changed_program": make_run_at_commit("g", f"{COMMIT}+changes"),
    "version_not_defined": examples.make_run("f" * 32, benchmark_version="ba9876543210"),
    "edition_of_the_guidelines": examples.make_run(
        experiment=Experiment(name="ablated-validators", guidelines="a" * 64)
    ),
}


@pytest.mark.parametrize("why", REASONS)
def test_each_run_has_the_reason_for_counting_or_not(why: str, tmp_path: Path) -> None:
    """The reason is that of the selection."""
    run = REASONS[why]
    row = read_manifest(examples.write_runs(DataFolder(tmp_path), run))[run.run_id]
    assert (row["why"], row["counts"]) == (why, why == "counted")


def test_a_changed_program_s_run_counts_with_a_reason_in_its_record(tmp_path: Path) -> None:
    """Somebody answers for it then; a run of a commit needs no reason."""
    changed = f"{COMMIT}+changes"
    data = examples.write_runs(
        DataFolder(tmp_path),
        make_run_at_commit("a", changed, published_because="a comment was mended"),
        make_run_at_commit("b", COMMIT),
        make_run_at_commit("c", changed),
    )
    counted = {run_id[0] for run_id, row in read_manifest(data).items() if row["counts"]}
    assert counted == {"a", "b"}


def test_the_eleventh_run_is_older(tmp_path: Path) -> None:
    """Ten runs of a model and experiment count; the oldest run has the reason `older`."""
    runs = (
        examples.make_run(letter * 32, date=DAY + timedelta(days=number))
        for number, letter in enumerate("abcdefghijk")
    )
    rows = read_manifest(examples.write_runs(DataFolder(tmp_path), *runs))
    assert [run_id[0] for run_id, row in rows.items() if row["why"] == "older"] == ["a"]
    assert sum(row["counts"] for row in rows.values()) == 10


def test_digests_are_those_of_the_files(tmp_path: Path) -> None:
    """The digests are those of sha256sum, over the files that the row names below data/."""
    run = examples.make_run()
    data = examples.write_runs(DataFolder(tmp_path), run)
    examples.write_answers(data, run)
    row = read_manifest(data)[run.run_id]
    for name in ("record", "archive"):
        content = (data.root / row[name]).read_bytes()
        assert row[f"{name}_sha256"] == hashlib.sha256(content).hexdigest()
