"""The work of `leaderboard publish` and `leaderboard withdraw`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from generator.diff.data_diff import DataDiff, DataState, diff_data
from generator.diff.description import describe_data, describe_moved, format_data_headline
from generator.diff.writers import TextWriter
from leaderboard.git import read_git_user
from leaderboard.pinned_version import find_pin_behind
from leaderboard.project import build_data_option
from leaderboard.terminal.shell_commands import format_command_line, say_next, suggest_commit
from leaderboard.terminal.streams import (
    ExitCode,
    ask,
    find_terminal_width,
    is_json,
    say,
    say_aside,
    say_result,
)
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.runs.carrying import find_takers
from records.runs.run_lookup import find_run
from records.shapes.run import Run
from records.text.numbers import round_half_up
from records.text.run_days import describe_day
from records.writer import write_run
from runner.errors import NotPublishableError
from runner.runs import publish
from runner.runs.trials import publish_trials


@dataclass(frozen=True, slots=True)
class EndedRuns:
    """Runs that have ended: the published runs, and the reasons why the others stay local."""

    paths: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """The records that were published, by the ids of their runs."""
    local: Mapping[str, str] = field(default_factory=dict[str, str])
    """The reasons why runs stay local, by the ids of the runs."""
    changes: DataDiff | None = None
    """The changes of the published records; None if no run was published."""
    files: Sequence[Path] = ()
    """All new files in the published folder."""


NOTHING_PUBLISHED = EndedRuns()


def publish_runs(beginnings: Sequence[str], why: str | None, data: DataFolder) -> int:
    """Publish the local runs whose ids have these beginnings, print the changes, return 0.

    All runs are checked before the first is published.
    """
    stored = {run.run_id: run for run in (find_run(data, beginning) for beginning in beginnings)}
    runs: list[Run] = []
    for stored_run in stored.values():
        # The local record of a published run is there if its publication was killed.
        record = data.local.get_run_file(stored_run.slug, stored_run.run_id)
        if not stored_run.is_local and not record.exists():
            raise NotPublishableError(
                f"run {stored_run.run_id} is published already: {stored_run.record}"
            )
        runs.append(stored_run.read() if stored_run.is_local else read_run(record))
    for run in runs:
        journal = data.local.get_journal_file(*run.key)
        if run.status == "running" or journal.exists():
            resume = format_command_line("run", "--resume", run.short_id, *build_data_option(data))
            raise NotPublishableError(f"run {run.run_id} has not ended: {resume}")
        publish.check_publishable(data, run, why)
    done = _publish_and_compare(data, runs, why)
    row = {
        "published": [
            {"run_id": run_id, "record": str(path)} for run_id, path in done.paths.items()
        ],
        "files": [str(path) for path in done.files],
        "moved": [row._asdict() for row in done.changes.moved] if done.changes else [],
    }
    trials = (path for path in done.files if path.parent.name == "trials")
    say_result(row, [*done.paths.values(), *trials])
    if not is_json():
        say_published(done, data)
    elif behind := find_pin_behind(data):
        say(behind, err=True)
    return ExitCode.DONE


def publish_ended(data: DataFolder, runs: Sequence[Run], why: str | None) -> EndedRuns:
    """Publish those of ``runs`` that readers can rely on; with a reason ``why``, all of them.

    Runs that cannot be published stay local; the result has the reasons.
    """
    local: dict[str, str] = {}
    for run in runs:
        try:
            publish.check_publishable(data, run, why)
        except NotPublishableError as error:
            reasons = publish.list_obstacles(data, run)
            local[run.run_id] = "; ".join(reasons) if reasons and why is None else str(error)
    done = _publish_and_compare(data, [run for run in runs if run.run_id not in local], why)
    return replace(done, local=local)


def say_published(done: EndedRuns, data: DataFolder) -> None:
    """Print the changes by a publication, the runs that stay local, and the next commands."""
    if done.changes is not None:
        writer = TextWriter(find_terminal_width())
        parts = describe_data(done.changes, writer)
        say(f"\n{writer.compose(format_data_headline(done.changes), parts)}")
        if behind := find_pin_behind(data):
            say(behind, err=True)
    for run_id, reason in done.local.items():
        ready = format_command_line(
            "publish", run_id[:8], *build_data_option(data), "--why", "TEXT"
        )
        say(f"\nRun {run_id[:8]} stays local: {reason}. Publish it all the same with:\n{ready}")
    if done.paths:
        say_next(
            suggest_commit(done.files, f"Publish {', '.join(run_id[:8] for run_id in done.paths)}")
        )


def withdraw_run(  # noqa: PLR0913 - what the command was given
    beginning: str,
    *,
    why: str,
    by: str | None,
    data: DataFolder,
    undo: bool,
    agreed: bool,
) -> int:
    """Withdraw a published run, or take its withdrawal back, after the user has agreed.

    Raises:
        UsageError: there is no terminal to ask in, and ``agreed`` is false.
        Abort: the user does not agree.
        NotPublishableError: the run is local, or its withdrawal exists already or does not exist.
    """
    stored = find_run(data, beginning)
    run = stored.read()
    if stored.is_local:
        raise NotPublishableError(f"run {run.run_id} is local, and in no score: nothing changed")
    change = publish.undo_withdrawal if undo else publish.add_withdrawal
    changed = change(run, by or read_git_user("--by"), why, datetime.now(UTC))
    before = DataState.from_folder("before", data)
    after = replace(before, label="after", runs={**before.runs, run.run_id: changed})
    difference = diff_data(before, after)
    planned = run.planned_attempts
    intent = "The withdrawal of this run is taken back" if undo else "This run is withdrawn"
    say_aside(
        f"{intent}: {run.short_id}, {run.model.slug}, {run.experiment.name}, "
        f"{describe_day(run)}, "
        f"{run.passed} of {planned} passed ({round_half_up(100 * run.passed / planned, 1)}%).",
    )
    if run.withdrawn is not None:
        date_text = f" on {run.withdrawn.at:%Y-%m-%d}" if run.withdrawn.at else ""
        say_aside(f"It was withdrawn{date_text} by {run.withdrawn.by}: {run.withdrawn.reason}")
    moves = "".join(describe_moved(difference.moved, TextWriter(find_terminal_width())))
    say_aside(f"\n{moves or 'No score and no rank moves.'}\n")
    ask("Take the withdrawal back?" if undo else "Withdraw it?", agreed=agreed)
    write_run(data, changed)
    path = data.get_run_file(*run.key)
    row = {
        "run_id": changed.run_id,
        "record": str(path),
        "withdrawn": changed.withdrawn and changed.withdrawn.model_dump(mode="json"),
        "undone_withdrawals": [
            withdrawal.model_dump(mode="json") for withdrawal in changed.undone_withdrawals
        ],
        "moved": [row._asdict() for row in difference.moved],
    }
    say_result(row, [path])
    for taker in [] if undo else find_takers(data, run):
        if taker.withdrawn is None:
            say(f"run {taker.short_id} carried over its answers, and still counts", err=True)
    if behind := find_pin_behind(data):
        say(behind, err=True)
    of_data = build_data_option(data)
    undoing = format_command_line("withdraw", run.short_id, "--undo", *of_data, "--why", "TEXT")
    again = () if undo else (undoing,)
    verb = "Reinstate" if undo else "Withdraw"
    say_next([*suggest_commit([path], f"{verb} {run.short_id}"), *again])
    return ExitCode.DONE


def _publish_and_compare(data: DataFolder, runs: Sequence[Run], why: str | None) -> EndedRuns:
    if not runs:
        return NOTHING_PUBLISHED
    before, earlier = DataState.from_folder("before", data), _list_published_files(data)
    paths = {run.run_id: publish.publish(data, run, why) for run in runs}
    publish_trials(data)
    files = sorted(_list_published_files(data) - earlier)
    return EndedRuns(paths, {}, diff_data(before, DataState.from_folder("after", data)), files)


def _list_published_files(data: DataFolder) -> frozenset[Path]:
    return frozenset(
        [
            *data.list_run_files(),
            *data.list_artifact_files(),
            *data.list_report_files(),
            *data.benchmarks.list_files(),
            *data.trials.list_files(),
        ]
    )
