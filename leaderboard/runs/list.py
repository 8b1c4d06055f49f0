"""The work of `leaderboard runs`."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from generator.tables.run_columns import list_recorded
from leaderboard.project import build_data_option
from leaderboard.runs import run_summary
from leaderboard.terminal.shell_commands import format_command_line, say_next
from leaderboard.terminal.streams import ExitCode, find_terminal_width, say, say_result
from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import is_locked
from records.reader import read_report
from records.runs.run_lookup import StoredRun, find_run, list_stored_runs
from records.shapes.attempt import Outcome
from records.shapes.report import Report
from records.shapes.run import Executed, Run
from records.text.numbers import format_count, format_table_lines
from records.text.run_days import describe_day
from records.text.visible import make_one_line
from runner.models.registry import is_named
from runner.runs.progress.watcher import format_cost

_ELASTIC = frozenset({"model", "experiment"})
"""Columns that are cut on a narrow terminal."""

_LEAST = 12
"""The least width of these columns, in characters, while other columns can be left out."""

_DISPENSABLE = ("version", "report", "cost", "day")
"""Columns to leave out on a narrow terminal, in this order; --json and a pipe have all."""

KnownState = Literal["complete", "incomplete", "stopped", "interrupted", "going"]

Place = Literal["local", "published", "withdrawn"]

IN_WORDS: Mapping[KnownState, str] = {
    "complete": "complete",
    "incomplete": "incomplete: attempts have no verdict",
    "stopped": "stopped before all attempts were made",
    "interrupted": "interrupted: no program executes it",
    "going": "going now",
}
"""The meaning of each state."""


@dataclass(frozen=True)
class RunFacts:
    """A run with its current facts; an unfinished run has the verdicts of its journal."""

    stored: StoredRun
    run: Run
    in_use: bool
    """True while a program executes the run."""
    report: tuple[Path, Report] | None
    """The report on the run and its path; None if there is none."""

    @cached_property
    def state(self) -> KnownState:
        """The state of the run."""
        if self.in_use:
            return "going"
        if self.stored.journal is not None or self.run.status == "running":
            return "interrupted"
        if not self.run.unjudged:
            return "complete"
        return "stopped" if self.run.status == "aborted" else "incomplete"

    @property
    def place(self) -> Place:
        """Whether the run is local, published or withdrawn."""
        if self.run.withdrawn is not None:
            return "withdrawn"
        return "local" if self.stored.is_local else "published"

    @property
    def report_state(self) -> Literal["none", "draft", "done"]:
        """The state of the report on the run."""
        if self.report is None:
            return "none"
        return "draft" if self.report[1].draft else "done"


def list_runs(
    data: DataFolder,
    *,
    models: Sequence[str],
    experiment: str | None,
    states: Collection[str],
    places: Collection[str],
) -> int:
    """List the runs that are selected by all other arguments; return the exit code.

    An empty argument selects all.
    """
    reports = read_reports(data)
    rows: list[RunFacts] = []
    problems = 0
    for stored in list_stored_runs(data):
        try:
            facts = read_facts(stored, reports)
        except RecordsError as error:
            say(f"{stored.run_id[:8]} is left out: {make_one_line(str(error))}", err=True)
            problems += 1
            continue
        if (
            (not models or is_named(facts.run.model, models))
            and experiment in {None, facts.run.experiment.name}
            and (facts.state in states or not states)
            and (facts.place in places or not places)
        ):
            rows.append(facts)
    rows.sort(key=lambda facts: (facts.run.began, facts.run.run_id), reverse=True)
    none = f"{data.root}: no run, or none that is selected; `leaderboard demo` makes some"
    lines = _format_table(rows) if rows else [none]
    for facts in rows:
        if facts.state == "interrupted":
            resume = run_summary.suggest_resume(facts.run, build_data_option(data))
            lines.append(f"\n{facts.run.short_id} was interrupted; go on with:\n{resume}")
    say_result([_build_values(facts, data) for facts in rows], lines)
    return ExitCode.CHECK_FAILED if problems else ExitCode.DONE


def show_run(data: DataFolder, beginning: str) -> int:
    """Show the run whose id has this beginning; return the exit code."""
    facts = read_facts(find_run(data, beginning), read_reports(data))
    unjudged = {Outcome.FAILED: "Failed", Outcome.INFRASTRUCTURE: "Without a verdict"}
    failures = [
        run_summary.build_attempt_row(attempt) | {"fault": attempt.fault and attempt.fault.kind}
        for attempt in facts.run.attempts
        if attempt.outcome in unjudged
    ]
    lines = [f"{name + ':':<13} {make_one_line(value)}" for name, value in _list_facts(facts)]
    width = find_terminal_width()
    inner = None if width is None else width - 2
    for outcome, title in unjudged.items():
        rows = [
            (
                f"{attempt.eval}#{attempt.sample}" if facts.run.samples > 1 else attempt.eval,
                attempt.failed_step or (attempt.fault.kind if attempt.fault else ""),
                make_one_line(attempt.explanation or "", 160) or "no reason was recorded",
            )
            for attempt in facts.run.attempts
            if attempt.outcome is outcome
        ]
        if rows:
            lines.append(f"\n{title}: {format_count(len(rows), 'attempt')}")
            table = format_table_lines(("eval", "at", "why"), rows, inner)
            lines += (f"  {line}" for line in table)
    commands = _suggest_commands(facts, data)
    values = _build_values(facts, data)
    say_result({**values, "not_passed": failures, "next": commands}, lines)
    say_next(commands)
    return ExitCode.DONE


def _format_table(listed: Sequence[RunFacts]) -> list[str]:
    """Return the lines of the table; a narrow terminal gets only the more important columns."""
    rows = [
        {
            "run": run.short_id,
            "model": run.model.slug,
            "experiment": run.experiment.name,
            "day": describe_day(run),
            "version": run.benchmark_version,
            "passed": f"{run.passed}/{run.planned_attempts}",
            "cost": "none"
            if run.model.kind == "baseline"
            else format_cost(run.totals.cost_usd) or "unknown",
            "state": facts.state,
            "where": facts.place,
            "report": facts.report_state,
        }
        for facts, run in ((facts, facts.run) for facts in listed)
    ]
    columns, width = list(rows[0]), find_terminal_width()
    for dispensable in _DISPENSABLE:
        least = [
            _LEAST if name in _ELASTIC else max(len(name), *(len(row[name]) for row in rows))
            for name in columns
        ]
        if width is None or sum(least) + 2 * (len(least) - 1) <= width:
            break
        columns.remove(dispensable)
    cells = [[row[name] for name in columns] for row in rows]
    return format_table_lines(columns, cells, width, {*columns} - _ELASTIC)


def _build_values(facts: RunFacts, data: DataFolder) -> dict[str, object]:
    """Return a run as JSON."""
    run, report = facts.run, facts.report
    outcomes = Counter(attempt.outcome for attempt in run.attempts)
    return {
        "run_id": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "date": run.date.isoformat(),
        "day_of_import": run.day_of_import,
        "benchmark_version": run.benchmark_version,
        "planned": run.planned_attempts,
        "passed": run.passed,
        "outcomes": dict(sorted(outcomes.items())),
        "cost_usd": run.totals.cost_usd,
        "state": facts.state,
        "where": facts.place,
        "withdrawn": run.withdrawn and run.withdrawn.model_dump(mode="json"),
        **list_recorded(run),
        "git_commit": run.harness.git_commit if run.harness else None,
        "report": {"state": facts.report_state, "path": str(report[0]) if report else None},
        "record": str(facts.stored.record) if facts.stored.record else None,
        "resume": run_summary.suggest_resume(run, build_data_option(data))
        if _goes_on(facts)
        else None,
    }


def _list_facts(facts: RunFacts) -> Iterator[tuple[str, str]]:
    """Yield the name of each fact about a run, with its value in words."""
    run, report = facts.run, facts.report
    yield "run", run.run_id
    yield "model", f"{run.model.name} ({run.model.slug})"
    yield "experiment", run.experiment.name
    yield ("imported" if run.day_of_import else "begun"), run.began
    yield "version", run.benchmark_version
    yield "evals", f"{len(run.planned)}, {format_count(run.samples, 'sample')} each"
    outcomes = run_summary.describe_outcomes(run) or "none yet"
    yield "outcomes", f"{run.passed} of {run.planned_attempts} passed; {outcomes}"
    with_cost = run.totals.cost_known_for
    cost = format_cost(run.totals.cost_usd)
    yield "cost", f"{cost}, known of {format_count(with_cost, 'attempt')}" if cost else "not known"
    yield "state", IN_WORDS[facts.state]
    yield "where", facts.place
    if run.withdrawn is not None:
        when = f"{run.withdrawn.at:%Y-%m-%d}, " if run.withdrawn.at else ""
        yield "withdrawn", f"{when}by {run.withdrawn.by}: {run.withdrawn.reason}"
    for undone in run.undone_withdrawals:
        text = f"{undone.undone_at:%Y-%m-%d}, by {undone.undone_by}: {undone.undone_because}"
        yield "reinstated", text
    if run.published_because is not None:
        yield "published", f"all the same, because: {run.published_because}"
    if run.harness is not None:
        yield "program", f"{run.harness.version}, commit {run.harness.git_commit or 'not known'}"
    if not isinstance(run.provenance, Executed):
        yield "source", run.provenance.source
    yield "report", f"{facts.report_state}{f': {report[0]}' if report else ''}"
    yield "record", str(facts.stored.record or facts.stored.journal)


def _goes_on(facts: RunFacts) -> bool:
    """Return whether `run --resume` would make or grade attempts of the run."""
    is_own = isinstance(facts.run.provenance, Executed) and facts.run.withdrawn is None
    return is_own and facts.state not in {"complete", "going"}


def _suggest_commands(facts: RunFacts, data: DataFolder) -> list[str]:
    """Return the next commands for a run; while it goes on, only the command that shows it."""
    of_data = build_data_option(data)
    short = facts.run.short_id
    if facts.state == "going":
        return [format_command_line("runs", short, *of_data)]
    if facts.state == "interrupted":
        return [run_summary.suggest_resume(facts.run, of_data)]
    if facts.place == "withdrawn":
        return [format_command_line("withdraw", short, "--undo", *of_data, "--why", "TEXT")]
    update = () if facts.report is None else ("--update",)
    failed = any(attempt.outcome is Outcome.FAILED for attempt in facts.run.attempts)
    return [
        *([run_summary.suggest_resume(facts.run, of_data)] if _goes_on(facts) else ()),
        *([format_command_line("report", short, *update, *of_data)] if failed else ()),
        *run_summary.suggest_publication(facts.run, data),
    ]


def read_facts(stored: StoredRun, reports: Mapping[str, tuple[Path, Report]]) -> RunFacts:
    """Return the facts of a run.

    Raises:
        RecordsError: the record or the journal of the run cannot be read.
    """
    in_use = stored.journal is not None and is_locked(stored.journal)
    return RunFacts(stored, stored.read_so_far(), in_use, reports.get(stored.run_id))


def read_reports(data: DataFolder) -> dict[str, tuple[Path, Report]]:
    """Return all reports that can be read, with their paths, by the ids of their runs."""
    by_run: dict[str, tuple[Path, Report]] = {}
    for folder in (data.local, data):
        for path in folder.list_report_files():
            try:
                report = read_report(path)
            except RecordsError:
                continue  # `leaderboard check` reports it
            by_run[report.run] = path, report
    return by_run
