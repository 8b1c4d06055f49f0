"""The commands `leaderboard session list`, `import`, `from-run`, `audit`, `publish`, `delete`."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from leaderboard import options
from leaderboard.sessions import session_lookup
from leaderboard.sessions.imports import SessionImport
from leaderboard.terminal.streams import ExitCode, ProgressLines, ask, is_json, say, say_result
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.runs.run_lookup import find_run
from records.sessions.audit import AuditState
from records.sessions.session import Session, is_raw
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review import publishing
from review.audits import AuditTasks, Request
from review.index.indexed_session import IndexedSession, make_index_row
from review.index.session_index import SessionIndex
from review.label_service import hide_disputed_rows
from review.selection import SessionSelection
from review.session_imports.session_importers import IMPORTERS
from review.store import SessionStore


def read_session_rows(
    store: SessionStore, chosen: SessionSelection
) -> tuple[Sequence[IndexedSession], Sequence[str]]:
    """Return the selected sessions, sorted by id, and the problems of sessions that are unreadable.

    If the index cannot be made or opened, such as on a read-only disk, all files are read.
    """
    index = SessionIndex(store, report=ProgressLines("sessions read for the index"))
    try:
        return index.list_rows(chosen)
    except (sqlite3.OperationalError, OSError):
        problems: list[str] = []
        rows: list[IndexedSession] = []
        for session in store.scan():
            if isinstance(session, InvalidRecordError):
                problems.append(str(session))
            elif chosen.selects(session):
                rows.append(make_index_row(session))
        return rows[: chosen.limit], problems


@options.command(
    "leaderboard session list --status golden --tag auth",
    "leaderboard session list --search useQuery --json",
)
@session_lookup.add_selection_options
@click.option("--ready", is_flag=True, default=None, help="Only sessions that are eval-ready.")
@session_lookup.reviewer_option(help="Your pseudonym, if two people judge an audit.")
@options.record_options
def list_command(
    *,
    ready: bool | None,
    reviewer: str | None,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> int:
    """List sessions, and the number of sessions with each status.

    Sessions that cannot be read are printed on standard error; then the exit code is 1. Sessions
    that must still be judged blind for an audit are not listed, because their status shows the
    grader's verdict.
    """
    store = SessionStore(data)
    audited = session_lookup.read_audited_ids(store, reviewer)
    chosen = audited.restrict_selection(session_lookup.build_selection(given, ready=ready))
    selected_rows, problems = read_session_rows(store, chosen)
    rows = hide_disputed_rows(selected_rows, audited)
    for problem in problems:
        say(make_one_line(problem), err=True)
    values: list[dict[str, object]] = []
    lines: list[str] = []
    for row in rows:
        publication = publishing.Publication.LOCAL  # the usual case, in which no session is read
        if store.folder.sessions.get_file(row.id).exists():
            session = read_record(Session, store.folder.get_session_file(row.id))
            publication = publishing.find_publication(store.folder, session)
        values.append(
            {
                "id": row.id,
                "title": row.title,
                "model": row.model,
                "source": row.source,
                "publication": publication,
                "created_at": row.created,
                "evalReady": row.ready,
                "evalStatus": row.status,
                "evalTags": list(row.tags),
                "reviewedAt": row.reviewed,
            }
        )
        tags = f"  [{', '.join(row.tags)}]" if row.tags else ""
        line = f"{row.id}  {row.status:<12}{'*' if row.ready else ' '} {row.title}{tags}"
        lines.append(make_one_line(f"{line}{_COPIES[publication]}", 160))
    counts = sorted(Counter(row.status for row in rows).items())
    statuses = ", ".join(f"{number} {status}" for status, number in counts)
    lines.append(f"{format_count(len(rows), 'session')}{f': {statuses}' if statuses else ''}")
    say_result(values, lines)
    return ExitCode.CHECK_FAILED if problems else ExitCode.DONE


_COPIES = {
    publishing.Publication.LOCAL: "",
    publishing.Publication.PUBLISHED: "  (published)",
    publishing.Publication.OUTDATED: "  (published copy outdated)",
}


@options.command(
    "leaderboard session import ~/.claude/projects/app",
    "leaderboard session import --dry-run ~/.codex/sessions",
    "cat chats.jsonl | leaderboard session import -",
    "leaderboard session import --format chat chats.jsonl",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    "importer",
    type=click.Choice(list(IMPORTERS)),
    help="The program that wrote the files; needed if their form does not show it.",
)
@click.option("--dry-run", is_flag=True, help="Print the result, and write nothing.")
@options.new_record_options
def import_command(
    *, files: tuple[Path, ...], importer: str | None, dry_run: bool, data: DataFolder
) -> int:
    """Read sessions that other programs recorded; the form of a file shows the program.

    A folder means all files in it, and - is standard input. Lines that cannot be read are printed;
    the rest is imported, and the exit code is 1. Parts that are not stored are counted by kind. The
    same file again changes nothing. A longer version of a file is a new version of the same
    session, whose label is stale then. An export of this program does not change stored sessions.
    """
    store = SessionStore(data)
    counts = SessionImport(store, importer, dry_run=dry_run).run(files)
    row = {
        "sessions": counts.sessions,
        "changed": counts.new + counts.changed,
        "new": counts.new,
        "stale": counts.stale,
        "left_out": dict(counts.left_out),
        "faults": counts.faults,
        "dry_run": dry_run,
    }
    notice = ["nothing was written"] if dry_run else []
    say_result(row, [*counts.format_counts(), *notice])
    return ExitCode.CHECK_FAILED if counts.faults else ExitCode.DONE


@options.command("leaderboard session from-run 4p2bzjf")
@click.argument("run")
@options.evals_option
@options.record_options
def from_run_command(*, run: str, evals_root: Path, data: DataFolder) -> None:
    """Make a session of each attempt of a run that has a verdict.

    The session of a passed attempt is `correct`, that of a failed one `incorrect`, until a person
    changes it; the expected output is the reference answer. Existing sessions keep their labels.
    """
    from leaderboard.sessions.attempt_sessions import make_sessions  # noqa: PLC0415 - extra `run`

    counts = make_sessions(data, evals_root, [find_run(data, run).get_record_file()])
    row = {"sessions": counts.made, "changed": counts.changed, "left_out": counts.left_out}
    lines = [f"{format_count(counts.made, 'session')}, {counts.changed} new or changed"]
    if counts.left_out:
        left_out = format_count(counts.left_out, "attempt")
        lines.append(f"no session of {left_out}: no verdict, no answer, or no model was asked")
    if not counts.made:
        lines.append("docs/demo has sessions to try: leaderboard session list --data docs/demo")
    say_result(row, lines)


@options.command(
    "leaderboard session audit --sample 100 --seed 1 --double 0.2",
    "leaderboard session audit 4p2bzjf --sample 20 --seed 1",
    "leaderboard session audit --status",
)
@click.argument("runs", nargs=-1)
@click.option(
    "--sample",
    type=click.IntRange(2, 100_000),
    default=100,
    show_default=True,
    help="The number of attempts to choose.",
)
@click.option("--seed", type=click.IntRange(0, 10**10 - 1), help="The seed of the random choice.")
@click.option(
    "--double",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="The share of attempts that two people judge.",
)
@click.option("--benchmark", "version", help="A benchmark version; else that of the newest run.")
@click.option("--status", is_flag=True, help="Show the progress of audits; nothing is chosen.")
@options.evals_if_needed_option
@options.record_options
def audit_command(  # noqa: PLR0913 - click gives each option by name
    *,
    runs: tuple[str, ...],
    sample: int,
    seed: int | None,
    double: float,
    version: str | None,
    status: bool,
    evals_root: Path,
    data: DataFolder,
) -> None:
    """Choose attempts that people judge without their verdicts: how often are graders wrong?

    Half of the attempts failed, and half passed; they are spread over the evals. They are from RUNS
    (the beginnings of run ids), else from all published runs of one benchmark version. Their
    sessions are made, and the desk of `leaderboard serve` shows them first. The method page shows
    the results.
    """
    from leaderboard.sessions.attempt_sessions import draw_audit  # noqa: PLC0415 - extra `run`

    tasks = AuditTasks(SessionStore(data))
    if not status:
        if seed is None:
            raise click.UsageError("--seed: give a number, so that anybody can repeat the choice")
        if not evals_root.is_dir():
            raise click.UsageError(
                f"--evals: there is no folder {evals_root}: go to a project, or name its suite"
            )
        request = Request(sample, seed, double)
        listed = [draw_audit(data, evals_root, runs, version, request)]
    else:
        listed = tasks.list_audits()
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for audit in listed:
        own = [task for task in tasks.list_tasks() if task.audit == audit]
        states = {str(state): sum(task.state is state for task in own) for state in AuditState}
        rows.append({"audit": audit.audit_id, **states})
        number = format_count(len(audit.items), "attempt")
        lines.append(f"{audit.audit_id}: {number}, {audit.doubles} for two reviewers")
        for outcome in ("failed", "passed"):
            drawn, population = audit.count_drawn(outcome), audit.count_population(outcome)
            lines.append(f"  {outcome}: {drawn} drawn of {population}")
        lines.append(f"  {', '.join(f'{number} {state}' for state, number in states.items())}")
        waiting = (task.name for task in own if task.is_open)
        lines += [f"  next: leaderboard session show {name}" for name in islice(waiting, 1)]
    nothing = "no audit: leaderboard session audit --sample 100 --seed 1 makes one"
    say_result(rows, lines or [nothing])


_SHOWN = 20
"""The most strings of a session that look like secrets which are listed."""


@options.command(
    "leaderboard session publish 9f2c --yes",
    "leaderboard session publish --tag auth --status golden",
    "leaderboard session publish --undo --source chat --yes",
)
@click.option("--undo", is_flag=True, help="Remove the published copies.")
@session_lookup.add_change_options("Do it without asking.")
def publish_command(
    *,
    sessions: tuple[str, ...],
    undo: bool,
    agreed: bool,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> None:
    """Write redacted copies of SESSIONS to data/sessions, given by the beginnings of their ids.

    Before this, the numbers of removed texts are printed by kind, and the strings that look like
    secrets and stay. Ids, labels and pseudonyms of reviewers stay. Copies that are committed and
    pushed cannot be called back. A changed session is copied again.

    With --undo labels become local. If the raw session is missing, the copy becomes local, too.
    Git's history keeps committed copies.
    """
    store = SessionStore(data)
    chosen_ids = session_lookup.choose_session_ids(store, sessions, given)
    if undo:
        ids = [
            session_id
            for session_id in chosen_ids
            if publishing.find_publication(store.folder, store.read(session_id).session)
            is not publishing.Publication.LOCAL
        ]
        lines = [*ids, f"{format_count(len(ids), 'session')} unpublished"]
        if ids:
            copies = format_count(len(ids), "published copy", "published copies")
            ask(f"Remove {copies}?", agreed=agreed)
            lines.append("the history of git keeps committed copies")
        for session_id in ids:
            publishing.unpublish(store, session_id)
        say_result({"unpublished": ids}, lines)
        return
    due = _select_due(store, chosen_ids)
    if not is_json():
        copies = [publishing.make_copy(store, session_id) for session_id in due]
        removed_counts: Counter[str] = Counter()
        for copy in copies:
            removed_counts.update(copy.taken_out)
            say(make_one_line(f"{copy.session.id}  {copy.session.title}", 160))
            for text in copy.looks_secret[:_SHOWN]:
                say(make_one_line(f"  looks like a secret, and stays: {text}", 160))
            if len(copy.looks_secret) > _SHOWN:
                say(f"  and {len(copy.looks_secret) - _SHOWN} more such strings")
        for kind, count in removed_counts.most_common():
            say(f"taken out: {count} x {kind}")
        if copies and not removed_counts:
            say("taken out: nothing")
        secret_count = sum(len(copy.looks_secret) for copy in copies)
        say(
            f"strings that look like secrets, and stay: {secret_count}"
            if secret_count
            else "no string looks secret"
        )
    if due:
        ask(f"Publish {format_count(len(due), 'session')}?", agreed=agreed)
    copies = [publishing.publish(store, session_id) for session_id in due]
    files = [store.folder.sessions.get_file(session_id) for session_id in due]
    count = f"{format_count(len(copies), 'session')} published"
    say_result(
        [
            {
                "session": copy.session.id,
                "taken_out": dict(copy.taken_out),
                "looks_secret": copy.looks_secret,
            }
            for copy in copies
        ],
        [*files, count],
    )


def _select_due(store: SessionStore, session_ids: Sequence[str]) -> list[str]:
    """Return the sessions without an up-to-date copy.

    Raises:
        UsageError: a session in the folder of published copies is not redacted.
    """
    folder = store.folder
    local_runs = {path.stem for path in folder.local.list_run_files()}
    for session_id in session_ids:
        copy = folder.sessions.get_file(session_id)
        if copy.exists() and is_raw(read_record(Session, copy), local_runs):
            raise click.UsageError(
                f"{session_id} lies in {copy.parent} unredacted: run `leaderboard session publish "
                f"--undo {session_id}` first"
            )
    due = [
        session_id
        for session_id in session_ids
        if publishing.find_publication(folder, store.read(session_id).session)
        is not publishing.Publication.PUBLISHED
    ]
    if len(due) < len(session_ids):
        count = format_count(len(session_ids) - len(due), "session")
        say(f"published already, and left as they are: {count}", err=True)
    return due


@options.command(
    "leaderboard session delete 9f2c --yes", "leaderboard session delete --tag old --yes"
)
@session_lookup.add_change_options("Delete without asking.")
def delete_command(
    *,
    sessions: tuple[str, ...],
    agreed: bool,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> None:
    """Delete SESSIONS, given by the beginnings of their ids, with labels and published copies.

    Sessions of an audit are refused, because the results of the audit would change. Git's history
    keeps committed files.
    """
    store = SessionStore(data)
    ids = session_lookup.choose_session_ids(store, sessions, given)
    audits = AuditTasks(store).list_audits()
    drawn = {item.session for audit in audits for item in audit.items}
    for session_id in ids:
        if session_id in drawn:
            raise click.UsageError(f"{session_id}: belongs to an audit, which needs its labels")
    if not is_json():
        for session_id in ids:
            session = store.read(session_id)
            labels = format_count(len(session.events), "label event")
            say(make_one_line(f"{session_id}  {session.session.title} ({labels})", 160))
            for path in publishing.list_files_of_session(store.folder, session_id):
                say(f"  {path}")
    number = format_count(len(ids), "session")
    if ids:
        ask(f"Delete {number} with their labels?", agreed=agreed)
    for session_id in ids:
        publishing.delete(store, session_id)
    say_result({"deleted": ids}, [f"{number} deleted"])
