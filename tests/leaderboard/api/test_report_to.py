"""`leaderboard run --report-to` and `leaderboard send`, against a real server that goes away."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest

from leaderboard.api.app import application
from leaderboard.api.keys import KeyStore
from leaderboard.delivery.client import KEY_VARIABLE
from records.checks import check_all
from records.folder import DataFolder
from records.reader import read_run
from records.run import Run
from tests.applications import served_on_loopback
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.commanding import PATIENCE_S
from tests.runner.conftest import SlowProvider, write_prose_suite
from tests.warm_command import Ended, WarmCommand, environment, run_command

pytestmark = pytest.mark.integration

EVALS: Final = 6


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a suite of a few evals."""
    root = tmp_path_factory.mktemp("suite")
    write_prose_suite(root, EVALS)
    return root


@pytest.fixture
def central(tmp_path: Path) -> DataFolder:
    """Return the data folder of the server."""
    return DataFolder(tmp_path / "central")


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[SlowProvider]:
    """Serve a model that answers slowly enough to be interrupted."""
    started = SlowProvider(tmp_path)
    yield started
    started.end()


@contextmanager
def served(central: DataFolder) -> Generator[str]:
    """Serve the API where no server is killed; yield its address."""
    with served_on_loopback(application(central)) as address:
        yield address


def key_of(central: DataFolder, channel: str = "development") -> str:
    """Make a key that may send runs."""
    assert channel in {"development", "production"}
    store = KeyStore(central.keys_file)
    return store.create(channel, ("runs:write",), None, channel)  # pyright: ignore[reportArgumentType]


def runner(
    suite: Path, data: Path, address: str, key: str, *more: str, model: str = "empty"
) -> WarmCommand:
    """Start a run that is sent to a server; of a baseline, unless another model is given.

    It waits seconds for a server that is away when the run has ended.
    """
    places = ("--evals", str(suite), "--data", str(data))
    return WarmCommand(
        ["run", "-m", model, *places, "--report-to", address, *more],
        before="tests.leaderboard.api.impatient:wait_briefly",
        cwd=data.parent,
        env=environment(**{KEY_VARIABLE: key} if key else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def said_until(text: str | None, run: WarmCommand) -> str:
    """Return the output of a runner up to ``text``; without a text, up to its end."""
    assert run.stdout is not None
    lines: list[str] = []
    for line in run.stdout:
        lines.append(line)
        if text is not None and text in line:
            break
    else:
        run.communicate()
        assert text is None, lines
    return "".join(lines)


def send(data: Path, key: str, *more: str) -> Ended:
    """Send the waiting runs."""
    return run_command("send", "--data", str(data), *more, env=environment(**{KEY_VARIABLE: key}))


def local_run(data: Path) -> Run:
    """Return the only run of a runner."""
    (path,) = DataFolder(data).local.run_files()
    return read_run(path)


def received(central: DataFolder, run: Run) -> bytes:
    """Return the record that the server made of a run."""
    return central.local.run_file(run.model.slug, run.run_id).read_bytes()


def waiting(data: Path) -> Sequence[Path]:
    """Return the notes of runs that wait to be sent."""
    return list((data / "local" / "outbox").glob("*.json"))


def assert_same(data: Path, central: DataFolder) -> None:
    """The server has the runner's record, byte for byte, and its archive."""
    run = local_run(data)
    own = DataFolder(data).local
    mine = own.run_file(run.model.slug, run.run_id).read_bytes()
    assert received(central, run) == mine
    assert waiting(data) == []


def test_two_runners_lose_nothing_while_the_server_is_away(
    suite: Path, central: DataFolder, tmp_path: Path, provider: SlowProvider
) -> None:
    """The server is killed after the first attempts, and comes back while the runners go on.

    Meanwhile the model does not answer, so that no run ends before the server is back.
    """
    key = key_of(central)
    places = [tmp_path / name for name in ("one", "two")]
    options = ("--api-base", provider.address, "--samples", "10")
    with ServerProcess(central.root) as server:
        runners = [
            runner(suite, data, server.address, key, *options, model="openai/slow")
            for data in places
        ]
        with stopped_midway(provider):
            wait_for_first(central)
            server.kill()
        beginnings = [said_until("is away", process) for process in runners]
        with provider.stopped():
            server.start()
        outputs = [
            text + said_until(None, process)
            for text, process in zip(beginnings, runners, strict=True)
        ]
    assert [process.returncode for process in runners] == [0, 0], outputs
    for data, text in zip(places, outputs, strict=True):
        assert_same(data, central)
        assert key not in text
        assert len(local_run(data).attempts) == 10 * EVALS
    assert check_all(central) == []
    _assert_no_file_holds(key, tmp_path)


def test_what_could_not_be_sent_is_sent_later(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """The server is away all the time: the run is whole and waits, and the exit code is 3."""
    key, data = key_of(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        server.kill()
        run = runner(suite, data, server.address, key)
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 3, output
        assert "is away" in output
        assert "leaderboard send" in output
        assert local_run(data).status == "completed"
        (note,) = waiting(data)
        assert json.loads(note.read_text())["address"] == server.address
        away = send(data, key)
        assert away.returncode == 3
        server.start()
        done = send(data, key)
        assert (done.returncode, done.stderr) == (0, "")
        assert_same(data, central)
        again = send(data, key)
        assert (again.returncode, again.stdout) == (0, "nothing waits to be sent\n")
        by_id = send(data, key, local_run(data).run_id[:8], "--to", server.address)
        assert by_id.returncode == 0, by_id.stderr
        assert_same(data, central)


@pytest.mark.parametrize("case", ["wrong", "production", "revoked", "none", "nonsense"])
def test_a_key_that_does_not_do_ends_the_run_before_anything_is_asked(
    suite: Path, central: DataFolder, tmp_path: Path, case: str
) -> None:
    """The exit code is 2; the message names the fault of the key, and no run is begun."""
    key = {
        "wrong": "osk_" + "0" * 40,
        "production": key_of(central, "production"),
        "revoked": key_of(central),
        "none": "",
        "nonsense": "hunter2",
    }[case]
    KeyStore(central.keys_file).revoke("development")
    data = tmp_path / "mine"
    with served(central) as address:
        run = runner(suite, data, address, key)
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
    assert run.returncode == 2, output
    expected = {
        "wrong": "a key that holds is needed",
        "production": "the runner states development",
        "revoked": "a key that holds is needed",
        "none": f"{KEY_VARIABLE} is not set",
        "nonsense": f"{KEY_VARIABLE} is no key of a server",
    }[case]
    assert expected in output
    assert list(DataFolder(data).local.run_files()) == []
    assert list(DataFolder(data).local.journal_files()) == []
    assert waiting(data) == []
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
    run = runner(suite, tmp_path / "mine", address, "osk_" + "0" * 40)
    output = run.communicate(timeout=5 * PATIENCE_S)[0]
    assert run.returncode == 2
    assert reason in output


def test_a_server_that_is_none(suite: Path, tmp_path: Path, central: DataFolder) -> None:
    """An address without an API is named in the error, and the run ends with 2."""
    key = key_of(central)
    with served(central) as address:
        run = runner(suite, tmp_path / "mine", f"{address}/elsewhere", key)
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 2
        assert "there is nothing at this address" in output
        assert httpx.get(f"{address}/api/docs").is_success


@pytest.mark.parametrize(
    "stop", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.night)]
)
def test_a_runner_that_is_stopped_goes_on(
    suite: Path,
    central: DataFolder,
    tmp_path: Path,
    provider: SlowProvider,
    stop: signal.Signals,
) -> None:
    """A killed run is sent in part, a stopped run with its end; a resume sends the rest."""
    key, data = key_of(central), tmp_path / "mine"
    options = ("--api-base", provider.address)
    with ServerProcess(central.root) as server:
        run = runner(
            suite, data, server.address, key, *options, "--samples", "20", model="openai/slow"
        )
        with stopped_midway(provider):
            wait_for_first(central)
            run.send_signal(stop)
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == (-stop if stop is signal.SIGKILL else 3), output
        half = local_run(data)
        assert half.status == ("running" if stop is signal.SIGKILL else "aborted")
        if stop is signal.SIGINT:
            assert_same(data, central)
        places = ("--evals", str(suite), "--data", str(data), "--report-to", server.address)
        resumed = run_command(
            "run",
            "--resume",
            half.run_id,
            *places,
            *options,
            env=environment(**{KEY_VARIABLE: key}),
            cwd=tmp_path,
        )
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert len(local_run(data).attempts) == 20 * EVALS
    assert_same(data, central)
    assert check_all(central) == []


def test_a_run_that_has_ended_is_sent_by_resuming_it(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """A runner killed between its last attempt and its last request only sends that request."""
    key, data = key_of(central), tmp_path / "mine"
    places = ("--evals", str(suite), "--data", str(data))

    def run(*asked: str) -> Ended:
        return run_command(
            "run", *asked, *places, env=environment(**{KEY_VARIABLE: key}), cwd=tmp_path
        )

    assert run("-m", "empty").returncode == 0
    run_id = local_run(data).run_id
    with ServerProcess(central.root) as server:
        resuming = ("--resume", run_id, "--report-to", server.address)
        resumed = run(*resuming)
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
        assert f"nothing is left to do of run {run_id}\n{run_id}: sent\n" in resumed.stdout
        assert_same(data, central)
        again = run(*resuming, "--json")
        assert again.returncode == 0
        assert f"{run_id}: sent\n" in again.stderr
        assert json.loads(again.stdout)
        server.kill()
        away = run(*resuming)
        assert away.returncode == 3
        assert f"{run_id}: {server.address} is away" in away.stdout


def wait_for_first(central: DataFolder) -> None:
    """Wait until the server has an attempt."""
    until = time.monotonic() + 5 * PATIENCE_S
    while not list(central.inbox.glob("*/[0-9]*.json")):
        assert time.monotonic() < until
        time.sleep(0.02)


@contextmanager
def stopped_midway(provider: SlowProvider) -> Generator[None]:
    """Stop the provider inside the context, after the first answers: no run can end there."""
    until = time.monotonic() + 5 * PATIENCE_S
    while len(provider.asked()) < 2 * EVALS:
        assert time.monotonic() < until
        time.sleep(0.02)
    with provider.stopped():
        yield


def _assert_no_file_holds(key: str, root: Path) -> None:
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            if path.is_file():
                assert key.encode() not in path.read_bytes(), path


@pytest.fixture
def minted(suite: Path, central: DataFolder, tmp_path: Path) -> Path:
    """Return a runner's data folder; its version is minted there, and at the server."""
    data = tmp_path / "mine"
    assert run_command("suite", "mint", "--evals", str(suite), "--data", str(data)).returncode == 0
    shutil.copytree(data / "benchmarks", central.root / "benchmarks")
    return data


def test_a_published_run_is_published_at_the_server(
    suite: Path, central: DataFolder, minted: Path, provider: SlowProvider
) -> None:
    """With a production key, a run ends among the server's published records only."""
    key = key_of(central, "production")
    options = ("--publish", "--why", "a test's own run", "--api-base", provider.address)
    with ServerProcess(central.root) as server:
        run = runner(suite, minted, server.address, key, *options, model="openai/slow")
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 0, output
        reader = KeyStore(central.keys_file).create("reader", ("runs:read",), None, "production")
        asking = {"Authorization": f"Bearer {reader}"}
        listed = httpx.get(f"{server.address}/api/runs", headers=asking).raise_for_status()
    (mine,) = DataFolder(minted).run_files()
    assert list(DataFolder(minted).local.run_files()) == []
    made = read_run(mine)
    assert (made.status, len(made.attempts)) == ("completed", EVALS)
    (theirs,) = central.run_files()
    # Only the runner knows the reason for publishing; it is recorded if the program has changes.
    assert read_run(theirs) == made.model_copy(update={"published_because": None})
    assert list(central.local.run_files()) == []
    assert [row["run_id"] for row in listed.json()["runs"]] == [made.run_id]
    assert waiting(minted) == []
    assert check_all(central) == []


def test_a_development_key_publishes_nothing(
    suite: Path, central: DataFolder, minted: Path, provider: SlowProvider
) -> None:
    """The run is refused before any model is asked; a run on disk waits for a valid key."""
    development, production = key_of(central), key_of(central, "production")
    options = ("--publish", "--why", "a test's own run", "--api-base", provider.address)
    with ServerProcess(central.root) as server:
        run = runner(suite, minted, server.address, development, *options, model="openai/slow")
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 2, output
        assert "the key development is of the channel development" in output
        assert "the runner states production" in output
        assert provider.asked() == []
        assert [*DataFolder(minted).run_files(), *waiting(minted)] == []
        server.kill()
        away = runner(suite, minted, server.address, development, *options, model="openai/slow")
        output = away.communicate(timeout=5 * PATIENCE_S)[0]
        assert away.returncode == 3, output
        server.start()
        (mine,) = DataFolder(minted).run_files()
        before = mine.read_bytes()
        refused = send(minted, development)
        assert refused.returncode == 2
        assert "the runner states production" in refused.stdout + refused.stderr
        assert [*central.run_files(), *central.local.run_files()] == []
        assert mine.read_bytes() == before
        assert len(waiting(minted)) == 1
        assert send(minted, production).returncode == 0
    (theirs,) = central.run_files()
    assert read_run(theirs) == read_run(mine).model_copy(update={"published_because": None})
    assert waiting(minted) == []


def checked(data: Path, *options: str) -> Ended:
    """Check a data folder."""
    return run_command("check", "--data", str(data), *options)


def test_check_tells_what_waits_to_be_sent(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """Waiting runs and notes without a run are listed; a damaged note is a problem."""
    key, data = key_of(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        server.kill()
        runner(suite, data, server.address, key).communicate(timeout=5 * PATIENCE_S)
        run, (note,) = local_run(data), waiting(data)
        listing = checked(data)
        assert listing.returncode == 0
        assert checked(data, "--strict").returncode == 1
        line = f"{note}: waits to be sent to {server.address}; "
        assert f"{line}leaderboard send {run.run_id} --data {data}\n" in listing.stdout
        stray = note.with_name(note.name.replace(run.run_id, "a" * 32))
        stray.write_text(note.read_text().replace(run.run_id, "a" * 32))
        assert f"{stray}: its run is not here" in checked(data).stdout
        stray.write_text("{}")
        bad = checked(data)
        assert bad.returncode == 1
        assert f"{stray}: " in bad.stdout
        assert f"leaderboard send {'a' * 32} --to URL" in bad.stdout
        stray.unlink()
        server.start()
        assert send(data, key).returncode == 0
    quiet = checked(data)
    assert (quiet.returncode, "outbox" in quiet.stdout) == (0, False)


def test_check_tells_what_is_damaged_in_the_inbox(
    suite: Path, central: DataFolder, tmp_path: Path, provider: SlowProvider
) -> None:
    """The proposed repairs work: after them the runner sends missing attempts, and none is lost."""
    key, data = key_of(central), tmp_path / "mine"
    options = ("--api-base", provider.address)
    with ServerProcess(central.root) as server:
        run = runner(
            suite, data, server.address, key, *options, "--samples", "20", model="openai/slow"
        )
        with stopped_midway(provider):
            wait_for_first(central)
            run.kill()
        run.communicate()
        server.kill()
        assert checked(central.root).returncode == 0
        (entry, *_) = sorted(central.inbox.glob("*/[0-9]*.json"))
        entry.write_bytes(entry.read_bytes()[:-20])
        stray = entry.with_name("000-elsewhere.001-b.1.json")
        stray.write_text("{}")
        (empty := central.inbox / ("a" * 32)).mkdir()
        (half := central.inbox / f".{'b' * 32}.done").mkdir()
        bad = checked(central.root)
        assert bad.returncode == 1
        assert f"{entry}: " in bad.stdout
        assert "remove it, and its runner sends the attempt again" in bad.stdout
        assert f"{stray}: is no attempt that the run plans: remove it" in bad.stdout
        for path in (empty, half):
            assert f"{path}: left by a server that was killed" in bad.stdout
        plan = entry.with_name("run.json")
        whole = plan.read_bytes()
        plan.write_text("{}")
        assert (
            "remove the folder, and its runner sends the run anew" in checked(central.root).stdout
        )
        plan.write_bytes(whole)
        for path in (entry, stray):
            path.unlink()
        empty.rmdir()
        server.start()
        assert not half.exists()
        assert checked(central.root).returncode == 0
        assert send(data, key).returncode == 0
    assert len(list(central.inbox.glob("*/[0-9]*.json"))) > 0
    assert entry.exists()
