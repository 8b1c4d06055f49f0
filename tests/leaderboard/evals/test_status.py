"""`leaderboard evals status`: the user's own runs together, and the command to go on."""

import json
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.writer import write_run
from runner.evals.discovery import discover
from runner.runs.plan import make_experiment_setup
from runner.suite.mint import make_benchmark
from tests.leaderboard.commanding import PATIENCE_S
from tests.runner.conftest import write_prose_suite
from tests.runner.runs.test_history import FAILED, NOT_RUN, PASSED, make_run_on_day
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A suite of three evals, and records of a model, a stopped run and a shipped baseline."""
    root, folder = tmp_path_factory.mktemp("suite"), tmp_path_factory.mktemp("data")
    write_prose_suite(root, 3)
    suite, data = discover(root), DataFolder(folder)
    first, second, third = (evaluation.name for evaluation in suite.evals)
    same = {
        "benchmark_version": make_benchmark(suite).version,
        "experiment": make_experiment_setup(suite, None, None).make_experiment(),
    }
    shipped = make_run_on_day(
        0, {first: FAILED, second: FAILED, third: FAILED}, "baseline/stub", **same
    )
    model = shipped.model.model_copy(update={"kind": "baseline", "litellm_id": None})
    write_run(data, shipped.model_copy(update={"model": model}))
    write_run(data, make_run_on_day(1, {first: PASSED}, "aaa/published", **same))
    write_run(data.local, make_run_on_day(2, {first: PASSED, second: FAILED}, "local/mine", **same))
    write_run(
        data.local, make_run_on_day(3, {second: NOT_RUN, third: NOT_RUN}, "local/mine", **same)
    )
    write_run(data.local, make_run_on_day(4, {first: NOT_RUN}, "local/new", **same))
    return root, folder


def run_status(places: tuple[Path, Path], *arguments: str, inside: bool = True) -> str:
    """Return the output of the command; with ``inside`` the folders come after ``status``."""
    where = ["--evals", str(places[0]), "--data", str(places[1])]
    parts = ["status", *where] if inside else [*where, "status"]
    ended = run_command("evals", *parts, *arguments, timeout=PATIENCE_S)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_own_runs_stand_first_and_shipped_baselines_only_where_asked(
    places: tuple[Path, Path],
) -> None:
    """Baselines fail by design: 140 of their lines would hide the user's own three."""
    output = run_status(places)
    assert output.index("local/mine default") < output.index("aaa/published default")
    assert "baseline/stub" not in output
    assert "baseline/stub default: 0 of 3 passed" in run_status(places, "-m", "stub")


def test_runs_are_reported_together_and_can_go_on(
    places: tuple[Path, Path],
) -> None:
    """The stopped run takes nothing away; the command to go on has a line of its own."""
    output = run_status(places, "-m", "local/mine", inside=False)
    assert "local/mine default: 1 of 2 passed, 1 eval not run yet" in output
    assert "run dddddddd has 2 attempts left" in output
    root, folder = places
    hint = f"leaderboard run --resume dddddddd --api-base URL --evals {root} --data {folder}"
    assert [line for line in output.splitlines() if line.endswith(hint)]


def test_the_last_line_sums_up_all_that_is_shown(places: tuple[Path, Path]) -> None:
    """The last line of a thousand is the most visible line, so it is the summary."""
    *_, last = run_status(places).splitlines()
    assert last == (
        "In all, 3 models under 1 experiment: 2 of 3 passed, 6 evals not run yet; "
        "3 attempts left in 2 runs"
    )
    *_, last = run_status(places, "-m", "local/mine").splitlines()
    assert last == (
        "In all, 1 model under 1 experiment: 1 of 2 passed, 1 eval not run yet; "
        "2 attempts left in 1 run"
    )


def test_runs_stand_in_a_line_each(places: tuple[Path, Path]) -> None:
    """Each run is a line, without lines for attempts; a stopped run is not completed."""
    *lines, last = run_status(places, "--runs").splitlines()
    days = [line[10:20] for line in lines]
    assert [line.replace(day, "DAY") for line, day in zip(lines, days, strict=True)] == [
        "cccccccc  DAY  local/mine default: completed; 1 failed, 1 passed",
        "dddddddd  DAY  local/mine default: stopped; nothing judged; 2 left",
        "eeeeeeee  DAY  local/new default: stopped; nothing judged; 1 left",
        "bbbbbbbb  DAY  aaa/published default: completed; 1 passed",
    ]
    assert last.startswith("In all, 3 models under 1 experiment: ")
    failed = run_status(places, "--runs", "--failed").splitlines()
    assert [line[:8] for line in failed[:-1]] == ["cccccccc", "dddddddd", "eeeeeeee"]
    rows = json.loads(run_status(places, "--runs", "-m", "local/mine", "--json"))
    assert [(row["run_id"], row["status"], row["outcomes"], row["left"]) for row in rows] == [
        ("c" * 32, "completed", {"failed": 1, "passed": 1}, 0),
        ("d" * 32, "aborted", {}, 2),
    ]


def test_where_nothing_ran_nothing_is_reported_to_have_failed(places: tuple[Path, Path]) -> None:
    """0 of 0, or of 3, would read like a verdict."""
    output = run_status(places, "-m", "local/new", "--failed")
    assert "local/new default: 3 evals not run yet" in output
    assert "passed" not in output
    assert "not_run" not in output


def test_rows_can_be_chosen_as_in_run(places: tuple[Path, Path]) -> None:
    """-m, -f, -e and --failed choose rows, for people and machines alike."""
    rows = json.loads(
        run_status(places, "-m", "local/mine,aaa/published", "-f", "000-task", "--json")
    )
    assert [(row["model"], row["outcome"]) for row in rows] == [
        ("local/mine", "passed"),
        ("aaa/published", "passed"),
    ]
    assert json.loads(run_status(places, "-e", "no_guidelines", "--json")) == []
    failed = json.loads(run_status(places, "--failed", "--json"))
    assert [(row["model"], row["eval"][-8:]) for row in failed] == [("local/mine", "001-task")]
