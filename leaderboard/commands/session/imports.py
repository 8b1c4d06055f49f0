"""`leaderboard session import`: sessions that other programs recorded."""

from pathlib import Path

import click

from leaderboard.options import format_examples, json_option, new_data_option
from leaderboard.sessions.imports import SessionImport
from leaderboard.terminal.exit_codes import CHECK_FAILED, DONE
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from review.session_imports.session_importers import IMPORTERS
from review.store import SessionStore


@click.command(
    "import",
    epilog=format_examples(
        "leaderboard session import ~/.claude/projects/app",
        "leaderboard session import --dry-run ~/.codex/sessions",
        "cat chats.jsonl | leaderboard session import -",
        "leaderboard session import --format chat chats.jsonl",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    "importer",
    type=click.Choice(list(IMPORTERS)),
    help="The program that wrote the files; needed if their form does not show it.",
)
@click.option("--dry-run", is_flag=True, help="Print the result, and write nothing.")
@new_data_option
@json_option
def command(
    *, files: tuple[Path, ...], importer: str | None, dry_run: bool, data_root: Path, as_json: bool
) -> int:
    """Read sessions that other programs recorded; the form of a file shows the program.

    A folder means all files in it, and - is standard input. Lines that cannot be read are printed;
    the rest is imported, and the exit code is 1. Parts that are not stored are counted by kind. The
    same file again changes nothing. A longer version of a file is a new version of the same
    session, whose label is stale then. An export of this program does not change stored sessions.
    """
    store = SessionStore(DataFolder(data_root))
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
    say_result(row, [*counts.format_counts(), *notice], as_json=as_json)
    return CHECK_FAILED if counts.faults else DONE
