"""The commands that are proposed after a command, to copy into a shell."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from generator.facts.urls import build_table_path
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import say
from records.files.data_folder import DataFolder
from records.reader import find_benchmark
from records.shapes.attempt import Outcome
from records.shapes.run import Executed, Run
from runner.runs.publish import list_obstacles


def say_next(lines: Iterable[str]) -> None:
    """Print commands below a heading; print nothing without commands."""
    all_lines = list(lines)
    if all_lines:
        say("\nNext:")
        for line in all_lines:
            say(f"  {line}")


def build_data_option(data_root: Path) -> list[str]:
    """Return the option that names a data folder; empty for the default folder."""
    return [] if data_root == Path("data") else ["--data", str(data_root)]


def build_suite_option(evals_root: Path | None) -> list[str]:
    """Return the option that names the folder of a suite; empty for the default folder."""
    return [] if evals_root in {None, Path("evals")} else ["--evals", str(evals_root)]


def suggest_commit(files: Sequence[Path], message: str) -> list[str]:
    """Return the commands of git that commit ``files``."""
    return [
        f"git add {shlex.join(map(str, files))}",
        f"git commit -m {shlex.quote(message)}",
    ]


def suggest_after_run(
    run: Run, data: DataFolder, evals_root: Path | None = None, *, is_local: bool
) -> list[str]:
    """Return the commands that show an ended run, explain its failures and publish it.

    The command that resumes a run without all verdicts is not among them.
    """
    of_data = build_data_option(data.root)
    lines = [format_command_line("runs", run.run_id[:8], *of_data)]
    if _has_failures([run]):
        run_options = ("-m", run.model.slug, "-e", run.experiment.name)
        folder_options = [*build_suite_option(evals_root), *of_data]
        lines.append(
            format_command_line("evals", "status", "--failed", *run_options, *folder_options)
        )
        lines.append(format_command_line("report", run.run_id[:8], *folder_options))
    return [*lines, *suggest_publication(run, data, is_local=is_local)]


def suggest_publication(run: Run, data: DataFolder, *, is_local: bool) -> list[str]:
    """Return the command that publishes a local run, with `--why` if a reason is needed.

    Empty for published and imported runs.
    """
    if not is_local or not isinstance(run.provenance, Executed):
        return []
    why = ["--why", "TEXT"] if list_obstacles(data, run) else []
    return [format_command_line("publish", run.run_id[:8], *build_data_option(data.root), *why)]


def suggest_after_runs(
    runs: Sequence[Run], data: DataFolder, evals_root: Path | None, *, is_local: bool
) -> list[str]:
    """Return the next commands for a run, or the common next commands for several runs."""
    table = _suggest_table(runs, data, evals_root)
    if len(runs) == 1:
        return [*suggest_after_run(runs[0], data, evals_root, is_local=is_local), *table]
    of_data = build_data_option(data.root)
    lines = [format_command_line("runs", *of_data)]
    if _has_failures(runs):
        folder_options = [*build_suite_option(evals_root), *of_data]
        lines.append(format_command_line("evals", "status", "--failed", *folder_options))
    ready = [run.run_id[:8] for run in runs if not list_obstacles(data, run)]
    if is_local and ready:
        lines.append(format_command_line("publish", *ready, *of_data))
    return [*lines, *table]


def _suggest_table(runs: Sequence[Run], data: DataFolder, evals_root: Path | None) -> list[str]:
    """Return the command that serves the table of runs, with its path; none if they differ."""
    paths: set[str] = set()
    for run in runs:
        version = find_benchmark(data, run.benchmark_version)
        evals = run.planned if version is None else version.evals
        paths.add(build_table_path(run.benchmark_version, run.planned, evals))
    if len(paths) > 1:
        return []
    folder_options = [*build_suite_option(evals_root), *build_data_option(data.root)]
    return [f"{format_command_line('serve', *folder_options)}   # their table: /{paths.pop()}"]


def _has_failures(runs: Iterable[Run]) -> bool:
    return any(attempt.outcome is Outcome.FAILED for run in runs for attempt in run.attempts)
