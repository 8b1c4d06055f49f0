"""`leaderboard serve`: the site, rebuilt on every change."""

import contextlib
from pathlib import Path

import click
import uvicorn

from generator.build import Builder, Sources, for_good
from leaderboard.options import data_option, evals_option, out_option, templates_option
from leaderboard.preview import Preview
from records.folder import DataFolder


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--host", default="127.0.0.1", show_default=True)
@out_option
@templates_option
@evals_option
@data_option
def command(  # noqa: PLR0913 - one parameter per option of the command
    *, port: int, host: str, out: Path, templates: Path, evals_root: Path, data_root: Path
) -> None:
    """Serve the site with development runs shown; every change reaches the open browser."""
    sources = Sources(DataFolder(data_root), templates, evals_root, local=True)
    builder = Builder(sources, out)
    preview = Preview(out, builder.build, [data_root, templates, evals_root], click.echo)
    with for_good():
        preview.build()
    click.echo(f"http://{host}:{port}/ (Ctrl-C ends it)")
    config = uvicorn.Config(
        preview.app(), host=host, port=port, log_level="warning", timeout_graceful_shutdown=1
    )
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run()
