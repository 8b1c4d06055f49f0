"""The preview: serves the built site, rebuilds it on a change, and tells open pages to reload.

Beside that it tells what is wrong and does not stop a build: links that lead nowhere, reports
without their run. The script is added to pages as they are served, never to the site on disk.
"""

import asyncio
import json
import traceback
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    MutableMapping,
    Sequence,
)
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from watchfiles import DefaultFilter, awatch  # pyright: ignore[reportUnknownVariableType] - names trio, which is not needed here

from generator.errors import GeneratorError
from generator.output import Written
from leaderboard.guard import HostGuard
from leaderboard.links import Links
from records.errors import RecordsError

_CLIENT: Final = """\
const show = (id, role, text, colours) => {
  document.getElementById(id)?.remove();
  if (!text) return;
  const box = document.createElement("pre");
  box.id = id;
  box.setAttribute("role", role);
  box.textContent = text;
  box.style.cssText =
    "position:fixed;inset:auto 0 0 0;margin:0;padding:1rem;max-height:40vh;overflow:auto;" +
    "font:14px/1.5 monospace;z-index:9;white-space:pre-wrap;" + colours;
  document.body.append(box);
};
const events = new EventSource("/__preview/events");
events.onmessage = (event) => {
  const { problem, notices, reload } = JSON.parse(event.data);
  if (reload) { location.reload(); return; }
  show("preview-notices", "status", notices.join("\\n"), "background:#3a2c05;color:#fff");
  show("preview-problem", "alert", problem, "background:#3b0d0d;color:#fff");
};
"""
_TAG: Final = b'<script src="/__preview/client.js" defer></script></head>'
_MISSING: Final = b"<!doctype html><head><title>Not found</title></head>Not found"

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""The Content-Security-Policy that netlify.toml gives the published site."""

_AGAIN_S: Final = 0.3
"""After how long it is seen that a folder came back."""

_MOST: Final = 50
"""Notices that are listed; there may be thousands where a template has a wrong link."""


@dataclass(frozen=True, slots=True)
class News:
    """What open pages are told."""

    problem: str | None
    """Why the site could not be built; None where it could."""
    notices: Sequence[str]
    """Reports without their run, and links that lead nowhere."""
    reload: bool = False
    """Whether there is something new to see."""

    def event(self) -> str:
        """Return it as an event of the stream."""
        notices = [*self.notices[:_MOST]]
        if len(self.notices) > _MOST:
            notices.append(f"and {len(self.notices) - _MOST} more")
        told = {"problem": self.problem, "notices": notices, "reload": self.reload}
        return f"data: {json.dumps(told)}\n\n"


def _as_it_is(path: str, page: bytes) -> bytes:
    del path
    return page


class Preview:
    """The site in ``out``, rebuilt by ``rebuild`` when something in ``watched`` changes."""

    def __init__(  # noqa: PLR0913 - each is a place or a wish of the command
        self,
        out: Path,
        rebuild: Callable[[], Written],
        watched: Sequence[Path],
        tell: Callable[[str], object] = print,
        *,
        host: str = "127.0.0.1",
        ignored: Sequence[Path] = (),
        added: Callable[[str, bytes], bytes] = _as_it_is,
    ) -> None:
        """Prepare; nothing is built or watched before the app starts.

        Requests may call this machine by ``host``, by ``localhost`` or by any address. A change
        below ``ignored`` is none of the site's. ``added`` is given the path of a page below the
        site and its HTML, and returns what is served.
        """
        self._out = out.resolve()
        self._rebuild = rebuild
        self._watched = watched
        self._tell = tell
        self._host = host
        self._filter = DefaultFilter(ignore_paths=[path.absolute() for path in ignored])
        self._added = added
        self._links = Links(self._out)
        self._written: list[Written] = []
        self._looking = asyncio.Lock()
        self.problem: str | None = None
        """Why the site could not be built the last time; None where it could."""
        self._notices: Sequence[str] = []
        self._open_pages: set[asyncio.Queue[News]] = set()
        self._stop = asyncio.Event()

    def app(self, more: Sequence[BaseRoute] = ()) -> Starlette:
        """Return the ASGI application; ``more`` are routes beside the site."""
        routes = [
            Route("/__preview/events", self._events),
            Route("/__preview/client.js", self._client),
            *more,
            Route("/{path:path}", self._page),
        ]
        guards = [Middleware(HostGuard, hosts=[self._host]), Middleware(_Policy)]
        return Starlette(routes=routes, lifespan=self._lifespan, middleware=guards)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncGenerator[None]:
        del app
        watching = asyncio.create_task(self._watch())
        looking = asyncio.create_task(self._look_over())
        yield
        self._stop.set()
        await asyncio.gather(watching, looking)

    async def _watch(self) -> None:
        """Watch to the end; anew where a folder came, went, or was replaced by one of its name."""
        while not self._stop.is_set():
            places = self._places()
            there = [path for path, place in zip(self._watched, places, strict=True) if place]
            if there:
                await self._watch_these(there, places)
            else:
                await asyncio.sleep(_AGAIN_S)

    def _places(self) -> list[tuple[int, int] | None]:
        """Return what tells each watched folder from another of its name; None where it is not."""
        found = [path.stat() if path.exists() else None for path in self._watched]
        return [one and (one.st_dev, one.st_ino) for one in found]

    async def _watch_these(
        self, there: Sequence[Path], places: Sequence[tuple[int, int] | None]
    ) -> None:
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
            if self._places() != places or any(path in roots for _, path in changes):
                return  # a watch follows the folder, not its name; the next one begins in full
            # The first build needs no change: files may have changed before the watch began.
            if not changes and caught_up:
                continue
            caught_up = caught_up or not changes
            if await asyncio.to_thread(self.build):
                self._broadcast(reload=self.problem is None)
            await self._look_over()

    def build(self) -> bool:
        """Rebuild the site; say whether open pages are to hear of it.

        The last good site stays in place when something is wrong with its sources.
        """
        before = self.problem
        try:
            written = self._rebuild()
        except (RecordsError, GeneratorError, OSError) as error:
            self.problem = str(error)
        except Exception as error:  # noqa: BLE001 - a fault of the program: told, and watched on
            self.problem = "".join(traceback.format_exception(error))
        else:
            self.problem = None
            self._written.append(written)
            return before is not None or bool(written.changed or written.removed)
        if self.problem == before:
            return False
        self._tell(self.problem)
        return True

    async def _look_over(self) -> None:
        """Say what is wrong within the site, where that is not what was said last."""
        async with self._looking:
            written, self._written = self._written, []
            if not written:
                return
            broken = await asyncio.to_thread(self._broken, written)
            notices = [*written[-1].notices, *broken]
            if notices != self._notices:
                self._notices = notices
                for notice in notices[:_MOST]:
                    self._tell(notice)
                self._broadcast()

    def _broken(self, written: Sequence[Written]) -> list[str]:
        """Return links that lead nowhere; the first time every page is read."""
        broken: list[str] = []
        for one in written:
            changed: Iterable[str] = one.changed
            if not self._links.started:
                found = self._out.rglob("*.html")
                changed = [path.relative_to(self._out).as_posix() for path in found]
            broken = self._links.update(changed, one.removed)
        return broken

    def _broadcast(self, *, reload: bool = False) -> None:
        for page in self._open_pages:
            page.put_nowait(News(self.problem, self._notices, reload))

    async def _events(self, request: Request) -> Response:
        del request
        return StreamingResponse(
            self._stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _stream(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[News] = asyncio.Queue()
        queue.put_nowait(News(self.problem, self._notices))
        self._open_pages.add(queue)
        try:
            while not self._stop.is_set():
                try:
                    news = await asyncio.wait_for(queue.get(), timeout=15)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield news.event()
        finally:
            self._open_pages.discard(queue)

    async def _client(self, request: Request) -> Response:
        del request
        return Response(_CLIENT, media_type="text/javascript")

    async def _page(self, request: Request) -> Response:
        try:
            path = (self._out / request.path_params["path"]).resolve()
            path = path / "index.html" if path.is_dir() else path
            found = path.is_relative_to(self._out) and path.is_file()
        except (ValueError, OSError):  # no file can be called so
            path, found = self._out, False
        if not found:
            # The 404 page has the reload script too: the page may exist after the next build.
            return HTMLResponse(_MISSING.replace(b"</head>", _TAG), status_code=404)
        if path.suffix == ".html":
            page = await asyncio.to_thread(path.read_bytes)
            page = self._added(path.relative_to(self._out).as_posix(), page)
            return HTMLResponse(page.replace(b"</head>", _TAG, 1))
        return FileResponse(path)


class _Policy:
    """Sends the site's policy with every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Content-Security-Policy"] = POLICY
            await send(message)

        await self._app(scope, receive, with_policy)
