"""`leaderboard report`, as a maintainer uses it."""

import json
from pathlib import Path
from typing import Final

import pytest

from records.files.data_folder import DataFolder
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.writer import write_record, write_run
from tests.leaderboard.commanding import serve_provider
from tests.records import examples
from tests.support.warm_command import Ended, make_command_environment, run_command

pytestmark = pytest.mark.integration

RUN: Final = "a" * 32


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    """Return a published run of six evals; two of them failed."""
    folder = DataFolder(tmp_path / "data")
    write_record(folder.benchmarks, examples.make_benchmark())
    write_run(folder, examples.make_run(RUN, evals=6))
    return folder


def report(data: DataFolder, *arguments: str) -> Ended:
    """Run the command on the run in ``data``, over this suite."""
    return run_command(
        "report",
        RUN[:8],
        "--data",
        data.root,
        "--author",
        "me",
        *arguments,
        env=make_command_environment(OPENAI_API_KEY="sk-test"),
    )


def find_only_report(data: DataFolder) -> Path:
    """Return the only report in ``data``."""
    (path,) = data.list_report_files()
    return path


def test_a_report_is_begun(data: DataFolder) -> None:
    """The command names the file and the open failures; a second call names the next command."""
    made = report(data)
    assert made.returncode == 0, made.stderr
    path = find_only_report(data)
    assert made.stdout.splitlines()[:3] == [
        str(path),
        "2 of 2 failures have no class yet: leaderboard report aaaaaaaa --classify",
        "",
    ]
    again = report(data)
    assert again.returncode == 2
    run = read_report(path).run
    assert f"leaderboard report {run[:8]} --update brings it up to date" in again.stderr
    updated = report(data, "--update")
    assert updated.returncode == 0
    assert updated.stdout.startswith(f"{path}: brought up to date; classes and notes stay\n")


def test_an_update_without_a_report_writes_one(data: DataFolder) -> None:
    """The output has the path only, and not that an old report was updated."""
    made = report(data, "--update")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[0] == str(find_only_report(data))


def test_a_model_proposes_classes(data: DataFolder, tmp_path: Path) -> None:
    """Each proposal is in the report with its model; a reply without a proposal is reported."""
    proposed = {"class": "known_gap", "reason": "Indexes are missing, as in other answers."}
    rules = [
        {"match": "000-eval", "steps": [{"text": "no idea"}]},
        {"match": "<<<task>>>", "steps": [{"text": f"```json\n{json.dumps(proposed)}\n```"}]},
    ]
    script = {"rules": rules, "default": {"text": "It is the model's fault."}}
    with serve_provider(tmp_path / "provider", script) as address:
        made = report(data, "--draft-with", "openai/judge", "--api-base", address)
    assert made.returncode == 3, made.stdout + made.stderr
    assert "the reply holds no JSON object with a class and a reason" in made.stderr
    assert "known_gap is proposed" in made.stdout
    failures = read_report(find_only_report(data)).failures
    (proposal,) = [failure.proposal for failure in failures if failure.proposal]
    assert proposal.failure_class is FailureClass.KNOWN_GAP
    assert proposal.by == "local/judge"
    assert [failure.failure_class for failure in failures] == [None, None]


def test_machines_read_the_written_rows(data: DataFolder, tmp_path: Path) -> None:
    """JSON has the file, the failures and each proposal; questions on a terminal are refused."""
    row = json.loads(report(data, "--json").stdout)
    path = find_only_report(data)
    assert (row["run_id"], row["report"], row["is_new"]) == (RUN, str(path), True)
    assert (row["failures"], row["without_class"], row["proposals"]) == (2, 2, [])
    refused = report(data, "--classify", "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    proposed = {"class": "known_gap", "reason": "Indexes are missing, as in other answers."}
    rules = [{"match": "<<<task>>>", "steps": [{"text": "no idea"}]}]
    script = {"rules": rules, "default": {"text": f"```json\n{json.dumps(proposed)}\n```"}}
    with serve_provider(tmp_path / "provider", script) as address:
        options = ("--draft-with", "openai/judge", "--api-base", address)
        made = report(data, "--update", *options, "--json")
    assert made.returncode == 3, made.stderr
    row = json.loads(made.stdout)
    classes = {proposal["eval"]: proposal["class"] for proposal in row["proposals"]}
    assert sorted(classes.values(), key=str) == [None, "known_gap"]
    assert not row["is_new"]


def test_a_model_without_a_key_is_reported_before_anything_is_written(data: DataFolder) -> None:
    """The error names the variable of the key, and no report is written."""
    made = report(data, "--draft-with", "anthropic/claude-opus-5.5")
    assert made.returncode == 2
    assert "ANTHROPIC_API_KEY" in made.stderr
    assert list(data.list_report_files()) == []


def test_a_run_that_is_not_there(data: DataFolder) -> None:
    """The error names the run."""
    made = run_command("report", "zzzz", "--data", data.root)
    assert made.returncode == 2
    assert "'zzzz'" in made.stderr
