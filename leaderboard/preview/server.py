"""The preview: serves the built site, rebuilds it after a change, and reloads the open pages.

It also reports faults that do not stop a build: broken links, and reports without their run. The
script for reloading is added to pages when they are served, never to the files on disk.
"""

import asyncio
import json
import re
import threading
import traceback
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Route
from watchfiles import Change, DefaultFilter, awatch  # pyright: ignore[reportUnknownVariableType] - names trio, which is not needed here

from generator.build import Builder
from generator.errors import AbandonedError, GeneratorError, SourceChangedError
from leaderboard.preview.links import find_broken_links, find_redirect, with_source
from leaderboard.request_guards import HostGuard
from records.errors import RecordsError
from review.desk.guard import FixedHeaders

if TYPE_CHECKING:
    from generator.output_folder import Written

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""The Content-Security-Policy that netlify.toml gives the published site."""


_TAG = b'<script src="/__preview/client.js" defer></script></head>'
_MISSING = b"<!doctype html><head><title>Not found</title></head>Not found"

_ROOT_OF_ASSETS = re.compile(rb'="(/[^"]*/)assets/')

_ROUTE = "/__preview"

_SOON_S = 0.5
"""The seconds after which open pages announce a build that has not ended."""

_AGAIN_S = 0.3
"""The seconds between searches for the watched folders, while none of them exists."""

_EDITED = (".html", ".md", ".txt", ".ts", ".tsx")
"""The suffixes of files that people edit with a page open: templates, reports, texts of evals."""

_PASSING = r"^\..*\.(tmp|lock)$"
"""The names of locks, and of temporary files that are renamed later (`records.writer`)."""


MOST_NOTICES = 50
"""The most notices that are listed; a wrong link in a template may cause thousands."""


@dataclass(frozen=True, slots=True)
class News:
    """A message to an open page."""

    problem: str | None
    """The error of the last build; None if it succeeded."""
    notices: Sequence[str]
    """Reports without their run, and broken links."""
    reload: bool = False
    """True if the content of the page changed."""
    style: bool = False
    """True if style sheets changed, which the page can load without a reload."""
    building: bool = False
    """True while a build runs."""

    def format_event(self) -> str:
        """Return the message as an event of the stream."""
        notices = [*self.notices[:MOST_NOTICES]]
        if len(self.notices) > MOST_NOTICES:
            notices.append(f"and {len(self.notices) - MOST_NOTICES} more")
        message = {**asdict(self), "notices": notices}
        return f"data: {json.dumps(message)}\n\n"


@dataclass(frozen=True, slots=True, eq=False)
class OpenPage:
    """A page that is open in a browser."""

    file: str | None
    """The file of the page, relative to the output folder; None if the browser did not name it."""
    queue: asyncio.Queue[News]


class Preview:
    """The site in ``out``, rebuilt by ``builder`` when something in ``watched`` changes."""

    def __init__(  # noqa: PLR0913 - each is a folder or an option of the command
        self,
        out: Path,
        builder: Builder,
        watched: Sequence[Path],
        tell: Callable[[str], object] = print,
        *,
        host: str = "127.0.0.1",
        ignored: Sequence[Path] = (),
        is_shown: Callable[[Path], bool] = lambda _: False,
        added: Callable[[str, bytes], bytes] = lambda _, page: page,
    ) -> None:
        """Store the settings; nothing is built or watched before the app starts.

        Requests must be for ``host``, ``localhost`` or an IP address. A change in ``ignored``
        starts no build, unless ``is_shown`` returns True for the file. ``added`` gets the path of a
        page, relative to the site, and its HTML, and returns the HTML to serve. ``tell`` gets
        messages.
        """
        self._out = out.resolve()
        self._builder = builder
        self._ahead_of_build: Mapping[str, bytes] = {}
        """The contents of pages that are newer than their files, while a build runs."""
        self._watched = watched
        self._tell = tell
        self._host = host
        filter_paths = DefaultFilter(
            ignore_entity_patterns=[*DefaultFilter.ignore_entity_patterns, _PASSING],
            ignore_paths=[path.absolute() for path in ignored],
        )

        def may_change_page(change: Change, path: str) -> bool:
            return filter_paths(change, path) or is_shown(Path(path))

        self._filter = may_change_page
        self._added = added
        self._calm = threading.Event()
        """Cleared while open pages are rendered. Python runs one thread at a time, so the search
        for broken links in thousands of pages would delay the rendering."""
        self._calm.set()
        self._last_written: Written | None = None
        """The files that the last build wrote; None if it failed."""
        self._unchecked: Written | None = None
        """The last build since whose end links were not checked; None if there is none."""
        self._looking = asyncio.Lock()
        self.problem: str | None = None
        """The error of the last build; None if it succeeded."""
        self._notices: Sequence[str] = []
        self._stop = asyncio.Event()
        self._open_pages: set[OpenPage] = set()
        """The open pages; each has a stream of messages, which ends when the preview stops."""

    def build_app(self, more: Sequence[BaseRoute] = ()) -> Starlette:
        """Return the ASGI application; ``more`` are routes beside the site."""

        @asynccontextmanager
        async def watch_meanwhile(app: Starlette) -> AsyncGenerator[None]:
            del app
            watching = asyncio.create_task(self._watch())
            looking = asyncio.create_task(self._look_over())
            yield
            self._stop.set()
            await asyncio.gather(watching, looking)

        async def serve_events(request: Request) -> Response:
            address = request.query_params.get("page")
            file = None if address is None else _find_page_file(address)
            return StreamingResponse(self._stream_events(file), media_type="text/event-stream")

        async def serve_client(request: Request) -> Response:
            del request
            client = Path(__file__).with_name("preview.js")
            return FileResponse(client, media_type="text/javascript")

        routes = [
            Route(f"{_ROUTE}/events", serve_events),
            Route(f"{_ROUTE}/client.js", serve_client),
            *more,
            Route("/{path:path}", self._serve_page),
        ]
        guards = [
            Middleware(HostGuard, hosts=[self._host]),
            Middleware(FixedHeaders, headers={"Content-Security-Policy": POLICY}),
        ]
        return Starlette(routes=routes, lifespan=watch_meanwhile, middleware=guards)

    async def _watch(self) -> None:
        """Watch until the app stops; begin again if a folder appears, disappears or is replaced."""
        while not self._stop.is_set():
            identities = self._identify_folders()
            existing = [
                path for path, identity in zip(self._watched, identities, strict=True) if identity
            ]
            if existing:
                building: asyncio.Task[None] | None = None
                was_abandoned = False
                async with asyncio.TaskGroup() as tasks:
                    async for edited in self._watch_changes(existing, identities):
                        # Changed records do not end two builds in a row. Otherwise an active run
                        # would end every build before it has written a page.
                        if edited or not was_abandoned:
                            self._builder.abandon()
                            was_abandoned = building is not None and not building.done()
                        else:
                            was_abandoned = False
                        await self._show_change(building)
                        building = tasks.create_task(self._build_and_tell())
                        tasks.create_task(self._look_over(building))
            else:
                await asyncio.sleep(_AGAIN_S)

    def _identify_folders(self) -> list[tuple[int, int] | None]:
        """Return device and inode of each watched folder; None for a folder that does not exist."""
        statuses = [path.stat() if path.exists() else None for path in self._watched]
        return [status and (status.st_dev, status.st_ino) for status in statuses]

    async def _show_change(self, building: asyncio.Task[None] | None) -> None:
        """Render the open pages, before the next build renders all, and reload them.

        The current build, if any, ends first.
        """
        self._calm.clear()
        try:
            if building is not None:
                await building
            files = {page.file for page in self._open_pages if page.file is not None}
            if not files:
                return
            pages_before = dict(self._ahead_of_build)
            for file in files - pages_before.keys():
                path = self._out / file
                if path.is_file():
                    pages_before[file] = path.read_bytes()
            try:
                self._ahead_of_build = await asyncio.to_thread(self._builder.render_ahead, files)
            except Exception:  # noqa: BLE001 - the build meets the same, and tells it
                return
            for page in self._open_pages:
                now = self._ahead_of_build.get(page.file or "")
                if now is not None and now != pages_before.get(page.file or ""):
                    page.queue.put_nowait(self._build_current_news(reload=True))
        finally:
            self._calm.set()

    async def _watch_changes(
        self, there: Sequence[Path], identities: Sequence[tuple[int, int] | None]
    ) -> AsyncIterator[bool]:
        """Yield at each change whether it is an edit by a person.

        The first item comes without a change. The iterator ends if a watched folder is replaced.
        """
        caught_up = False
        roots = {str(path.absolute()) for path in there}
        async for changes in awatch(
            *there,
            watch_filter=self._filter,
            stop_event=self._stop,
            debounce=200,
            step=10,
            rust_timeout=300,
            yield_on_timeout=True,
        ):
            if self._identify_folders() != identities or any(path in roots for _, path in changes):
                return  # a watch follows the folder and not its name, so a new watch is needed
            # The first build needs no change: files may have changed before the watch began.
            if not changes and caught_up:
                continue
            caught_up = caught_up or not changes
            yield any(path.endswith(_EDITED) for _, path in changes)

    async def _build_and_tell(self) -> None:
        """Build; announce a long build on open pages, and send them the result."""
        before = self.problem
        building = asyncio.create_task(asyncio.to_thread(self.build))
        await asyncio.wait({building}, timeout=_SOON_S)
        announced = not building.done()
        if announced:
            self._broadcast(building=True)
        ahead_of_build = self._ahead_of_build
        try:
            news = await building
            self._ahead_of_build = {}
        except AbandonedError:
            # Pages that were rendered before the build are served until a build is complete.
            news = False
        if not news:
            if announced:
                self._broadcast()
            return
        last = self._last_written
        changed = [] if last is None else [*last.changed, *last.removed]
        for page in self._open_pages:
            page.queue.put_nowait(
                self._build_news(page, changed, ahead_of_build, mended=before is not None)
            )

    def _build_news(
        self,
        page: OpenPage,
        changed: Sequence[str],
        shown_pages: Mapping[str, bytes],
        *,
        mended: bool,
    ) -> News:
        """Return the message to an open page after a build.

        ``changed`` are the changed files, ``shown_pages`` the contents that the browser had
        before, and ``mended`` is true if the build before had an error.
        """
        if self.problem is not None:
            return self._build_current_news()
        if page.file is None or mended:
            return self._build_current_news(reload=True)
        written = self._out / page.file
        page_state = shown_pages.get(page.file)
        if page_state is not None and written.is_file() and written.read_bytes() == page_state:
            changed = [path for path in changed if path != page.file]
        script = any(path.startswith("assets/") and path.endswith(".js") for path in changed)
        style = any(path.startswith("assets/") and path.endswith(".css") for path in changed)
        return self._build_current_news(reload=page.file in changed or script, style=style)

    def build(self) -> bool:
        """Rebuild the site; return whether open pages need a message about it.

        The last good site stays in place if the sources have an error.

        Raises:
            AbandonedError: a newer build follows.
        """
        before, self._last_written = self.problem, None
        try:
            written = self._builder.build()
        except AbandonedError:
            raise
        except SourceChangedError:
            return False  # a source changed meanwhile, and this starts another build
        except (RecordsError, GeneratorError, OSError) as error:
            self.problem = with_source(str(error))
        except Exception as error:  # noqa: BLE001 - a fault of the program: told, and watched on
            self.problem = "".join(traceback.format_exception(error))
        else:
            self.problem = None
            self._last_written = written
            self._unchecked = written
            return before is not None or bool(written.changed or written.removed)
        if self.problem == before:
            return False
        self._tell(self.problem)
        return True

    async def _look_over(self, building: asyncio.Task[None] | None = None) -> None:
        """Report faults within the site after a build, if they differ from the last report."""
        if building is not None:
            await asyncio.wait({building})
        async with self._looking:
            written, self._unchecked = self._unchecked, None
            if written is None:
                return
            broken = await asyncio.to_thread(find_broken_links, self._out, self._calm.wait)
            notices = [*written.notices, *broken]
            if notices != self._notices:
                self._notices = notices
                for notice in notices[:MOST_NOTICES]:
                    self._tell(notice)
                self._broadcast()

    def _build_current_news(
        self, *, reload: bool = False, style: bool = False, building: bool = False
    ) -> News:
        return News(self.problem, self._notices, reload=reload, style=style, building=building)

    def _broadcast(self, *, building: bool = False) -> None:
        for page in self._open_pages:
            page.queue.put_nowait(self._build_current_news(building=building))

    async def _stream_events(self, file: str | None) -> AsyncIterator[str]:
        """Yield the messages to a page, the first at once; the page is open meanwhile."""
        page = OpenPage(file, asyncio.Queue())
        self._open_pages.add(page)
        page.queue.put_nowait(self._build_current_news())
        try:
            while not self._stop.is_set():
                try:
                    news = await asyncio.wait_for(page.queue.get(), timeout=15)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield news.format_event()
        finally:
            self._open_pages.discard(page)

    async def _serve_page(self, request: Request) -> Response:
        name = _find_page_file(request.path_params["path"])
        # The build may not have written a page yet whose record came back.
        if (ahead := self._ahead_of_build.get(name)) is not None:
            return HTMLResponse(self._added(name, ahead).replace(b"</head>", _TAG, 1))
        try:
            path = (self._out / request.path_params["path"]).resolve()
            path = path / "index.html" if path.is_dir() else path
            exists = path.is_relative_to(self._out) and path.is_file()
        except (ValueError, OSError):  # no file can have this name
            path, exists = self._out, False
        if not exists and (redirect := find_redirect(self._out, request.url.path)) is not None:
            return RedirectResponse(redirect.address, redirect.status)
        if not exists:
            # The 404 page has the reload script too: the page may exist after the next build.
            page = await asyncio.to_thread(self._read_not_found_page)
            return HTMLResponse(page.replace(b"</head>", _TAG, 1), status_code=404)
        if path.suffix == ".html":
            name = path.relative_to(self._out).as_posix()
            page = self._added(name, await asyncio.to_thread(path.read_bytes))
            return HTMLResponse(page.replace(b"</head>", _TAG, 1))
        return FileResponse(path)

    def _read_not_found_page(self) -> bytes:
        """Return the 404 page of the site; a plain page if nothing is built yet.

        Its links have the path of the published site, and the preview is at the root of its host.
        """
        try:
            page = (self._out / "404.html").read_bytes()
        except OSError:
            return _MISSING
        root = _ROOT_OF_ASSETS.search(page)
        return page.replace(b'="' + root[1], b'="/') if root else page


def _find_page_file(address: str) -> str:
    """Return the file of the page at a path of the site."""
    file = address.removeprefix("/")
    if file.endswith(".html"):
        return file
    return f"{file.removesuffix('/')}/index.html".removeprefix("/")
