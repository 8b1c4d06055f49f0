"""The manifest: each run's files by their digests, and whether the run counts."""

import hashlib
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from generator.site_data import SiteData
from generator.tables.published_tables import build_frames
from generator.tables.run_columns import MANIFEST
from records.archives.archive import write_archive
from records.files.data_folder import DataFolder
from records.shapes.attempt import Outcome
from records.shapes.run import Experiment, Run, Withdrawal
from records.writer import write_record, write_run
from tests.generator.contexts import gather_site
from tests.records import examples

pytestmark = pytest.mark.unit

DAY: Final = date(2026, 11, 1)


def make_whole_run(letter: str, **changes: object) -> Run:
    """Return a run of the whole example version."""
    return examples.make_run(letter * 32).model_copy(update=changes)


def read_manifest(data: DataFolder) -> dict[str, dict[str, Any]]:
    """Return the manifest by run."""
    return _index_by_run(gather_site(data))


def _index_by_run(site: SiteData) -> dict[str, dict[str, Any]]:
    rows = MANIFEST.list_rows(build_frames(site)[MANIFEST.columns])
    return {str(row["run_id"]): row for row in rows}


def without_verdict() -> Run:
    """Return a run whose first attempt has no verdict."""
    first, *unchanged = examples.make_run().attempts
    broken = examples.make_attempt(first.eval, outcome=Outcome.INFRASTRUCTURE)
    return examples.with_attempts(make_whole_run("d"), (broken, *unchanged))


def make_run_at_commit(letter: str, commit: str, **changes: object) -> Run:
    """Return a run that a program at this commit made."""
    return examples.with_harness(make_whole_run(letter, **changes), git_commit=commit)


COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
REASONS: Final = {
    "counted": make_whole_run("a"),
    "withdrawn": make_whole_run("b", withdrawn=Withdrawal(by="me", reason="a wrong key")),
    "not_completed": make_whole_run("c", status="aborted"),
    "incomplete": without_verdict(),
    "partial": examples.make_run("e" * 32, evals=2),
    "changed_program": make_run_at_commit("g", f"{COMMIT}+changes"),
    "version_not_defined": make_whole_run("f", benchmark_version="ba9876543210"),
    "edition_of_the_guidelines": make_whole_run(
        "a", experiment=Experiment(name="ablated-validators", guidelines="a" * 64)
    ),
}


@pytest.mark.parametrize("why", REASONS)
def test_each_run_has_the_reason_for_counting_or_not(why: str, tmp_path: Path) -> None:
    """The reason is that of the selection."""
    data, run = DataFolder(tmp_path), REASONS[why]
    write_record(data.benchmarks, examples.make_benchmark())
    write_run(data, run)
    row = read_manifest(data)[run.run_id]
    assert (row["why"], row["counts"]) == (why, why == "counted")


def test_a_changed_program_s_run_counts_with_a_reason_in_its_record(tmp_path: Path) -> None:
    """Somebody answers for it then; a run of a commit needs no reason."""
    data = DataFolder(tmp_path)
    write_record(data.benchmarks, examples.make_benchmark())
    changed = f"{COMMIT}+changes"
    write_run(data, make_run_at_commit("a", changed, published_because="a comment was mended"))
    write_run(data, make_run_at_commit("b", COMMIT))
    write_run(data, make_run_at_commit("c", changed))
    counted = {run_id[0] for run_id, row in read_manifest(data).items() if row["counts"]}
    assert counted == {"a", "b"}


def test_the_eleventh_run_is_older(tmp_path: Path) -> None:
    """Ten runs of a model and experiment count; the oldest run has the reason `older`."""
    data = DataFolder(tmp_path)
    write_record(data.benchmarks, examples.make_benchmark())
    for number in range(11):
        write_run(data, make_whole_run("abcdefghijk"[number], date=DAY + timedelta(days=number)))
    rows = read_manifest(data)
    assert [run_id[0] for run_id, row in rows.items() if row["why"] == "older"] == ["a"]
    assert sum(row["counts"] for row in rows.values()) == 10


def test_digests_are_those_of_the_files(tmp_path: Path) -> None:
    """The digests are those of sha256sum, over the files that the row names below data/."""
    data = DataFolder(tmp_path)
    write_record(data.benchmarks, examples.make_benchmark())
    run = make_whole_run("a")
    write_run(data, run)
    artifacts = [examples.make_artifact(attempt.eval) for attempt in run.attempts]
    write_archive(data.get_artifact_file(*run.key), artifacts)
    row = read_manifest(data)[run.run_id]
    for name in ("record", "archive"):
        content = (data.root / row[name]).read_bytes()
        assert row[f"{name}_sha256"] == hashlib.sha256(content).hexdigest()
