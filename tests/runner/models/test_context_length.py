"""The context length that self-hosted servers report, each in its way."""

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from runner.models import context_length as module
from runner.models.context_length import find_context_length
from tests.runner.models.conftest import make_model

pytestmark = pytest.mark.integration

LIST = {"object": "list"}


def read_reported_length(answers: Mapping[str, object]) -> int | None:
    """Return the length that a server with these answers by path reports."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path)
            if answer is None:
                self.send_error(404)
                return
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/v1"
            return find_context_length(make_model(address), address)
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    ("answers", "length"),
    [
        ({"/props": {"default_generation_settings": {"n_ctx": 4096}}}, 4096),
        ({"/v1/models": LIST | {"data": [{"id": "scripted", "max_model_len": 8192}]}}, 8192),
        ({"/v1/models": LIST | {"data": [{"id": "other", "context_length": 32768}]}}, 32768),
        (
            {
                "/api/v0/models": {
                    "data": [
                        {"id": "other", "loaded_context_length": 1},
                        {
                            "id": "scripted",
                            "loaded_context_length": 2048,
                            "max_context_length": 131072,
                        },
                    ]
                }
            },
            2048,
        ),
        ({"/api/ps": {"models": [{"name": "scripted", "context_length": 4000}]}}, 4000),
        (
            {
                "/api/ps": {"models": []},
                "/api/show": {
                    "parameters": "stop x\nnum_ctx    16384",
                    "model_info": {"llama.context_length": 131072},
                },
            },
            16384,
        ),
        ({"/api/show": {"model_info": {"llama.context_length": 131072}}}, 131072),
        ({}, None),
        ({"/v1/models": {"data": [{"id": "a", "max_model_len": 1}, {"id": "b"}]}}, None),
    ],
    ids=["llama.cpp", "vllm", "one", "lm-studio", "ollama", "num-ctx", "most", "none", "others"],
)
def test_it_is_read_where_a_server_reports_it(answers: dict[str, Any], length: int | None) -> None:
    """The length is that of the requested model, or of the server's only model."""
    assert read_reported_length(answers) == length


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense",
        b"[" * 100_000,
        [],
        {"data": 7, "models": "x", "default_generation_settings": [1]},
        {"default_generation_settings": {"n_ctx": -1}},
        {"default_generation_settings": {"n_ctx": True}},
        {"default_generation_settings": {"n_ctx": "4096"}},
        {"parameters": 7, "model_info": [1]},
    ],
)
def test_nonsense_is_unknown(answer: object) -> None:
    """A nonsense answer at any address is unknown."""
    paths = ("/props", "/api/ps", "/api/show", "/api/v0/models", "/v1/models")
    assert read_reported_length(dict.fromkeys(paths, answer)) is None


def test_a_server_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer of more bytes than any list of models has is read no further."""
    monkeypatch.setattr(module, "LARGEST", 1000)
    assert read_reported_length({"/v1/models": b" " * 5000}) is None


def test_nobody_there_is_unknown() -> None:
    """The run itself finds the missing server, and reports it."""
    nobody = "http://127.0.0.1:9/v1"
    assert find_context_length(make_model(nobody), nobody) is None
