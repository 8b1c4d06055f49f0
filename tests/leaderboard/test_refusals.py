"""A refused command leaves nothing behind: no record, no journal, no note for a server."""

import fcntl
import os
from pathlib import Path

import click
import pytest

from leaderboard.changes.revisions import Repository
from records.files.data_folder import DataFolder
from records.reader import read_run
from runner.runs.provenance import find_commit
from tests.leaderboard.commanding import run_on_data, serve_provider
from tests.leaderboard.sessions.test_compare import SAYS_CORRECT, write_judged_sessions
from tests.runner.backends.stand_in import write_suite_over_stand_in
from tests.runner.conftest import FIRST_STEP_ONLY
from tests.support.warm_command import ROOT, run_command

pytestmark = pytest.mark.integration

FILTER = "000-fundamentals/000-"
SERVER = ("--api-base", "http://127.0.0.1:9/v1")


def list_files(folder: Path) -> list[Path]:
    """Return all files in a folder and below."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("run", "-m", "oracle", "-f", FILTER), "bubblewrap is not installed"),
        (
            ("run", "-m", "oracle", "-f", FILTER, "--report-to", "http://127.0.0.1:9"),
            "bubblewrap is not installed",
        ),
        (("demo", "--out", "never-built"), "bubblewrap is not installed"),
        (("run", "-m", "oracel", "-f", FILTER), "oracle"),
        (("run", "-m", "oracle", "-f", FILTER, "--backend", "local"), "only the emulator has"),
        (("run", "-m", "tiny", "-f", FILTER, *SERVER), "no server listens"),
        (("run", "-m", "tiny", "-f", FILTER, *SERVER, "--budget", "1"), "--budget needs"),
        (("run", "-m", "Tiny", "-m", "tiny", "-f", FILTER, *SERVER), "would both be local/tiny"),
        (("run", "-m", "oracle", "-f", FILTER, "--cluster", "tls://127.0.0.1:9"), "--cluster"),
    ],
)
def test_a_refused_run_leaves_no_file(command: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """Neither a run that seems interrupted, nor a benchmark version, nor a note in the outbox."""
    data = tmp_path / "data"
    variables = {"PATH": "/nonexistent", "LEADERBOARD_REPORT_KEY": "osk_" + "0" * 40}
    result = run_command(*command, "--data", data, variables=variables, code=2)
    assert words in result.stderr
    assert list_files(tmp_path) == []


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("own", "own: not empty and not made by a build"),
        ("own/notes.txt/site", "notes.txt: not a folder"),
        ("data/local/runs/site", "is inside"),
    ],
)
def test_a_demo_asks_nobody_if_its_site_has_no_folder(out: str, words: str, tmp_path: Path) -> None:
    """Else its runs, which take minutes, would end without a site."""
    notes = tmp_path / "own" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    result = run_command("demo", "--data", tmp_path / "data", "--out", tmp_path / out, code=2)
    assert words in result.stderr
    assert list_files(tmp_path) == [notes]


@pytest.mark.more
def test_suites_that_the_real_backend_cannot_grade_are_refused_before_the_first_file(
    tmp_path: Path,
) -> None:
    """Another suite, or no binary: neither `run` nor `verify` grades, and none leaves a file."""
    suite, data = tmp_path / "suite", tmp_path / "data"
    write_suite_over_stand_in(suite, {"000-b": ""})
    data.mkdir()
    variables = {"CONVEX_LOCAL_BACKEND": str(tmp_path / "missing")}
    for evals, words in ((ROOT / "evals", "test controls"), (suite, "which is not a file")):
        for command in (("run", "-m", "oracle"), ("verify",)):
            given = (*command, "-f", "000-", "--backend", "local", "--evals", evals, "--data", data)
            result = run_command(*given, variables=variables, code=2)
            assert words in result.stderr
            assert "over the backend" not in result.stderr
            assert list_files(data) == []


def test_a_refused_regrading_leaves_its_run_as_it_was(tmp_path: Path) -> None:
    """A run whose answers would be graded again keeps its record, and gets no journal."""
    data = DataFolder(tmp_path / "data")
    run = ("run", "-m", "oracle", "-f", FILTER, "--data", data.root)
    run_command(*run, before=FIRST_STEP_ONLY, code=0)
    (record,) = data.local.list_run_files()
    before = {path: path.read_bytes() for path in list_files(data.root)}
    for command in ("regrade", "verify"):
        result = run_command(
            *(command, read_run(record).run_id, "--data", data.root),
            variables={"PATH": "/nonexistent"},
            code=2,
        )
        assert "bubblewrap is not installed" in result.stderr
        assert {path: path.read_bytes() for path in list_files(data.root)} == before


def test_a_judging_beside_another_leaves_no_record(tmp_path: Path) -> None:
    """The folder of records is in use, so none is written that nobody would ask for."""
    data = DataFolder(tmp_path / "data")
    write_judged_sessions(data.root, "correct")
    folder = data.local.root / "opinions"
    folder.mkdir()
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with serve_provider(tmp_path / "provider", SAYS_CORRECT) as address:
        result = run_on_data(
            data.root, "session", "judge", "-m", "judge", "--api-base", address, code=2
        )
    os.close(handle)
    assert "another process is asking" in result.stderr
    assert list_files(folder) == []


def test_gits_refusal_of_a_folder_of_another_owner_is_reported_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The remedy is in git's last words, for a comparison and for a run before it begins."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(click.UsageError, match=r"git config --global --add safe\.directory"):
        Repository.find_containing(ROOT)
    commit, reason = find_commit()
    assert commit is None
    assert "git config --global --add safe.directory" in reason


def test_a_run_states_before_it_begins_that_it_will_name_no_commit(tmp_path: Path) -> None:
    """A run that cannot be published is not paid for unawares."""
    run = ("run", "-m", "oracle", "-f", FILTER, "--data", tmp_path / "data")
    variables = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    result = run_command(*run, variables=variables, before=FIRST_STEP_ONLY)
    warning, _, _ = result.stdout.partition("safe.directory")
    assert "will name no commit of this program, so it cannot be published" in warning
    assert "000-" not in warning
