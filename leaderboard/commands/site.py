"""The commands that write published results: `leaderboard build` and `snapshot`."""

from pathlib import Path

import click

from generator.build import Sources, build, freeze_objects
from leaderboard import options
from leaderboard.project import find_texts
from leaderboard.terminal.streams import ExitCode, say, say_result
from records.files.data_folder import DataFolder
from records.text.numbers import format_count
from records.text.visible import make_one_line

_address_option = click.option(
    "--address", metavar="URL", help="The address of the published site.  [default: site.toml's]"
)


@options.command(
    "leaderboard build --strict --address https://board.example.org "
    "--repository https://github.com/OWNER/NAME",
    "leaderboard build --local --out /tmp/site",
)
@options.out_option
@click.option("--local", is_flag=True, help="Also show development runs and drafts, with marks.")
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse to build if `check` finds a problem, or an address is a placeholder.",
)
@click.option(
    "--for-programs",
    is_flag=True,
    help="Write a snapshot below /downloads/, and each page as Markdown, too.",
)
@_address_option
@click.option(
    "--repository", metavar="URL", help="The repository of records.  [default: site.toml's]"
)
@options.templates_option
@options.evals_if_there_option
@options.record_options
def build_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    out: Path,
    local: bool,
    strict: bool,
    for_programs: bool,
    address: str | None,
    repository: str | None,
    templates: Path,
    evals_root: Path,
    data: DataFolder,
) -> int:
    """Build the site from the published records."""
    if local and for_programs:
        raise click.UsageError(
            "--for-programs: a snapshot is of published records; leave out --local"
        )
    sources = Sources(
        data,
        templates,
        evals_root,
        local=local,
        address=address,
        repository=repository,
        texts=find_texts(),
        for_programs=for_programs,
    )
    if strict:
        # Imported here, because a build without changes ends before these imports.
        from generator.read.site_settings import read_settings  # noqa: PLC0415
        from records.checks.check_data import check_all  # noqa: PLC0415

        # Canonical links, feeds and pictures for link previews have these addresses, so that
        # placeholders would lead search engines to a wrong site.
        folder = sources.settings_folder
        settings = read_settings(folder, address=address, repository=repository)
        for field in settings.list_placeholders():
            say(
                f"{folder / 'site.toml'}: {field} is a placeholder ({getattr(settings, field)}): "
                f"fill it in, or give --{field}; nothing was built",
                err=True,
            )
        if settings.list_placeholders():
            return ExitCode.CHECK_FAILED
        problems = check_all(data)
        for problem in problems:
            say(make_one_line(str(problem)), err=True)
        if problems:
            number = format_count(len(problems), "problem")
            say(f"{data.root}: {number}; nothing was built", err=True)
            return ExitCode.CHECK_FAILED
    with freeze_objects():
        written = build(sources, out)
    for notice in written.notices:
        say(notice, err=True)
    changed, removed = len(written.changed), len(written.removed)
    row = {"site": str(out), "files": written.files, "changed": changed, "removed": removed}
    files = format_count(written.files, "file")
    say_result(row, [f"{out}: {files}, {changed} changed, {removed} removed"])
    return ExitCode.DONE


@options.command(
    "leaderboard snapshot --address https://board.example.org",
    "leaderboard snapshot --out /tmp/results --json",
)
@click.option(
    "--out",
    type=options.ANY_FOLDER,
    default=Path("snapshot"),
    show_default=True,
    help="Where it is written; an earlier snapshot there is replaced.",
)
@_address_option
@options.templates_option
@options.evals_if_there_option
@options.record_options
def snapshot_command(
    *,
    out: Path,
    address: str | None,
    templates: Path,
    evals_root: Path,
    data: DataFolder,
) -> int:
    """Write the published results as tables, Parquet and Every Eval Ever.

    Beside them come a data dictionary, croissant.json, a manifest with checksums, and one archive
    of all. Local runs are left out. docs/snapshots.md describes the files.
    """
    # Imported here, as it brings statistics and templates.
    from generator.snapshot.snapshot import take_snapshot  # noqa: PLC0415
    from generator.sources import Sources  # noqa: PLC0415

    sources = Sources(
        data,
        templates,
        evals_root,
        local=False,
        address=address,
        texts=find_texts(),
    )
    snapshot = take_snapshot(sources, out)
    size = sum(file.bytes for file in snapshot.files)
    row = {"snapshot": str(out), "runs": snapshot.runs, "files": len(snapshot.files), "bytes": size}
    runs = format_count(snapshot.runs, "run")
    files = format_count(len(snapshot.files), "file")
    say_result(row, [f"{out}: {runs} in {files}, {size / 1e6:.1f} MB"])
    return ExitCode.DONE
