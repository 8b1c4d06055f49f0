"""`leaderboard run --publish --report-to`: runs that are published at a server."""

import shutil
from pathlib import Path

import httpx
import pytest

from leaderboard.api.keys import KeyStore
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_run
from tests.leaderboard.api.processes import ServerProcess
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.delivery.sending import (
    EVALS,
    GRADING_RUNNER,
    list_waiting_notes,
    make_key,
    send,
    start_runner,
)
from tests.runner.conftest import SlowProvider
from tests.support.warm_command import run_command

pytestmark = pytest.mark.more


@pytest.fixture
def minted(suite: Path, central: DataFolder, tmp_path: Path) -> Path:
    """Return a runner's data folder; its version is minted there, and at the server."""
    data = tmp_path / "mine"
    assert run_command("suite", "mint", "--evals", str(suite), "--data", str(data)).returncode == 0
    shutil.copytree(data / "benchmarks", central.root / "benchmarks")
    return data


@pytest.mark.night
def test_a_published_run_is_published_at_the_server(
    suite: Path, central: DataFolder, minted: Path, slow_provider: SlowProvider
) -> None:
    """With a production key, a run ends among the server's published records only."""
    key = make_key(central, "production")
    options = ("--publish", "--why", "a test's own run", "--api-base", slow_provider.address)
    with ServerProcess(central.root) as server:
        arguments = (suite, minted, server.address, key)
        run = start_runner(*arguments, *options, model="openai/slow", before=GRADING_RUNNER)
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 0, output
        reader = KeyStore(central.keys_file).create("reader", ("runs:read",), None, "production")
        asking = {"Authorization": f"Bearer {reader}"}
        listed = httpx.get(f"{server.address}/api/runs", headers=asking).raise_for_status()
    (mine,) = DataFolder(minted).list_run_files()
    assert list(DataFolder(minted).local.list_run_files()) == []
    made = read_run(mine)
    assert (made.status, len(made.attempts)) == ("completed", EVALS)
    (theirs,) = central.list_run_files()
    # Only the runner knows the reason for publishing, which a program with changes needs.
    assert read_run(theirs) == made.model_copy(update={"published_because": None})
    assert list(central.local.list_run_files()) == []
    assert [row["run_id"] for row in listed.json()["runs"]] == [made.run_id]
    assert list_waiting_notes(minted) == []
    problems = check_all(central)
    assert [problem for problem in problems if problem.field != "published_because"] == []


def test_a_development_key_publishes_nothing(
    suite: Path, central: DataFolder, minted: Path, slow_provider: SlowProvider
) -> None:
    """The run is refused before any model is asked; a run on disk waits for a valid key."""
    development, production = make_key(central), make_key(central, "production")
    options = ("--publish", "--why", "a test's own run", "--api-base", slow_provider.address)
    with ServerProcess(central.root) as server:
        run = start_runner(
            suite, minted, server.address, development, *options, model="openai/slow"
        )
        output = run.communicate(timeout=5 * PATIENCE_S)[0]
        assert run.returncode == 2, output
        assert "the key development is of the channel development" in output
        assert "the runner states production" in output
        assert slow_provider.list_asked() == []
        assert [*DataFolder(minted).list_run_files(), *list_waiting_notes(minted)] == []
        server.kill()
        away = start_runner(
            suite, minted, server.address, development, *options, model="openai/slow"
        )
        output = away.communicate(timeout=5 * PATIENCE_S)[0]
        assert away.returncode == 3, output
        server.start()
        (mine,) = DataFolder(minted).list_run_files()
        before = mine.read_bytes()
        refused = send(minted, development)
        assert refused.returncode == 2
        assert "the runner states production" in refused.stdout + refused.stderr
        assert [*central.list_run_files(), *central.local.list_run_files()] == []
        assert mine.read_bytes() == before
        assert len(list_waiting_notes(minted)) == 1
        assert send(minted, production).returncode == 0
    (theirs,) = central.list_run_files()
    assert read_run(theirs) == read_run(mine).model_copy(update={"published_because": None})
    assert list_waiting_notes(minted) == []
