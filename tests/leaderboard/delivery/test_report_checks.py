"""`leaderboard check` on runs that wait to be sent, and on runs that a server receives."""

from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.delivery.sending import (
    list_waiting_notes,
    make_key,
    send,
    start_runner,
    stop_midway,
    wait_for_first,
)
from tests.records.reading import read_local_run
from tests.runner.conftest import SlowProvider
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.more


def run_check(data: Path, *options: str) -> Ended:
    """Check a data folder."""
    return run_command("check", "--data", str(data), *options)


def test_check_names_runs_that_wait_to_be_sent(
    suite: Path, central: DataFolder, tmp_path: Path
) -> None:
    """Waiting runs and notes without a run are listed; a damaged note is a problem."""
    key, data = make_key(central), tmp_path / "mine"
    with ServerProcess(central.root) as server:
        server.kill()
        start_runner(suite, data, server.address, key).communicate(timeout=5 * PATIENCE_S)
        run, (note,) = read_local_run(data), list_waiting_notes(data)
        listing = run_check(data)
        assert listing.returncode == 0
        assert run_check(data, "--strict").returncode == 1
        line = f"{note}: waits to be sent to {server.address}; "
        assert f"{line}leaderboard send {run.run_id} --data {data}\n" in listing.stdout
        stray = note.with_name(note.name.replace(run.run_id, "a" * 32))
        stray.write_text(note.read_text().replace(run.run_id, "a" * 32))
        assert f"{stray}: its run is not here" in run_check(data).stdout
        stray.write_text("{}")
        bad = run_check(data)
        assert bad.returncode == 1
        assert f"{stray}: " in bad.stdout
        assert f"leaderboard send {'a' * 32} --to URL" in bad.stdout
        stray.unlink()
        server.start()
        assert send(data, key).returncode == 0
    quiet = run_check(data)
    assert (quiet.returncode, "outbox" in quiet.stdout) == (0, False)


def test_check_names_damaged_files_of_the_inbox(
    suite: Path, central: DataFolder, tmp_path: Path, slow_provider: SlowProvider
) -> None:
    """The proposed repairs work: after them the runner sends missing attempts, and none is lost."""
    key, data = make_key(central), tmp_path / "mine"
    options = ("--api-base", slow_provider.address)
    with ServerProcess(central.root) as server:
        run = start_runner(
            suite, data, server.address, key, *options, "--samples", "10", model="openai/slow"
        )
        with stop_midway(slow_provider):
            wait_for_first(central)
            run.kill()
        run.communicate()
        server.kill()
        assert run_check(central.root).returncode == 0
        (entry, *_) = sorted(central.inbox.glob("*/[0-9]*.json"))
        entry.write_bytes(entry.read_bytes()[:-20])
        stray = entry.with_name("000-elsewhere.001-b.1.json")
        stray.write_text("{}")
        (empty := central.inbox / ("a" * 32)).mkdir()
        (half := central.inbox / f".{'b' * 32}.done").mkdir()
        bad = run_check(central.root)
        assert bad.returncode == 1
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
        assert run_check(central.root).returncode == 0
        assert send(data, key).returncode == 0
    assert len(list(central.inbox.glob("*/[0-9]*.json"))) > 0
    assert entry.exists()
