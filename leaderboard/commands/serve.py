"""`leaderboard serve`: the site is served, and rebuilt on every change."""

import contextlib
import socket
from functools import partial
from pathlib import Path

import click
import uvicorn
from starlette.routing import BaseRoute
from watchfiles import watch

from generator.build import Builder, Sources, freeze_objects
from generator.output_folder import check_claim
from generator.scores.intervals import compute_session_interval
from leaderboard import options
from leaderboard.api.app import mount_api
from leaderboard.desk_reports import ReportPages
from leaderboard.preview.links import with_review_links
from leaderboard.preview.server import Preview
from leaderboard.project import find_texts
from leaderboard.request_guards import TimedHeadersProtocol
from leaderboard.sessions.session_lookup import reviewer_option
from leaderboard.terminal.streams import say
from records.files.data_folder import LABELS, DataFolder
from records.text.numbers import format_count
from review.desk.app import mount_desk
from review.desk.desk import Desk
from review.errors import ReviewError
from review.store import SessionStore

_MOST_CONNECTIONS = 500
"""The most connections at once; further requests get a 503, to limit memory."""


@options.command(
    "leaderboard serve",
    "leaderboard serve --port 0 --data /tmp/data",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 chooses a free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 127.0.0.1 can be reached only from this machine. The desk has "
    "no password: everybody who can reach it can read, judge and export all sessions.",
)
@reviewer_option(
    metavar="NAME",
    help="A pseudonym of yours for labels given at the desk; never exported.",
)
@options.out_option
@options.templates_option
@options.evals_if_there_option
@options.data_option
def serve_command(  # noqa: PLR0913 - one parameter per option of the command
    *,
    port: int,
    host: str,
    reviewer: str | None,
    out: Path,
    templates: Path,
    evals_root: Path,
    data: DataFolder,
) -> None:
    """Serve the site, development runs included; open pages follow every change.

    /review/ is the desk, where sessions are judged and exported.
    """
    check_claim(out)
    # Made before the first build: a port in use is an error at once, and early requests wait.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family)
    except OSError as error:
        # create_server appends the address to strerror, which this message names already.
        reason = str(error.strerror).partition(" (")[0]
        raise click.UsageError(f"--host {host} --port {port}: {reason}; choose another") from error
    with contextlib.closing(opened) as listening:
        sources = Sources(
            data, templates, evals_root, local=True, texts=find_texts(), steady_assets=True
        )
        # A watch of a single file would be lost if it is replaced.
        docs = sources.method.parent
        watched = [sources.data.root, sources.templates]
        watched += [folder for folder in (sources.evals, docs) if folder.is_dir()]
        try:
            # A watch of a millisecond shows, before the first build, whether watching is possible.
            next(watch(*watched, rust_timeout=1, yield_on_timeout=True))
        except OSError as error:
            raise click.UsageError(f"changes cannot be watched for: {error}") from error
        preview = Preview(
            out,
            Builder(sources, out),
            watched,
            say,
            host=host,
            ignored=list_paths_without_page(data),
            is_shown=partial(is_audited_log, data),
            added=with_review_links,
        )
        url_host = f"[{host}]" if ":" in host else host
        address = f"http://{url_host}:{listening.getsockname()[1]}/"
        say(f"building the site; {address} opens it after the build")
        with freeze_objects():
            preview.build()
        say(f"{address} (Ctrl-C ends it; sessions are judged at /review/)")
        config = uvicorn.Config(
            preview.build_app(make_routes(sources, reviewer)),
            log_level="warning",
            use_colors=False,
            timeout_graceful_shutdown=1,
            http=TimedHeadersProtocol,
            limit_concurrency=_MOST_CONNECTIONS,
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def list_paths_without_page(data: DataFolder) -> list[Path]:
    """Return the paths of a data folder that no page shows, so that changes in them start no build.

    Otherwise each received or sent attempt, and each use of a key, would start a build.
    """
    names = ("sessions", "comparisons")
    local = ("outbox", "desk.token", "bulk")
    return [
        *(folder.root / name for folder in (data, data.local) for name in names),
        *(data.local.root / name for name in local),
        *(data.inbox, data.cache, data.locks, data.keys_file),
    ]


def is_audited_log(data: DataFolder, path: Path) -> bool:
    """Return whether a file is a label log, which the method page counts if audits exist."""
    folders = (data, data.local)
    return path.name.endswith(LABELS) and any(
        next(folder.audits.list_files(), None) is not None for folder in folders
    )


def make_routes(sources: Sources, reviewer: str | None) -> list[BaseRoute]:
    """Return the routes of the API and of the desk, which are served besides the site."""

    def make_sessions_of_run(run_id: str) -> str:
        from leaderboard.sessions.attempt_sessions import make_sessions  # noqa: PLC0415 - slow
        from records.runs.run_lookup import find_run  # noqa: PLC0415
        from runner.errors import RunnerError  # noqa: PLC0415

        record = find_run(sources.data, run_id).get_record_file()
        try:
            counts = make_sessions(sources.data, sources.evals, [record])
        except RunnerError as error:  # the suite, which has the reference answers, is invalid
            raise ReviewError(str(error)) from error
        return f"{format_count(counts.made, 'session')}, {counts.changed} new or changed"

    store = SessionStore(sources.data)
    desk = Desk(
        store,
        sources.templates / "assets",
        compute_session_interval,
        reviewer,
        make_sessions_of_run,
    )
    reports = ReportPages(sources.data, sources.evals)
    return [*mount_api(sources.data), *mount_desk(desk, reports.list_routes)]
