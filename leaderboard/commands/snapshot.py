"""`leaderboard snapshot`: the published results as files that other programs load."""

from pathlib import Path

import click

from leaderboard.options import (
    data_option,
    evals_if_there_option,
    format_examples,
    json_option,
    templates_option,
)
from leaderboard.project import find_texts
from leaderboard.terminal.exit_codes import DONE
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.text.numbers import format_count


@click.command(
    "snapshot",
    epilog=format_examples(
        "leaderboard snapshot --address https://board.example.org",
        "leaderboard snapshot --out /tmp/results --json",
    ),
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("snapshot"),
    show_default=True,
    help="Where it is written; an earlier snapshot there is replaced.",
)
@click.option(
    "--address", metavar="URL", help="The address of the published site.  [default: site.toml's]"
)
@templates_option
@evals_if_there_option
@data_option
@json_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    out: Path,
    address: str | None,
    templates: Path,
    evals_root: Path,
    data_root: Path,
    as_json: bool,
) -> int:
    """Write the published results as tables, Parquet and Every Eval Ever.

    Beside them come a data dictionary, croissant.json, a manifest with checksums, and one archive
    of all. Local runs are left out. docs/snapshots.md describes the files.
    """
    # Imported here, as it brings statistics and templates.
    from generator.snapshot.snapshot import take_snapshot  # noqa: PLC0415
    from generator.sources import Sources  # noqa: PLC0415

    sources = Sources(
        DataFolder(data_root),
        templates,
        evals_root,
        local=False,
        address=address,
        texts=find_texts(),
    )
    snapshot = take_snapshot(sources, out)
    size = sum(file.size for file in snapshot.files)
    row = {"snapshot": str(out), "runs": snapshot.runs, "files": len(snapshot.files), "bytes": size}
    runs = format_count(snapshot.runs, "run")
    files = format_count(len(snapshot.files), "file")
    say_result(row, [f"{out}: {runs} in {files}, {size / 1e6:.1f} MB"], as_json=as_json)
    return DONE
