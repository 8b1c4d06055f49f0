"""The work of `leaderboard report`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from leaderboard.git_user import read_git_user
from leaderboard.reports.classify import check_terminal, classify
from leaderboard.terminal.exit_codes import DONE, INFRASTRUCTURE
from leaderboard.terminal.next_steps import build_data_option, say_next, suggest_publication
from leaderboard.terminal.shell_commands import format_command_line
from leaderboard.terminal.streams import say, say_json
from records.files.data_folder import DataFolder
from records.reader import read_models
from records.shapes.registry import ModelEntry
from records.text.numbers import format_count
from runner.evals.discovery import discover
from runner.models.api_keys import load_keys
from runner.models.registry import resolve_model
from runner.models.sent import make_dry_request
from runner.reports.evidence import list_failed_attempts
from runner.reports.proposals import Drafted, draft_proposals
from runner.reports.write import (
    WrittenReport,
    attach_proposal,
    find_report,
    find_subject,
    list_failures_to_class,
    write_report,
)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The options of `leaderboard report`, a field for each."""

    run: str
    author: str | None
    draft_with: str | None
    budget: float | None
    api_base: str | None
    evals_root: Path
    data_root: Path
    update: bool
    classify: bool
    """True to ask for the classes, one failure at a time."""
    as_json: bool
    """True to print the result as JSON."""


def report(options: ReportOptions) -> int:
    """Write the report; return the exit code."""
    data = DataFolder(options.data_root)
    if options.classify:
        return _classify(options, data)
    model = _find_model(options, data)
    subject = find_subject(data, discover(options.evals_root), options.run)
    today = datetime.now(UTC).date()
    author = options.author or read_git_user("--author")
    written = write_report(subject, author, today, update=options.update)
    drafted: list[Drafted] = []
    if model is not None:
        drafted = _draft_classes(written, model, options.budget, err=options.as_json)
    code = INFRASTRUCTURE if any(entry.proposal is None for entry in drafted) else DONE
    if options.as_json:
        say_json(_build_values(written, drafted))
        return code
    say(
        written.path
        if written.is_new
        else f"{written.path}: brought up to date; classes and notes stay"
    )
    unclassed = sum(entry.failure_class is None for entry in written.report.failures)
    if unclassed:
        run_id = subject.run.run_id[:8]
        whole = format_count(len(written.report.failures), "failure")
        say(
            f"{unclassed} of {whole} {'has' if unclassed == 1 else 'have'} no class yet: "
            f"leaderboard report {run_id} --classify"
        )
    of_data = build_data_option(data.root)
    is_local = subject.home.root != data.root
    after = suggest_publication(subject.run, data, is_local=is_local)
    say_next([format_command_line("check", *of_data), *after])
    return code


def _build_values(written: WrittenReport, drafted: Sequence[Drafted]) -> dict[str, object]:
    """Return a report as JSON, with the proposals of this call."""
    return {
        "run_id": written.report.run,
        "report": str(written.path),
        "is_new": written.is_new,
        "failures": len(written.report.failures),
        "without_class": sum(entry.failure_class is None for entry in written.report.failures),
        "proposals": [
            {
                "eval": entry.failure.attempt.eval,
                "sample": entry.failure.attempt.sample,
                "class": entry.proposal and entry.proposal.failure_class.value,
                "problem": entry.problem,
            }
            for entry in drafted
        ],
    }


def _classify(options: ReportOptions, data: DataFolder) -> int:
    """Ask for classes on the terminal, after the report is written if there is none."""
    if options.draft_with is not None:
        raise click.UsageError("--classify and --draft-with are two commands: draft first")
    if options.as_json:
        raise click.UsageError("--classify asks on the terminal: leave out --json")
    subject = find_subject(data, discover(options.evals_root), options.run)
    existing = find_report(subject)
    check_terminal(existing and existing[0])
    today = datetime.now(UTC).date()
    author = existing[1].author if existing else options.author or read_git_user("--author")
    if existing is None or options.update:
        written = write_report(subject, author, today, update=options.update)
        path, report, failures = written.path, written.report, written.failures
    else:
        path, report = existing
        failures = list_failed_attempts(data, subject.home, subject.run, subject.suite)
    run = subject.run.run_id[:8]
    if all(failure.failure_class is not None for failure in report.failures):
        say(f"{path}: every failure has a class; to change one, edit the file")
        return DONE
    if classify(path, list_failures_to_class(report, failures)):
        # The net impact and the text of the report depend on the classes.
        report = write_report(subject, author, today, update=True).report
    if all(failure.failure_class is not None for failure in report.failures):
        say("Write the actions taken below the mark, remove `draft: true`, then: leaderboard check")
    else:
        say(f"To go on: leaderboard report {run} --classify")
    return DONE


def _find_model(options: ReportOptions, data: DataFolder) -> ModelEntry | None:
    """Return the model that proposes classes, None without `--draft-with`."""
    if options.draft_with is None:
        return None
    load_keys()
    entry = resolve_model(options.draft_with, read_models(data), api_base=options.api_base)
    return make_dry_request(entry).entry


def _draft_classes(
    written: WrittenReport, model: ModelEntry, budget_usd: float | None, *, err: bool
) -> list[Drafted]:
    """Ask the model for a class of each failure without one; return the results.

    Each proposal is written to the report before it is printed, with ``err`` on standard error.
    """
    open_evals = {
        (failure.eval, failure.sample)
        for failure in written.report.failures
        if failure.failure_class is None
    }
    unclassed = [
        failure
        for failure in written.failures
        if (failure.attempt.eval, failure.attempt.sample) in open_evals
        or (failure.attempt.eval, None) in open_evals
    ]
    proposals: list[Drafted] = []

    def save_proposal(drafted: Drafted) -> None:
        attempt = drafted.failure.attempt
        proposals.append(drafted)
        if drafted.proposal is None:
            say(f"{attempt.eval}: no proposal: {drafted.problem}", err=True)
            return
        attach_proposal(written.path, attempt, drafted.proposal)
        say(f"{attempt.eval}: {drafted.proposal.failure_class} is proposed", err=err)

    asyncio.run(draft_proposals(unclassed, model, budget_usd=budget_usd, done=save_proposal))
    return proposals
