from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from records.archives.archive import write_archive
from records.checks.check_data import check_all, check_data
from records.files.data_folder import DataFolder
from records.journal.entries import Opened
from records.reader import read_report, read_run
from records.shapes.attempt import GradingKey
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report, build_report_name, encode_report
from records.writer import encode_run, write_atomically, write_record, write_run
from tests.records import examples

pytestmark = pytest.mark.unit

DATA = DataFolder(Path(__file__).parents[3] / "data")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """Return a folder with a record of each kind, without a fault."""
    folder = DataFolder(tmp_path)
    run = examples.write_answers(folder, examples.make_run())
    examples.write_runs(folder, run)
    examples.write_report(folder, examples.make_report(run))
    return folder


def test_records_that_nothing_reads_are_reported(folder: DataFolder) -> None:
    """A record in the wrong folder, or with another ending, is on no page."""
    (path,) = folder.list_run_files()
    astray = path.parent.parent / path.name
    path.rename(astray)
    (folder.root / "reports" / "notes.md").write_text("what I saw", encoding="utf-8")
    (folder.root / "runs" / ".hidden.json").write_text("", encoding="utf-8")
    reasons = {problem.path: problem.reason for problem in check_data(folder)}
    assert "runs/<provider>/<model>/<run id>.json" in reasons[astray]
    assert folder.root / "reports" / "notes.md" in reasons
    assert folder.root / "runs" / ".hidden.json" not in reasons


def rewrite_report(folder: DataFolder, **changes: object) -> Path:
    """Write the report in ``folder`` again with other fields; return its file."""
    path = find_report_file(folder)
    report = Report.model_validate(dict(read_report(path)) | changes)
    path = path.with_name(build_report_name(report))
    write_atomically(path, encode_report(report).encode())
    return path


def test_a_published_report_gives_each_failure_a_class(folder: DataFolder) -> None:
    """A draft may leave classes open, and so may an analysis that was published elsewhere."""
    (failure,) = read_report(find_report_file(folder)).failures
    unclassed = (failure.model_copy(update={"failure_class": None}),)
    rewrite_report(folder, failures=unclassed)
    assert [(p.field, "set draft: true" in p.reason) for p in check_data(folder)] == [
        ("failures[000-category/002-eval].class", True)
    ]
    for fields in ({"draft": True}, {"draft": False, "source": "elsewhere"}):
        rewrite_report(folder, **fields)
        assert check_data(folder) == []


def test_reports_that_contradict_each_other_are_reported(folder: DataFolder) -> None:
    """An attempt has one class, with or without a number of its sample."""
    (failure,) = read_report(find_report_file(folder)).failures
    other = failure.model_copy(
        update={"failure_class": FailureClass.AMBIGUOUS_TASK, "sample": failure.sample or 1}
    )
    later = rewrite_report(folder, date=date(2026, 12, 1), failures=(other,))
    (problem,) = check_data(folder)
    assert (problem.path, problem.field) == (
        later,
        "failures[000-category/002-eval sample 1].class",
    )
    assert "model_fault" in problem.reason
    assert "ambiguous_task" in problem.reason


def test_attempts_that_still_fail_are_not_mended(folder: DataFolder) -> None:
    """A failure that a report lists as repaired must not fail in the record."""
    (failure,) = read_report(find_report_file(folder)).failures
    rewrite_report(folder, mended=(failure,))
    assert [(p.field, p.reason) for p in check_data(folder)] == [
        ("mended.0", f"{failure.eval} still fails in the run")
    ]
    other = failure.model_copy(update={"eval": examples.make_eval_name(1)})
    rewrite_report(folder, mended=(other,))
    assert check_data(folder) == []


def test_a_report_agrees_with_its_run(folder: DataFolder) -> None:
    """Version and experiment of a report, if any, are the run's."""
    rewrite_report(folder, benchmark_version="ba9876543210", experiment="no_guidelines")
    assert {problem.field for problem in check_data(folder)} == {"benchmark_version", "experiment"}


def test_development_runs_are_checked_beside_the_published(folder: DataFolder) -> None:
    """They may be of versions that are published, and no run may be in both."""
    (path,) = folder.list_run_files()
    target = folder.local.root / path.relative_to(folder.root)
    target.parent.mkdir(parents=True)
    moved = path.rename(target)
    reasons = [problem.reason for problem in check_all(folder) if problem.path == moved]
    assert not any("not defined" in reason for reason in reasons)
    path.write_bytes(moved.read_bytes())
    (again,) = [
        problem
        for problem in check_all(folder)
        if problem.path == moved and problem.field == "run_id"
    ]
    assert str(path) in again.reason


@pytest.mark.parametrize("holds", ["essay.txt", "minimax/minimax-m2.5/x.json"])
def test_another_folder_is_not_all_right(tmp_path: Path, holds: str) -> None:
    """A folder with other files only is a wrong --data; an empty folder is all right."""
    other = tmp_path / "other"
    (other / holds).parent.mkdir(parents=True)
    (other / holds).write_text("", encoding="utf-8")
    (problem,) = check_all(DataFolder(other))
    assert "holds nothing that a data folder does" in problem.reason
    (tmp_path / "new").mkdir()
    assert check_all(DataFolder(tmp_path / "new")) == []


def test_the_published_data_is_right() -> None:
    """The data/ folder of this repository passes its own check."""
    assert [str(problem) for problem in check_data(DATA)] == []


def test_a_right_folder_has_no_problems(folder: DataFolder) -> None:
    """A folder with a consistent record of each kind has no problems."""
    assert check_data(folder) == []


def test_a_missing_folder_has_no_problems(tmp_path: Path) -> None:
    """A folder that does not exist has no faults."""
    assert check_data(DataFolder(tmp_path / "nowhere")) == []


RUN_ID = "a" * 32


def find_run_file(folder: DataFolder) -> Path:
    """Return the record in ``folder``."""
    return folder.get_run_file(examples.SLUG, RUN_ID)


def replace(path: Path, old: str, new: str) -> None:
    """Change one thing in a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def find_report_file(folder: DataFolder) -> Path:
    """Return the report in ``folder``."""
    return next(folder.list_report_files())


def copy_run(folder: DataFolder, slug: str, run_id: str, content_id: str = "") -> None:
    """Put a second record into ``folder``."""
    run = examples.make_run(content_id or run_id)
    path = folder.get_run_file(slug, run_id)
    write_atomically(path, encode_run(run))


NOON = "2026-11-21T12"
DIGEST = "b" * 64
BACKWARDS = (
    '"undone_withdrawals": [{"by": "a", "reason": "b", "at": "2026-11-22T12:00:00Z", '
    '"undone_by": "c", "undone_because": "d", "undone_at": "2026-11-21T12:00:00Z"}]'
)
"""A withdrawal that ends before its beginning."""


def change_first_attempt(folder: DataFolder, update: dict[str, object]) -> None:
    """Change the first attempt of the record in ``folder``."""
    run = read_run(find_run_file(folder))
    first = run.attempts[0].model_copy(update=update)
    write_run(folder, run.model_copy(update={"attempts": (first, *run.attempts[1:])}))


def change_program(folder: DataFolder, **changes: object) -> None:
    """Change the run of ``folder``: its program has files that no commit has."""
    run = read_run(find_run_file(folder))
    changed = examples.with_harness(run, git_commit=f"{'ab' * 20}+changes")
    write_run(folder, changed.model_copy(update=changes))


def test_a_changed_program_is_published_with_a_reason(folder: DataFolder) -> None:
    """With a reason the record is right, and a development run needs none."""
    change_program(folder, published_because="a comment was mended")
    assert check_all(folder) == []
    change_program(folder, published_because=None)
    (problem,) = check_data(folder)
    assert (problem.field, problem.path) == ("published_because", find_run_file(folder))
    assert f"differed from commit {'ab' * 20}" in problem.reason
    assert check_data(folder, shared=folder) == []


Harm = Callable[[DataFolder], object]


def edit_run(old: str, new: str) -> Harm:
    """Return a change of one thing in the record."""
    return lambda folder: replace(find_run_file(folder), old, new)


def edit_report(old: str, new: str) -> Harm:
    """Return a change of one thing in the report."""
    return lambda folder: replace(find_report_file(folder), old, new)


def edit_first(**update: object) -> Harm:
    """Return a change of fields of the first attempt."""
    return lambda folder: change_first_attempt(folder, update)


def write_other_archive(folder: DataFolder) -> None:
    """Write an archive with other replies to the first two evals and the third."""
    names = [examples.make_eval_name(number) for number in range(3)]
    artifacts = (
        examples.make_artifact(name, reply=f"reply {number // 2}")
        for number, name in enumerate(names)
    )
    write_archive(folder.get_artifact_file(examples.SLUG, RUN_ID), artifacts)


def leave_a_journal(folder: DataFolder) -> None:
    """Write a journal of a run that has ended."""
    path = folder.get_journal_file(examples.SLUG, RUN_ID)
    examples.create_journal(path, Opened(run=examples.make_run(planned_only=True))).close()


FIRST = "attempts[000-category/000-eval sample 1]"
OTHER_REPLY = examples.make_generation(reply_digest=DIGEST)
HARMS: list[tuple[Harm, str, str]] = [
    (edit_run('"samples": 1', '"samples": 0'), "samples", "equal to 1"),
    (edit_run('"samples": 1', '"samples": 1, "samples": 1'), "samples", "is repeated"),
    (lambda f: copy_run(f, "other/model", RUN_ID), "run_id", "belongs at"),
    (lambda f: copy_run(f, "other/model", RUN_ID), "run_id", "is also at"),
    (lambda f: copy_run(f, examples.SLUG, "a" * 31 + "b"), "run_id", "begins with aaaaaaaa"),
    (lambda f: f.benchmarks.get_file("0123456789ab").unlink(), "benchmark_version", "not defined"),
    (
        lambda f: write_record(f.benchmarks, examples.make_benchmark(evals=2)),
        "planned",
        "not in 0123456789ab: 000-category/002-eval",
    ),
    (
        edit_run('"cost_usd": 0.75', '"cost_usd": 0.5'),
        "totals.cost_usd",
        "is 0.5, the attempts sum to 0.75",
    ),
    (
        lambda f: f.get_artifact_file(examples.SLUG, RUN_ID).unlink(),
        "attempts",
        "artifact missing",
    ),
    (write_other_archive, "000-category/000-eval/1", "is not what"),
    (
        lambda f: write_archive(f.get_artifact_file("other/model", "b" * 32), []),
        "",
        "belongs to no run",
    ),
    (edit_report("passed: 2", "passed: 3"), "passed", "the run has 2"),
    (edit_report("/002-eval", "/001-eval"), "failures[000-category/001-eval]", "did not fail"),
    (edit_report("/002-eval", "/001-eval"), "failures", "not listed: 000-category/002-eval"),
    (edit_report(RUN_ID, "b" * 32), "run", "is not a run of openai/gpt-example"),
    (
        lambda f: find_report_file(f).rename(find_report_file(f).with_name("mine.md")),
        "run and date",
        "belongs at",
    ),
    (lambda f: f.models_file.write_text("schema_version = 2"), "schema_version", "be 1, is 2"),
    (leave_a_journal, "", "leaderboard run --resume aaaaaaaa"),
    (
        lambda f: write_atomically(f.get_journal_file(examples.SLUG, RUN_ID), b"junk\n"),
        "",
        "line 1",
    ),
    (
        lambda f: write_atomically(f.sessions.get_file("session-1"), b"{}"),
        "schema_version",
        "whole",
    ),
    (
        lambda f: write_record(f.trials, examples.make_trial()),
        "runs.1.run_id",
        "is not a run of",
    ),
    (edit_run('"date": "2026-11-21"', '"date": "2026-11-20"'), "date", "began"),
    (
        edit_run(f'"finished_at": "{NOON}', '"finished_at": "2026-11-21T11'),
        "finished_at",
        "before started_at",
    ),
    (
        edit_run('"undone_withdrawals": []', BACKWARDS),
        "undone_withdrawals.0.undone_at",
        "is before at",
    ),
    (
        edit_first(graded_at=examples.NOON - timedelta(hours=1)),
        f"{FIRST}.graded_at",
        "before the run's started_at",
    ),
    (
        edit_first(graded_at=examples.NOON + timedelta(hours=1)),
        f"{FIRST}.graded_at",
        "after the run's finished_at",
    ),
    (edit_first(artifact=None), f"{FIRST}.artifact", "nothing shows what was"),
    (
        edit_first(key=GradingKey(answer=DIGEST, grader=DIGEST, toolchain=DIGEST)),
        "000-category/000-eval/1",
        "holds other files than the key.answer",
    ),
    (
        edit_first(generation=OTHER_REPLY),
        "000-category/000-eval/1",
        "holds another reply than generation.reply_digest",
    ),
    (edit_run('"output":500', f'"output":{2**53 - 1}'), f"{FIRST}.generation", ""),
    (edit_run('"cost_usd":0.25', '"cost_usd":1e308'), f"{FIRST}.generation.cost_usd", ""),
    (edit_run('"duration_s":1.5', '"duration_s":1e308'), f"{FIRST}.generation.duration_s", ""),
]


@pytest.mark.parametrize(("harm", "field", "reason"), HARMS)
def test_each_harm_is_found(folder: DataFolder, harm: Harm, field: str, reason: str) -> None:
    """Every rule of the data folder has a problem that names file, field and reason."""
    harm(folder)

    problems = check_data(folder)

    assert [p for p in problems if p.field == field and reason in p.reason], problems


def test_a_local_folder_may_use_published_versions(tmp_path: Path) -> None:
    """Development runs belong to a minted version or to one defined on the spot."""
    folder = DataFolder(tmp_path)
    write_record(folder.benchmarks, examples.make_benchmark())
    run = examples.make_run()
    ungraded = tuple(attempt.model_copy(update={"key": None}) for attempt in run.attempts)
    write_run(folder.local, run.model_copy(update={"attempts": ungraded}))

    assert check_data(folder.local, shared=folder) == []
    assert [problem.field for problem in check_data(folder.local)] == ["benchmark_version"]
