"""The commands `leaderboard export` and `leaderboard session version`: sessions as datasets."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from leaderboard import options
from leaderboard.sessions import session_lookup
from leaderboard.terminal.streams import ExitCode, is_json, say, say_result
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.files.name_patterns import DATASET_NAME
from records.reader import read_record
from records.sessions.dataset import DatasetVersion
from records.text.numbers import format_count
from records.text.visible import make_one_line
from records.writer import open_atomic_file
from review.datasets import make_version, read_dataset_version, read_members
from review.exports.formats import FORMATS, ExportCounts
from review.exports.prepared import ExportOptions, parse_context
from review.exports.task import SHORT_CONTEXT, ExportTask, in_megabytes
from review.index.session_index import select_sessions
from review.selection import SessionSelection
from review.store import SessionStore

if TYPE_CHECKING:
    from review.labeled_session import LabeledSession


_SHOWN = 20
"""The most strings that look like secrets which are listed."""

_choosing_options = options.join_options(
    session_lookup.add_selection_options,
    click.option(
        "--all", "everything", is_flag=True, help="Also sessions that are not eval-ready."
    ),
)


@options.command(
    "leaderboard export --format deepeval --status golden --out golden.json",
    "leaderboard export --format openai --tag auth --limit 100 > chats.jsonl",
    "leaderboard export 9f2c --format text",
)
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(FORMATS)),
    default="deepeval",
    show_default=True,
    help="The program that loads the file.",
)
@_choosing_options
@click.option("--version", metavar="NAME", help="The sessions of a version, with its labels.")
@click.option("--no-redact", is_flag=True, help="Keep keys, addresses and home folders.")
@click.option("--no-system", is_flag=True, help="Leave system messages out.")
@click.option("--text-only", is_flag=True, help="Leave calls of tools and their results out.")
@click.option(
    "--turns",
    type=click.Choice(["turns", "last"]),
    default="turns",
    show_default=True,
    help="Each turn, or the last answered turn of a session.",
)
@click.option(
    "--context",
    type=options.Checked(parse_context),
    metavar="all|N|none",
    default="all",
    show_default=True,
    help="Messages before each request.",
)
@click.option("--dataset", default="", metavar="NAME", help="A part of ids on platforms.")
@click.option("--out", type=options.ANY_FILE, help="A file to write.")
@options.data_option
def export_command(  # noqa: PLR0913 - click gives each option by name
    *,
    names: tuple[str, ...],
    name: str,
    everything: bool,
    version: str | None,
    no_redact: bool,
    no_system: bool,
    text_only: bool,
    turns: Literal["turns", "last"],
    context: int | None,
    dataset: str,
    out: Path | None,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> int:
    """Write the eval-ready sessions in a format, or the sessions with the given IDs.

    Parts that are left out are printed with reasons. A session that cannot be read, or an expected
    output that is in no row, is an error: the other rows are written, and the exit code is 1.
    """
    store = SessionStore(data)
    form = FORMATS[name]
    if form.layout == "parquet" and out is None:
        raise click.UsageError("parquet is no text: give the file to write with --out FILE")
    ids = [session_lookup.find_session_id(store, beginning) for beginning in names]
    ready = None if everything or ids or version else True
    task = ExportTask(
        store,
        session_lookup.without_waiting(
            store, session_lookup.build_selection(given, ids=ids, ready=ready)
        ),
        form,
        ExportOptions(
            redact=not no_redact,
            system_prompts=not no_system,
            text_only=text_only,
            parts=turns,
            context=context,
            limit=given["limit"],
            dataset=dataset,
        ),
        version=None if version is None else read_dataset_version(data, version),
    )
    plan = task.make_quick_plan()
    if plan.is_large:
        bound = "" if plan.counts.rows else "at most "
        say(f"{bound}about {in_megabytes(plan.size)} will be written", err=True)
    options_of = {"last": "--turns last", "short": f"--context {SHORT_CONTEXT}"}
    for kind, size in plan.propose_smaller_exports().items():
        say(f"  {options_of[kind]} makes it about {size}", err=True)
    counts = ExportCounts()
    if out is None:
        sys.stdout.writelines(task.format_file(plan, counts))
    else:
        with open_atomic_file(out) as file:
            file.writelines(task.encode_file(plan, counts))
    _say_counts(counts)
    if not counts.sessions and ready:
        hint = "leaderboard session label ID --ready marks one; --all takes the others too"
        say(f"none is marked as an example: {hint}", err=True)
    return ExitCode.DONE if counts.is_whole else ExitCode.CHECK_FAILED


def _say_counts(counts: ExportCounts) -> None:
    say(
        f"{format_count(counts.rows, 'row')} of {format_count(counts.sessions, 'session')}",
        err=True,
    )
    for reason, number in sorted(counts.skipped.items()):
        say(f"{number} left out: {reason}", err=True)
    for reason, number in sorted(counts.cut.items()):
        say(f"{number} cut: {reason}", err=True)
    lookalikes = counts.lookalikes
    if lookalikes.count:
        say(f"strings in the rows that may be secret: {lookalikes.count}", err=True)
        for session_id, string in lookalikes.first[:_SHOWN]:
            say(make_one_line(f"{session_id}: {string}", 160), err=True)
        if lookalikes.count > _SHOWN:
            say(f"and {lookalikes.count - _SHOWN} more", err=True)
    for problem in counts.problems:
        say(f"cannot be exported: {problem}", err=True)
    for session_id, reasons in counts.lost.items():
        for reason in reasons:
            say(f"{session_id}: its expected output is in no row: {reason}", err=True)


@options.command(
    "leaderboard session version create regression-1 --status golden",
    "leaderboard session version create one 9f2c",
)
@click.argument(
    "name",
    type=options.match_pattern(
        DATASET_NAME, "may have 64 small letters, digits, dots, hyphens and underscores"
    ),
)
@click.argument("names", metavar="[ID]...", nargs=-1)
@_choosing_options
@options.record_options
def create_command(
    *,
    name: str,
    names: tuple[str, ...],
    everything: bool,
    data: DataFolder,
    **given: Any,  # noqa: ANN401 - as session_lookup says
) -> int:
    """Store the selected sessions and their labels as the version NAME.

    Selected are the eval-ready sessions, or the sessions with the given IDs. A version has ids,
    digests of transcripts and labels, and is never changed. If a session cannot be read, no version
    is written.
    """
    store = SessionStore(data)
    ids = [session_lookup.find_session_id(store, beginning) for beginning in names]
    ready = None if everything or ids else True
    chosen = session_lookup.without_waiting(
        store, session_lookup.build_selection(given, ids=ids, ready=ready)
    )
    members: list[LabeledSession] = []
    problems: list[InvalidRecordError] = []
    for source in select_sessions(store, chosen):
        if isinstance(source, InvalidRecordError):
            problems.append(source)
        elif len(members) != chosen.limit:
            members.append(source)
    for problem in problems:
        say(f"cannot be read: {problem}", err=True)
    if problems:
        return ExitCode.CHECK_FAILED
    version = make_version(data, name, members)
    row = {"name": name, "sessions": len(version.members), "digest": version.digest}
    say_result(row, [_describe_version(version)])
    return ExitCode.DONE


def _describe_version(version: DatasetVersion) -> str:
    sessions = format_count(len(version.members), "session")
    return f"{version.name}: {sessions}, digest {version.digest[:12]}"


@options.command(
    "leaderboard session version list", "leaderboard session version list regression-1"
)
@click.argument("name", required=False)
@options.record_options
def list_command(*, name: str | None, data: DataFolder) -> int:
    """List the versions, or the sessions of the version NAME with the labels that it has.

    If sessions of NAME were deleted, changed or damaged since, they are listed, and the exit code
    is 1.
    """
    if name is not None:
        version = read_dataset_version(data, name)
        problems = [
            source
            for source in read_members(SessionStore(data), version, SessionSelection())
            if isinstance(source, InvalidRecordError)
        ]
        lines: list[str] = []
        for member in version.members:
            tags = f"  [{', '.join(member.eval_tags)}]" if member.eval_tags else ""
            lines.append(make_one_line(f"{member.session}  {member.eval_status}{tags}", 160))
        lines.append(_describe_version(version))
        values = version.model_dump(mode="json", by_alias=True)
        say_result(values | {"problems": list(map(str, problems))}, lines)
        for problem in problems if not is_json() else ():
            say(make_one_line(str(problem)), err=True)
        return ExitCode.CHECK_FAILED if problems else ExitCode.DONE
    versions = [read_record(DatasetVersion, path) for path in data.local.datasets.list_files()]
    rows = [
        {
            "name": version.name,
            "created_at": version.created_at.isoformat(),
            "sessions": len(version.members),
            "digest": version.digest,
        }
        for version in versions
    ]
    lines = [
        f"{version.name}  {version.created_at:%Y-%m-%d}  "
        f"{format_count(len(version.members), 'session')}"
        for version in versions
    ]
    nothing = ["no version: leaderboard session version create NAME makes one"]
    say_result(rows, lines or nothing)
    return ExitCode.DONE
