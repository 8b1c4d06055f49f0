"""A real HTTP server that speaks the OpenAI chat protocol, with answers and faults by script.

Requests of other protocols are taken, too; a script answers them with ``raw`` steps.

A script may be JSON::

    {"rules": [{"match": "crons", "steps": [{"kind": "status", "status": 503}], "then": {...}}],
     "default": {"kind": "answer", "text": "hello", "delay_s": 0.2}}

A request goes to the first rule whose ``match`` stands in its last message (and whose ``unless``
does not, and whose ``model`` asks, where it names one), takes the rule's
steps one after another, and then its ``then`` (the default where there is none). The log has one
JSON line when a request comes and one when its answer was sent whole.
"""

import asyncio
import hashlib
import json
import socket
import struct
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

LONGEST_REQUEST = 64 * 1024 * 1024

Kind = Literal[
    "answer",
    "raw",
    "status",
    "reset",
    "reset_midway",
    "end_midway",
    "hang",
    "hang_midway",
    "malformed",
    "wrong_type",
    "error_in_stream",
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Step(_Strict):
    """How one request is answered."""

    kind: Kind = "answer"
    raw: tuple[bytes, ...] = ()
    """Of a raw answer, its body, written piece by piece, ``repeat`` times over."""
    then: Literal["end", "hang", "reset"] = "end"
    """After the last byte of a raw answer: what becomes of the connection."""
    text: str = "An answer."
    repeat: Annotated[int, Field(ge=1)] = 1
    """The text this many times over."""
    piece: Annotated[int, Field(ge=1)] = 64
    """Characters of the text per event."""
    finish: str | None = "stop"
    usage: dict[str, Any] | None = None
    """None reports plausible counts."""
    report_usage: bool = True
    status: int = 200
    headers: dict[str, str] = {}
    body: str = '{"error": {"message": "scripted", "type": "scripted", "code": null}}'
    echo_key: bool = False
    """Whether an error's body repeats the request's Authorization header."""
    delay_s: float = 0.0
    """Before the first byte."""
    piece_delay_s: float = 0.0
    """Before each event."""


class Rule(_Strict):
    """Answers to requests whose last message holds a text, and does not hold another."""

    match: str
    unless: str | None = None
    model: str | None = None
    """The one model that it is about; None for all."""
    steps: tuple[Step, ...] = ()
    then: Step | None = None


class Script(_Strict):
    """What a provider answers."""

    rules: tuple[Rule, ...] = ()
    default: Step = Step()


class Provider:
    """The server's state: the next step of each rule, and the requests so far."""

    def __init__(self, script: Script, log: Path | None = None) -> None:
        """Answer by ``script``, and log requests to ``log``."""
        self._script = script
        self._log = log
        self._taken: dict[int, int] = {}
        self.requests: list[dict[str, Any]] = []
        self._connections: set[object] = set()
        self.asked_for: dict[str, Any] = {}
        """The request for which a step is being chosen."""
        self.in_flight = 0
        self.most_in_flight = 0

    def build_application(self) -> web.Application:
        """Return the application to serve."""
        application = web.Application(client_max_size=LONGEST_REQUEST)
        # litellm adds the version to the address for Anthropic, though the address has it already.
        for path in (
            *("chat/completions", "completions", "messages", "v1/messages", "responses"),
            *("models/{model}:streamGenerateContent", "api/chat"),
        ):
            application.router.add_post(f"/v1/{path}", self._complete)
        # Azure has paths of its own, and litellm puts them in place of those of the address.
        application.router.add_post("/{path:.*openai/.*}", self._complete)
        return application

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        last = _find_last_text(body)
        self.asked_for = body
        step = self._choose_step(body.get("model"), last)
        number = len(self.requests)
        reused = request.transport in self._connections
        self._connections.add(request.transport)
        self.requests.append(
            {"at": time.monotonic(), "step": step, "reused": reused, "path": request.path, **body}
        )
        self._note("received", number, last, step)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(step.delay_s)
            response = await self._answer(request, step)
        finally:
            self.in_flight -= 1
        self._note("answered", number, last, step)
        return response

    def _choose_step(self, model: str | None, last: str) -> Step:
        for number, rule in enumerate(self._script.rules):
            if rule.model not in {None, model}:
                continue
            if rule.match in last and (rule.unless is None or rule.unless not in last):
                used_steps = self._taken.get(number, 0)
                self._taken[number] = used_steps + 1
                if used_steps < len(rule.steps):
                    return rule.steps[used_steps]
                return rule.then or self._script.default
        return self._script.default

    async def _answer(self, request: web.Request, step: Step) -> web.StreamResponse:
        if step.kind == "status":
            body = request.headers["Authorization"] if step.echo_key else step.body
            return web.Response(
                status=step.status,
                headers=step.headers,
                text=body,
                content_type="application/json",
            )
        if step.kind == "raw":
            return await self._send_raw(request, step)
        if step.kind == "wrong_type":
            return web.Response(text="<html>Be right back</html>", content_type="text/html")
        if step.kind == "reset":
            _reset(request)
            return web.Response()
        if step.kind == "hang":
            await asyncio.sleep(3600)
        return await self._stream(request, step)

    async def _send_raw(self, request: web.Request, step: Step) -> web.StreamResponse:
        headers = {"Content-Type": "text/event-stream", **step.headers}
        response = web.StreamResponse(status=step.status, headers=headers)
        await response.prepare(request)
        for piece in step.raw * step.repeat:
            await asyncio.sleep(step.piece_delay_s)
            try:
                await response.write(piece)
            except ConnectionError:
                return response  # the client closed the connection
        if step.then == "hang":
            await asyncio.sleep(3600)
        if step.then == "reset":
            await asyncio.sleep(0.05)  # time for the written bytes to arrive
            _reset(request)
            return response
        await response.write_eof()
        return response

    async def _stream(self, request: web.Request, step: Step) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **step.headers})
        await response.prepare(request)
        text = step.text * step.repeat
        pieces = [text[at : at + step.piece] for at in range(0, len(text), step.piece)]
        for number, piece in enumerate(pieces):
            if number == len(pieces) // 2 and step.kind != "answer":
                await _break_off(request, response, step)
                return response
            if step.piece_delay_s:
                await asyncio.sleep(step.piece_delay_s)
            await response.write(_format_event({"content": piece}))
        await response.write(_format_event({}, finish=step.finish))
        if step.report_usage:
            await response.write(_format_usage(step, text, await request.text()))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _note(self, event: str, number: int, last: str, step: Step) -> None:
        if self._log is None:
            return
        line = {
            "event": event,
            "at": time.time(),
            "number": number,
            "kind": step.kind,
            "digest": hashlib.sha256(last.encode()).hexdigest(),
            "ends": last[-400:],
        }
        with self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")


def _find_last_text(asked: dict[str, Any]) -> str:
    """Return the text of the last message, or of its counterpart in other protocols."""
    if "messages" in asked:
        last = asked["messages"][-1]["content"]
    else:
        last = next(asked[name] for name in ("contents", "input", "prompt") if name in asked)
    return last if isinstance(last, str) else json.dumps(last)


async def _break_off(request: web.Request, response: web.StreamResponse, step: Step) -> None:
    """End the response in the middle, in the way of the step."""
    if step.kind == "reset_midway":
        _reset(request)
        return
    if step.kind == "hang_midway":
        await asyncio.sleep(3600)
    if step.kind == "malformed":
        await response.write(b'data: {"choices": [{"del\n\n')
    if step.kind == "error_in_stream":
        await response.write(f"data: {step.body}\n\n".encode())
    await response.write_eof()


def _reset(request: web.Request) -> None:
    """Break the connection so that the client sees a reset, not an end."""
    transport = request.transport
    if transport is None:
        return
    # Lingering for no time makes the system send a reset instead of an orderly end.
    no_time = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_time)
    transport.abort()


def _format_event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _format_data({"choices": [choice]})


def _format_usage(step: Step, text: str, asked: str) -> bytes:
    into, out = 100 + len(asked) // 4, max(1, len(text) // 4)
    plausible = {
        "prompt_tokens": into,
        "completion_tokens": out,
        "total_tokens": into + out,
    }
    return _format_data({"choices": [], "usage": plausible if step.usage is None else step.usage})


def _format_data(fields: dict[str, Any]) -> bytes:
    chunk = {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        **fields,
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()


@asynccontextmanager
async def serve_provider(
    provider: Provider, host: str = "127.0.0.1", port: int = 0
) -> AsyncGenerator[str]:
    """Serve; the value is the address to give as ``api_base``."""
    runner = web.AppRunner(provider.build_application(), shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, host, port)
    await site.start()
    try:
        yield f"http://{host}:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
