"""Servers of one's own: the context length that they report, and parts of requests they refuse."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from records.shapes.registry import Dialect, Limits
from runner.models import context_length as module
from runner.models.costs import Budget
from runner.models.requests.body import without_refused
from tests.runner.models.asking import ask_provider, get_generation, make_model
from tests.runner.models.provider import Provider, Script, Step
from tests.support.request_handlers import SilentHandler, serve_handler

pytestmark = pytest.mark.integration
LIST = {"object": "list"}


def read_reported_length(answers: Mapping[str, object]) -> int | None:
    """Return the length that a server with these answers by path reports."""

    class Handler(SilentHandler):
        def do_GET(self) -> None:  # noqa: N802 - as the base class calls it
            answer = answers.get(self.path)
            if answer is None:
                self.send_error(404)
                return
            self.send_content(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

        def do_POST(self) -> None:  # noqa: N802 - as the base class calls it
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

    with serve_handler(Handler) as server:
        address = f"{server}/v1"
        return module.find_context_length(make_model(address), address)


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
    assert module.find_context_length(make_model(nobody), nobody) is None


USUAL = Dialect()
REFUSALS: dict[str, dict[str, Any]] = {
    "Unrecognized request argument supplied: stream_options": {"stream_options": False},
    '{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}': {
        "stream_options": False
    },
    "System role not supported": {"system_message": False},
    "Jinja Exception: System role not supported at row 4": {"system_message": False},
    "Conversation roles must alternate user/assistant/user/assistant/...": {
        "system_message": False
    },
    "messages[0].role: 'system' is not a valid role": {"system_message": False},
    "Only user and assistant roles are supported!": {"system_message": False},
    "This model does not support system messages": {"system_message": False},
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.": {"limit": "max_completion_tokens"},
    "unknown field `max_tokens`": {"limit": "max_completion_tokens"},
}
OTHER_REFUSALS = (
    "max_tokens is too large: 128000. This model supports at most 16384 completion tokens",
    "'max_tokens' or 'max_completion_tokens' is too large: this model's maximum context length",
    "Invalid value for max_tokens: must be less than 4096",
    "This model's maximum context length is 4096 tokens, however you requested 8000",
    "request (7608 tokens) exceeds the available context size (4096 tokens), try increasing it",
    "The model `tiny` does not exist",
    "temperature is not supported",
    "the operating system is not ready",
    "",
)


def _find_changes(words: str, status: int = 400, **fields: Any) -> dict[str, Any] | None:  # noqa: ANN401 - fields of an entry
    """Return the parts of the dialect that a refusal changes; None where it changes none."""
    entry = make_model("http://127.0.0.1:9/v1", **fields)
    changed = without_refused(entry, f"HTTP {status}: {words}")
    if changed is None:
        return None
    before = (entry.dialect or USUAL).model_dump()
    return {name: value for name, value in changed if before[name] != value}


@pytest.mark.unit
@pytest.mark.parametrize("words", sorted(REFUSALS))
def test_a_refusal_shows_the_dialect(words: str) -> None:
    """Each case has the known words of servers and gateways."""
    assert _find_changes(words) == REFUSALS[words]


@pytest.mark.unit
@pytest.mark.parametrize("words", OTHER_REFUSALS)
def test_another_refusal_changes_nothing(words: str) -> None:
    """A limit that is too large keeps its name, and a long prompt keeps its cause."""
    assert _find_changes(words) is None


@pytest.mark.unit
@pytest.mark.parametrize("status", [401, 403, 404, 429, 503])
def test_another_status_changes_nothing(status: int) -> None:
    """Errors of access, model and capacity are not about the parts of the request."""
    assert _find_changes("stream_options is not supported", status) is None


@pytest.mark.unit
def test_a_limit_under_no_name_is_left_out_for_ones_own_server() -> None:
    """The limit is not left out under a budget, nor for a provider."""
    second = Dialect(limit="max_completion_tokens")
    words = "unknown field max_completion_tokens"
    assert _find_changes(words, dialect=second) == {"limit": "none"}
    entry = make_model("http://127.0.0.1:9/v1", dialect=second)
    assert without_refused(entry, f"HTTP 400: {words}", limit_needed=True) is None
    elsewhere = entry.model_copy(update={"api_base": None})
    assert without_refused(elsewhere, f"HTTP 400: {words}") is None


class _Choosy(Provider):
    """A server that refuses some parts of a request, in its words."""

    def __init__(self, refused: dict[str, str]) -> None:
        super().__init__(Script())
        self._refused = refused

    def _choose_step(self, model: str | None, last: str) -> Step:
        asked_for = self.asked_for
        for part, words in self._refused.items():
            roles = {message["role"] for message in asked_for["messages"]}
            if part in asked_for.keys() | roles:
                return Step(kind="status", status=400, body=words)
        return super()._choose_step(model, last)


REFUSED = {
    "stream_options": "unexpected field stream_options",
    "system": "System role not supported",
    "max_tokens": "unknown field max_tokens",
    "max_completion_tokens": "unknown field max_completion_tokens",
}


def test_a_server_is_asked_in_its_dialect() -> None:
    """All four parts are refused, one after the other; the text of the system message is kept."""
    provider = _Choosy(REFUSED)
    result, _ = ask_provider(Step(), provider=provider, system="Be brief.", budget=None)
    assert result.reply == "An answer."
    last = provider.requests[-1]
    assert not last.keys() & REFUSED.keys()
    assert last["messages"] == [{"role": "user", "content": "Be brief.\n\nWrite it."}]
    generation = get_generation(result)
    assert generation.dialect == Dialect(stream_options=False, system_message=False, limit="none")
    assert result.failed_tries_usd == 0
    assert len(provider.requests) == generation.tries == 5


def test_a_dialect_of_the_registry_is_used_at_once() -> None:
    """No other dialect is tried: the server's words are quoted."""
    dialect = Dialect(stream_options=False, limit="max_completion_tokens")
    fields: dict[str, Any] = {"dialect": dialect, "limits": Limits(max_output_tokens=77)}
    result, provider = ask_provider(Step(), **fields)
    assert result.reply == "An answer."
    (request,) = provider.requests
    assert request["max_completion_tokens"] == 77
    assert not {"stream_options", "max_tokens"} & request.keys()
    refused = _Choosy({"max_completion_tokens": "unknown field max_completion_tokens"})
    result, _ = ask_provider(Step(), provider=refused, **fields)
    assert result.fault is not None
    assert "unknown field" in result.fault.evidence
    assert len(refused.requests) == 1


def test_a_limit_is_kept_under_a_budget() -> None:
    """A server that takes no limit cannot be asked under a budget; its refusal is the evidence."""
    provider = _Choosy(REFUSED)
    price = {"input": 1, "output": 1}
    result, _ = ask_provider(Step(), provider=provider, budget=Budget(1.0), price=price)
    assert result.fault is not None
    assert "unknown field max_completion_tokens" in result.fault.evidence
