"""`leaderboard export`: sessions as the files that other programs load."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

import click

from leaderboard.options import data_option, examples
from leaderboard.session_options import selection, selection_options
from leaderboard.sessions import without_waiting
from leaderboard.streams import say
from records.folder import DataFolder
from records.showing import counted
from records.writer import atomic_file
from review.exports.formats import FORMATS, ExportCounts, exported, file_pieces
from review.exports.rows import ExportOptions
from review.store import SessionStore


@click.command(
    "export",
    epilog=examples(
        "leaderboard export --format deepeval --status golden --out golden.json",
        "leaderboard export --format openai --tag auth --limit 100 > chats.jsonl",
    ),
)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(FORMATS)),
    default="deepeval",
    show_default=True,
    help="Which program is to load it.",
)
@selection_options
@click.option("--all", "everything", is_flag=True, help="Those that are not eval-ready, too.")
@click.option("--no-redact", is_flag=True, help="Leave keys, addresses and home folders in.")
@click.option("--no-system", is_flag=True, help="Leave system messages out.")
@click.option("--text-only", is_flag=True, help="Leave calls of tools and their results out.")
@click.option(
    "--turns",
    type=click.Choice(["turns", "last"]),
    default="turns",
    show_default=True,
    help="Each turn, or the last of a session.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A file to write.")
@data_option
def command(  # noqa: PLR0913 - click gives each option by name
    *,
    name: str,
    everything: bool,
    no_redact: bool,
    no_system: bool,
    text_only: bool,
    turns: Literal["turns", "last"],
    out: Path | None,
    data_root: Path,
    **options: Any,  # noqa: ANN401 - as selection_options says
) -> int:
    """Write the eval-ready sessions in a format; what was left out is told with reasons."""
    how = ExportOptions(
        redact=not no_redact, system_prompts=not no_system, text_only=text_only, parts=turns
    )
    store = SessionStore(DataFolder(data_root))
    chosen = without_waiting(store, selection(options, ready=None if everything else True))
    form = FORMATS[name]
    if form.layout == "parquet" and out is None:
        raise click.UsageError("parquet is no text: --out FILE says where it goes")
    counts = ExportCounts()
    sessions = chosen.of(store)
    with nullcontext() if out is None else atomic_file(out) as file:
        if file is None:
            for text in exported(sessions, form, how, counts):
                sys.stdout.write(text)
        else:
            for piece in file_pieces(sessions, form, how, counts):
                file.write(piece)
    say(f"{counted(counts.rows, 'row')} of {counted(counts.sessions, 'session')}", err=True)
    for reason, number in sorted(counts.skipped.items()):
        say(f"{number} left out: {reason}", err=True)
    if not counts.sessions and not everything:
        hint = "leaderboard session label ID --ready marks one; --all takes the others too"
        say(f"none is eval-ready: {hint}", err=True)
    return 0
