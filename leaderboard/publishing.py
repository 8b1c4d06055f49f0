"""`leaderboard publish` and `leaderboard withdraw` once their options are read."""

from collections.abc import Sequence
from pathlib import Path

from generator.diff.data import DataState, diff_data
from generator.diff.markdown import SiteLinks, data_markdown
from leaderboard.exits import DONE
from leaderboard.people import git_user
from leaderboard.pinned_version import find_pin_behind
from leaderboard.streams import say
from records.folder import DataFolder
from records.reader import read_run
from runner.runs.publish import publish, withdraw
from runner.runs.trials import publish_trials


def publish_runs(beginnings: Sequence[str], why: str | None, data_root: Path) -> int:
    """Publish the local runs whose ids begin so; say what that changes."""
    data = DataFolder(data_root)
    runs = [read_run(data.local.find_run(beginning)) for beginning in beginnings]
    before = DataState.of("before", data)
    for run in runs:
        say(publish(data, run, why))
    for trial in publish_trials(data):
        say(data.trial_file(trial))
    _say_changes(before, data)
    return DONE


def withdraw_run(beginning: str, why: str, by: str | None, data_root: Path) -> int:
    """Withdraw a published run; say what that changes."""
    data = DataFolder(data_root)
    path = data.find_run(beginning)
    before = DataState.of("before", data)
    withdraw(data, read_run(path), by or git_user("--by"), why)
    say(path)
    _say_changes(before, data)
    return DONE


def _say_changes(before: DataState, data: DataFolder) -> None:
    found = diff_data(before, DataState.of("after", data))
    _, _, text = data_markdown(found, SiteLinks(None)).partition("\n")
    say(f"\n{text}")
    if behind := find_pin_behind(data):
        say(behind, err=True)
