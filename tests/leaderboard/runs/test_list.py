"""`leaderboard runs`: a list of all runs with state and place, and single runs with failures."""

import json
import shlex
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.entries import make_opening_entry
from records.journal.journal import Journal
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.writer import write_run
from tests.leaderboard.commanding import Terminal, run_on_data
from tests.records import examples
from tests.support.warm_command import run_command

pytestmark = pytest.mark.integration


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a data folder with a minted version and no run."""
    return examples.write_runs(DataFolder(tmp_path / "data"))


def write(folder: DataFolder, letter: str, **changes: object) -> Run:
    """Write a run of the whole example version."""
    run = examples.make_run(letter * 32).model_copy(update=changes)
    write_run(folder, run)
    return run


def list_run_rows(data: DataFolder, *arguments: str) -> dict[str, dict[str, object]]:
    """Return the rows of a list by the first letters of their runs' ids."""
    rows = json.loads(run_on_data(data, "runs", "list", *arguments, "--json").stdout)
    return {row["run_id"][0]: row for row in rows}


def test_runs_are_listed_with_state_and_place(data: DataFolder) -> None:
    """Published, local, withdrawn, interrupted and current runs are listed."""
    published = write(data, "a")
    write(data.local, "b", status="aborted", attempts=published.attempts[:1])
    interrupted, going = write(data.local, "c"), write(data.local, "d")
    for run in (interrupted, going):
        path = data.local.get_journal_file(*run.key)
        examples.create_journal(path, make_opening_entry(run)).close()
    with Journal.open(data.local.get_journal_file(*going.key)):
        rows = list_run_rows(data)
        assert {letter: (row["state"], row["where"]) for letter, row in rows.items()} == {
            "a": ("complete", "published"),
            "b": ("stopped", "local"),
            "c": ("interrupted", "local"),
            "d": ("going", "local"),
        }
        assert set(list_run_rows(data, "--state", "going", "--state", "stopped")) == {"b", "d"}
        assert rows["d"]["resume"] is None
    assert set(list_run_rows(data, "--where", "published")) == {"a"}
    assert set(list_run_rows(data, "-m", "nobody/none")) == set()
    assert set(list_run_rows(data, "-m", published.model.slug, "-e", "default")) == set("abcd")
    assert set(list_run_rows(data, "-e", "no_guidelines")) == set()
    table = run_on_data(data, "runs", "list").stdout
    resume = f"run --resume cccccccc --data {data.root}"
    assert resume in table
    assert shlex.split(str(rows["c"]["resume"]))[-4:] == shlex.split(resume)[-4:]


def test_the_newest_run_is_first_and_counts_are_those_of_its_record(data: DataFolder) -> None:
    """The table has id, model, experiment, day, version, passed of planned, cost and report."""
    run = write(data, "a")
    later = run.started_at
    assert later is not None
    later = later.replace(year=later.year + 1)
    newer = write(data.local, "b", started_at=later, date=later.date())
    head, first, second = run_on_data(data, "runs", "list").stdout.splitlines()
    assert head.split() == (
        [
            "run",
            "model",
            "experiment",
            "day",
            "version",
            "passed",
            "cost",
            "state",
            "where",
            "report",
        ]
    )
    passed = sum(attempt.outcome is Outcome.PASSED for attempt in newer.attempts)
    assert first.split()[:5] == [
        *("b" * 8, newer.model.slug, "default", str(newer.date), newer.benchmark_version)
    ]
    assert first.split()[5] == f"{passed}/{len(newer.planned) * newer.samples}"
    assert second.split()[0] == "a" * 8


def test_the_day_of_an_import_is_named_as_such(data: DataFolder) -> None:
    """Nobody reads that a model was asked on the day on which its results were imported."""
    origin = examples.make_imported(importer="csv", source="table.csv", day_of_import=True)
    run = write(data, "a", provenance=origin, started_at=None, finished_at=None)
    assert f"imported {run.date}" in run_on_data(data, "runs", "list").stdout
    assert list_run_rows(data)["a"]["day_of_import"] is True
    lines = [line.split() for line in run_on_data(data, "runs", "show", "aaaa").stdout.splitlines()]
    assert ["imported:", f"{run.date}"] in lines
    assert not [line for line in lines if line[:1] == ["begun:"]]


def test_a_table_fits_a_terminal(data: DataFolder) -> None:
    """Names are cut, the version is left out; ids and states stay whole."""
    write(data, "a")
    with Terminal(["runs", "--data", str(data.root)], columns=80) as terminal:
        assert terminal.wait_for_end() == 0
        lines = terminal.text.replace("\r", "").splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("a" * 8)
    assert "complete  published" in lines[1]


def test_a_run_is_shown_with_its_failures_and_next_steps(data: DataFolder) -> None:
    """Each failed attempt is shown with step and reason; a local run can be published."""
    made = examples.make_run("b" * 32).attempts
    attempts = [
        item.model_copy(update={"reason": "\n"}) if item.outcome is Outcome.FAILED else item
        for item in made
    ]
    run = write(data.local, "b", attempts=tuple(attempts))
    failed = [item for item in run.attempts if item.outcome is Outcome.FAILED]
    assert failed, "the example has some"
    output = run_on_data(data, "runs", "show", "bbbb").stdout
    for attempt in failed:
        (line,) = [item for item in output.splitlines() if item.split()[:1] == [attempt.eval]]
        assert attempt.failed_step is None or attempt.failed_step.value in line
        assert line.endswith("no reason was recorded")
    assert str(data.local.get_run_file(*run.key)) in output
    assert f"report bbbbbbbb --data {data.root}\n" in output
    assert f"publish bbbbbbbb --data {data.root}" in output
    values = json.loads(run_on_data(data, "runs", "show", "bbbb", "--json").stdout)
    assert [item["eval"] for item in values["not_passed"] if item["outcome"] == "failed"] == [
        item.eval for item in failed
    ]
    assert values["outcomes"]["failed"] == len(failed)


def test_a_record_that_cannot_be_read_is_reported_and_the_others_are_listed(
    data: DataFolder,
) -> None:
    """The command ends with 1."""
    run = write(data, "a")
    data.get_run_file(run.model.slug, "b" * 32).write_text("{}")
    done = run_command("runs", "--data", data.root, code=1)
    assert "bbbbbbbb is left out" in done.stderr
    assert "aaaaaaaa" in done.stdout


def test_a_folder_without_runs_is_reported(data: DataFolder) -> None:
    """A folder without runs has a message, and is an empty list in JSON."""
    assert "no run" in run_on_data(data, "runs", "list").stdout
    assert list_run_rows(data) == {}
