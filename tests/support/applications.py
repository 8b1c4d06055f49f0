"""ASGI applications in the process of a test: asked without a socket, or served on loopback."""

import asyncio
import socket
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal

import httpx
import uvicorn
from starlette.applications import Starlette


class ApplicationTransport(httpx.BaseTransport):
    """Passes the requests of a client to an application, without its lifespan.

    Each request has an event loop of its own, so that a client can be used in several threads.
    """

    def __init__(self, application: Starlette) -> None:
        """Prepare a transport to ``application``."""
        self._application = httpx.ASGITransport(application)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer of the application, read to its end."""
        return asyncio.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._application.handle_async_request(request)
        body = await answer.aread()
        return httpx.Response(answer.status_code, headers=answer.headers, content=body)


@contextmanager
def serve_on_loopback(
    application: Starlette,
    http: type[asyncio.Protocol] | str = "auto",
    *,
    lifespan: Literal["on", "off"] = "off",
) -> Generator[str]:
    """Serve an application in a thread; yield its address."""
    config = uvicorn.Config(
        application,
        http=http,
        log_level="warning",
        lifespan=lifespan,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        ThreadPoolExecutor(1) as thread,
    ):
        running = thread.submit(server.run, sockets=[listening])
        while not server.started:
            if running.done():
                running.result()
                raise AssertionError("the server ended before it listened")
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            running.result()
