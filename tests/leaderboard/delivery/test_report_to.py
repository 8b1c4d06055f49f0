"""`leaderboard run --report-to` and `send`: a server that goes away, published runs, and checks."""

import json
import os
import shutil
import signal
from pathlib import Path

import httpx
import pytest

from leaderboard.api.app import build_api_app
from leaderboard.api.keys import KeyStore
from leaderboard.delivery.client import KEY_VARIABLE
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.delivery import sending
from tests.records.reading import read_local_run
from tests.runner.conftest import SlowProvider
from tests.support.applications import serve_on_loopback
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.more
SAMPLES = 10
"""Samples of each eval: far more answers than there are when the provider is stopped."""
SEVERAL = ("--samples", str(SAMPLES))
PUBLISHED = ("--publish", "--why", "a test's own run")


def test_two_runners_lose_nothing_while_the_server_is_away(
    suite: Path, central: DataFolder, tmp_path: Path, slow_provider: SlowProvider
) -> None:
    """The server is killed after the first attempts, and comes back while the runners go on.

    Meanwhile the model does not answer, so that no run ends before the server is back.
    """
    key = sending.make_key(central)
    data_folders = [tmp_path / name for name in ("one", "two")]
    with ServerProcess(central.root) as server:
        runners = [
            sending.start_runner(suite, data, server.address, key, *SEVERAL, provider=slow_provider)
            for data in data_folders
        ]
        with sending.stop_midway(slow_provider):
            sending.wait_for_first(central)
            server.kill()
        beginnings = [sending.read_output_until("is away", process) for process in runners]
        with slow_provider.pause():
            server.start()
        outputs = [
            text + sending.read_output_until(None, process)
            for text, process in zip(beginnings, runners, strict=True)
        ]
    assert [process.returncode for process in runners] == [0, 0], outputs
    for data, text in zip(data_folders, outputs, strict=True):
        sending.assert_same(data, central)
        assert key not in text
        assert len(read_local_run(data).attempts) == SAMPLES * sending.EVALS
    assert check_all(central) == []
    _assert_no_file_holds(key, tmp_path)


def test_unsent_results_are_sent_later(suite: Path, central: DataFolder, tmp_path: Path) -> None:
    """The server is away all the time: the run is whole and waits, and the exit code is 3."""
    key, data = sending.make_key(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        server.kill()
        run = sending.start_runner(suite, data, server.address, key)
        output = sending.end_runner(run, 3)
        assert "is away" in output
        assert "leaderboard send" in output
        assert read_local_run(data).status == "completed"
        (note,) = sending.list_waiting_notes(data)
        assert json.loads(note.read_text())["address"] == server.address
        sending.send(data, key, code=3)
        server.start()
        done = sending.send(data, key)
        assert (done.returncode, done.stderr) == (0, "")
        sending.assert_same(data, central)
        again = sending.send(data, key)
        assert (again.returncode, again.stdout) == (0, "nothing waits to be sent\n")
        sending.send(data, key, read_local_run(data).run_id[:8], "--to", server.address, code=0)
        sending.assert_same(data, central)


@pytest.mark.parametrize("case", ["wrong", "production", "revoked", "none", "nonsense"])
def test_a_key_that_does_not_do_ends_the_run_before_anything_is_asked(
    suite: Path, central: DataFolder, tmp_path: Path, case: str
) -> None:
    """The exit code is 2; the message names the fault of the key, and no run is begun."""
    key = {
        "wrong": "osk_" + "0" * 40,
        "production": sending.make_key(central, "production"),
        "revoked": sending.make_key(central),
        "none": "",
        "nonsense": "hunter2",
    }[case]
    KeyStore(central.keys_file).revoke("development")
    data = tmp_path / "mine"
    with serve_on_loopback(build_api_app(central)) as address:
        output = sending.end_runner(sending.start_runner(suite, data, address, key), 2)
    expected = {
        "wrong": "a valid key is needed",
        "production": "the runner states development",
        "revoked": "a valid key is needed",
        "none": f"{KEY_VARIABLE} is not set",
        "nonsense": f"{KEY_VARIABLE} is no key of a server",
    }[case]
    assert expected in output
    assert list(DataFolder(data).local.list_run_files()) == []
    assert list(DataFolder(data).local.list_journal_files()) == []
    assert sending.list_waiting_notes(data) == []
    assert not key or key not in output


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://scores.example.org", "would send the key unencrypted"),
        ("https://osk_abc@scores.example.org", "an address holds no key"),
        ("scores.example.org", "is no address"),
        ("https://", "is no address"),
        ("ftp://127.0.0.1", "is no address"),
        ("http://127.0.0.1:99999", "is no address"),
        ("http://127.0.0.1/?key=osk_a", "is no address"),
    ],
)
def test_addresses_that_do_not_do(suite: Path, tmp_path: Path, address: str, reason: str) -> None:
    """The exit code is 2, and nothing is sent anywhere."""
    run = sending.start_runner(suite, tmp_path / "mine", address, "osk_" + "0" * 40)
    assert reason in sending.end_runner(run, 2)


def test_a_server_that_is_none(suite: Path, tmp_path: Path, central: DataFolder) -> None:
    """An address without an API is named in the error, and the run ends with 2."""
    key = sending.make_key(central)
    with serve_on_loopback(build_api_app(central)) as address:
        run = sending.start_runner(suite, tmp_path / "mine", f"{address}/elsewhere", key)
        assert "there is nothing at this address" in sending.end_runner(run, 2)
        assert httpx.get(f"{address}/api/docs").is_success


@pytest.mark.parametrize(
    "stop", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.night)]
)
def test_a_runner_that_is_stopped_goes_on(
    suite: Path,
    central: DataFolder,
    tmp_path: Path,
    slow_provider: SlowProvider,
    stop: signal.Signals,
) -> None:
    """A killed run is sent in part, a stopped run with its end; a resume sends the rest."""
    key, data = sending.make_key(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        run = sending.start_runner(
            suite, data, server.address, key, *SEVERAL, provider=slow_provider
        )
        with sending.stop_midway(slow_provider):
            sending.wait_for_first(central)
            run.send_signal(stop)
        sending.end_runner(run, -stop if stop is signal.SIGKILL else 3)
        half = read_local_run(data)
        assert half.status == ("running" if stop is signal.SIGKILL else "aborted")
        if stop is signal.SIGINT:
            sending.assert_same(data, central)
        run_command(
            *("run", "--resume", half.run_id, "--evals", suite, "--data", data),
            *("--report-to", server.address, "--api-base", slow_provider.address),
            variables={KEY_VARIABLE: key},
            cwd=tmp_path,
            before=sending.AS_RUNNER,
            code=0,
        )
    assert len(read_local_run(data).attempts) == SAMPLES * sending.EVALS
    sending.assert_same(data, central)
    assert check_all(central) == []


def test_a_run_that_has_ended_is_sent_by_resuming_it(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """A runner killed between its last attempt and its last request only sends that request."""
    key, data = sending.make_key(central), tmp_path / "mine"

    def run(*asked: str, code: int = 0) -> Ended:
        return run_command(
            *("run", *asked, "--evals", suite, "--data", data),
            variables={KEY_VARIABLE: key},
            cwd=tmp_path,
            before=sending.AS_RUNNER,
            code=code,
        )

    run("-m", "empty")
    run_id = read_local_run(data).run_id
    with ServerProcess(central.root) as server:
        resuming = ("--resume", run_id, "--report-to", server.address)
        resumed = run(*resuming)
        assert f"nothing is left to do of run {run_id}\n{run_id}: sent\n" in resumed.stdout
        sending.assert_same(data, central)
        again = run(*resuming, "--json")
        assert f"{run_id}: sent\n" in again.stderr
        assert json.loads(again.stdout)
        server.kill()
        away = run(*resuming, code=3)
        assert f"{run_id}: {server.address} is away" in away.stdout


def _assert_no_file_holds(key: str, root: Path) -> None:
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if path.is_file():
                assert key.encode() not in path.read_bytes(), path


def run_check(data: Path, *options: str, code: int | None = None) -> Ended:
    """Check a data folder."""
    return run_command("check", "--data", str(data), *options, code=code)


def test_check_names_runs_that_wait_to_be_sent(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """Waiting runs and notes without a run are listed; a damaged note is a problem."""
    key, data = sending.make_key(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        server.kill()
        sending.end_runner(sending.start_runner(suite, data, server.address, key), 3)
        run, (note,) = read_local_run(data), sending.list_waiting_notes(data)
        listing = run_check(data, code=0)
        run_check(data, "--strict", code=1)
        line = f"{note}: waits to be sent to {server.address}; "
        assert f"{line}leaderboard send {run.run_id} --data {data}\n" in listing.stdout
        stray = note.with_name(note.name.replace(run.run_id, "a" * 32))
        stray.write_text(note.read_text().replace(run.run_id, "a" * 32))
        assert f"{stray}: its run is not here" in run_check(data).stdout
        stray.write_text("{}")
        bad = run_check(data, code=1)
        assert f"{stray}: " in bad.stdout
        assert f"leaderboard send {'a' * 32} --to URL" in bad.stdout
        stray.unlink()
        server.start()
        sending.send(data, key, code=0)
    quiet = run_check(data)
    assert (quiet.returncode, "outbox" in quiet.stdout) == (0, False)


def test_check_names_damaged_files_of_the_inbox(
    suite: Path, central: DataFolder, tmp_path: Path, slow_provider: SlowProvider
) -> None:
    """The proposed repairs work: after them the runner sends missing attempts, and none is lost."""
    key, data = sending.make_key(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        run = sending.start_runner(
            suite, data, server.address, key, *SEVERAL, provider=slow_provider
        )
        with sending.stop_midway(slow_provider):
            sending.wait_for_first(central)
            run.kill()
        run.communicate()
        server.kill()
        run_check(central.root, code=0)
        (entry, *_) = sorted(central.inbox.glob("*/[0-9]*.json"))
        entry.write_bytes(entry.read_bytes()[:-20])
        stray = entry.with_name("000-elsewhere.001-b.1.json")
        stray.write_text("{}")
        (empty := central.inbox / ("a" * 32)).mkdir()
        (half := central.inbox / f".{'b' * 32}.done").mkdir()
        bad = run_check(central.root, code=1)
        assert f"{entry}: " in bad.stdout
        assert "remove it, and its runner sends the attempt again" in bad.stdout
        assert f"{stray}: is no attempt that the run plans: remove it" in bad.stdout
        for path in (empty, half):
            assert f"{path}: left by a killed server" in bad.stdout
        plan = entry.with_name("run.json")
        whole = plan.read_bytes()
        plan.write_text("{}")
        assert (
            "remove the folder, and its runner sends the run anew" in run_check(central.root).stdout
        )
        plan.write_bytes(whole)
        for path in (entry, stray):
            path.unlink()
        empty.rmdir()
        server.start()
        assert not half.exists()
        run_check(central.root, code=0)
        sending.send(data, key, code=0)
    assert len(list(central.inbox.glob("*/[0-9]*.json"))) > 0
    assert entry.exists()


@pytest.fixture
def minted(suite: Path, central: DataFolder, tmp_path: Path) -> Path:
    """Return a runner's data folder; its version is minted there, and at the server."""
    data = tmp_path / "mine"
    run_command("suite", "mint", "--evals", str(suite), "--data", str(data), code=0)
    shutil.copytree(data / "benchmarks", central.root / "benchmarks")
    return data


@pytest.mark.night
def test_a_published_run_is_published_at_the_server(
    suite: Path, central: DataFolder, minted: Path, slow_provider: SlowProvider
) -> None:
    """With a production key, a run ends among the server's published records only."""
    key = sending.make_key(central, "production")
    with ServerProcess(central.root) as server:
        run = sending.start_runner(
            suite,
            minted,
            server.address,
            key,
            *PUBLISHED,
            provider=slow_provider,
            before=sending.GRADING_RUNNER,
        )
        sending.end_runner(run, 0)
        reader = KeyStore(central.keys_file).create("reader", ("runs:read",), None, "production")
        asking = {"Authorization": f"Bearer {reader}"}
        listed = httpx.get(f"{server.address}/api/runs", headers=asking).raise_for_status()
    (mine,) = DataFolder(minted).list_run_files()
    assert list(DataFolder(minted).local.list_run_files()) == []
    made = read_run(mine)
    assert (made.status, len(made.attempts)) == ("completed", sending.EVALS)
    (theirs,) = central.list_run_files()
    # Only the runner knows the reason for publishing, which a program with changes needs.
    assert read_run(theirs) == made.model_copy(update={"published_because": None})
    assert list(central.local.list_run_files()) == []
    assert [row["run_id"] for row in listed.json()["runs"]] == [made.run_id]
    assert sending.list_waiting_notes(minted) == []
    problems = check_all(central)
    assert [problem for problem in problems if problem.field != "published_because"] == []


def test_a_development_key_publishes_nothing(
    suite: Path, central: DataFolder, minted: Path, slow_provider: SlowProvider
) -> None:
    """The run is refused before any model is asked; a run on disk waits for a valid key."""
    development, production = sending.make_key(central), sending.make_key(central, "production")
    with ServerProcess(central.root) as server:
        arguments = (suite, minted, server.address, development, *PUBLISHED)
        refused_run = sending.start_runner(*arguments, provider=slow_provider)
        output = sending.end_runner(refused_run, 2)
        assert "the key development is of the channel development" in output
        assert "the runner states production" in output
        assert slow_provider.list_asked() == []
        assert [*DataFolder(minted).list_run_files(), *sending.list_waiting_notes(minted)] == []
        server.kill()
        sending.end_runner(sending.start_runner(*arguments, provider=slow_provider), 3)
        server.start()
        (mine,) = DataFolder(minted).list_run_files()
        before = mine.read_bytes()
        refused = sending.send(minted, development, code=2)
        assert "the runner states production" in refused.stdout + refused.stderr
        assert [*central.list_run_files(), *central.local.list_run_files()] == []
        assert mine.read_bytes() == before
        assert len(sending.list_waiting_notes(minted)) == 1
        sending.send(minted, production, code=0)
    (theirs,) = central.list_run_files()
    assert read_run(theirs) == read_run(mine).model_copy(update={"published_because": None})
    assert sending.list_waiting_notes(minted) == []
