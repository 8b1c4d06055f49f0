"""The preview: serves the built site, rebuilds it on a change, and tells open pages to reload.

The reload script is added to pages as they are served, never to the site on disk.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - names trio, which is not needed here

from generator.errors import GeneratorError
from records.errors import RecordsError

_CLIENT: Final = """\
const events = new EventSource("/__preview/events");
events.onmessage = (event) => {
  const { problem } = JSON.parse(event.data);
  document.getElementById("preview-problem")?.remove();
  if (problem === null) { location.reload(); return; }
  const overlay = document.createElement("pre");
  overlay.id = "preview-problem";
  overlay.setAttribute("role", "alert");
  overlay.textContent = problem;
  overlay.style.cssText =
    "position:fixed;inset:auto 0 0 0;margin:0;padding:1rem;max-height:40vh;overflow:auto;" +
    "background:#3b0d0d;color:#fff;font:14px/1.5 monospace;z-index:9;white-space:pre-wrap";
  document.body.append(overlay);
};
"""
_TAG: Final = b'<script src="/__preview/client.js" defer></script></head>'


class Preview:
    """The site in ``out``, rebuilt by ``rebuild`` when something in ``watched`` changes."""

    def __init__(self, out: Path, rebuild: Callable[[], object], watched: Sequence[Path]) -> None:
        """Prepare; nothing is built or watched before the app starts."""
        self._out = out.resolve()
        self._rebuild = rebuild
        self._watched = watched
        self._open_pages: set[asyncio.Queue[str | None]] = set()
        self._stop = asyncio.Event()

    def app(self) -> Starlette:
        """Return the ASGI application."""
        routes = [
            Route("/__preview/events", self._events),
            Route("/__preview/client.js", self._client),
            Route("/{path:path}", self._page),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncGenerator[None]:
        del app
        watching = asyncio.create_task(self._watch())
        yield
        self._stop.set()
        await watching

    async def _watch(self) -> None:
        async for _ in awatch(*self._watched, stop_event=self._stop, debounce=100, step=20):
            problem = await asyncio.to_thread(self.build)
            for page in self._open_pages:
                page.put_nowait(problem)

    def build(self) -> str | None:
        """Rebuild the site; return what is wrong with its sources, None when nothing is.

        The last good site stays in place when something is wrong.
        """
        try:
            self._rebuild()
        except (RecordsError, GeneratorError) as error:
            return str(error)
        return None

    async def _events(self, request: Request) -> Response:
        del request
        return StreamingResponse(
            self._stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _stream(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._open_pages.add(queue)
        try:
            while not self._stop.is_set():
                try:
                    problem = await asyncio.wait_for(queue.get(), timeout=15)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                yield f"data: {json.dumps({'problem': problem})}\n\n"
        finally:
            self._open_pages.discard(queue)

    async def _client(self, request: Request) -> Response:
        del request
        return Response(_CLIENT, media_type="text/javascript")

    async def _page(self, request: Request) -> Response:
        path = (self._out / request.path_params["path"]).resolve()
        if not path.is_relative_to(self._out):
            return HTMLResponse("Not found", status_code=404)
        if path.is_dir():
            path = path / "index.html"
        if not path.is_file():
            return HTMLResponse("<!doctype html><title>Not found</title>Not found", status_code=404)
        if path.suffix == ".html":
            page = await asyncio.to_thread(path.read_bytes)
            return HTMLResponse(page.replace(b"</head>", _TAG, 1))
        return FileResponse(path)
