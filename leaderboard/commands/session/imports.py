"""`leaderboard session import`: sessions that other programs recorded."""

import os
from pathlib import Path
from typing import Final

import click

from leaderboard.exits import CHECK_FAILED, DONE
from leaderboard.options import examples, json_option, new_data_option
from leaderboard.streams import say, say_json
from records.errors import InvalidRecordError
from records.folder import DataFolder
from records.showing import counted, one_line
from review.session_imports.importers import IMPORTERS, imported
from review.session_imports.own_copies import is_known_copy
from review.session_imports.reading import BadLine
from review.store import SessionStore

PROGRESS: Final = 1000
"""After so many sessions it is told how many there are so far."""


@click.command(
    "import",
    epilog=examples(
        "leaderboard session import ~/.claude/projects/app/*.jsonl",
        "leaderboard session import --format chat chats.jsonl",
    ),
)
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--format",
    "importer",
    type=click.Choice(list(IMPORTERS)),
    help="What wrote the files, where that is not seen.",
)
@new_data_option
@json_option
def command(
    *, files: tuple[Path, ...], importer: str | None, data_root: Path, as_json: bool
) -> int:
    """Read sessions that other programs recorded; what wrote a file is seen from its shape.

    What cannot be read is told by file and line, and the rest is imported: then the exit code is 1.
    The same file again changes nothing; labels stay. A session that comes back from an export of
    this program leaves the one that is here as it is.
    """
    store = SessionStore(DataFolder(data_root))
    read = changed = bad = 0
    for path in files:
        try:
            for found in imported(path, importer):
                if isinstance(found, BadLine):
                    bad += found.wrong
                    say(one_line(str(found)), err=True)
                else:
                    read += 1
                    known = is_known_copy(found, store)
                    changed += not known and store.write(found, durable=False)
                    if read % PROGRESS == 0:
                        say(f"{counted(read, 'session')} so far", err=True)
        except InvalidRecordError as error:
            bad += 1
            say(one_line(str(error)), err=True)
    # One flush for all: a machine that stops before loses nothing that the files do not hold.
    os.sync()
    if as_json:
        say_json({"sessions": read, "changed": changed, "faults": bad})
    else:
        say(f"{counted(read, 'session')}, {changed} new or changed")
    return CHECK_FAILED if bad else DONE
