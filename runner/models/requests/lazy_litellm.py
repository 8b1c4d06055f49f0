"""litellm: its only import, and all places where this program replaces or watches a part of it.

litellm is imported at first use, because it takes seconds and much memory. Each part that is
replaced is looked up by its name: if it is missing, this is an error, because a newer litellm may
need another correction.
"""

import gc
import importlib
import logging
import os
import warnings
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from runner.models.requests.heard import TRAFFIC
from runner.models.requests.routes import check_proxies

if TYPE_CHECKING:
    import aiohttp
    import httpx


@cache
def load_litellm() -> Any:  # noqa: ANN401 - litellm's own types do not hold under strict checking
    """Return the module litellm, imported and set up at first use, without network requests.

    Its own retries, prints, logs and counts are switched off: only this program repeats requests,
    and litellm's log lines may contain headers with keys.

    Raises:
        BadAddressError: a variable sets a proxy that litellm's clients cannot use.
    """
    check_proxies()
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # By default litellm raises if a stream repeats a chunk 100 times, which replies may do.
    os.environ.setdefault("REPEATED_STREAMING_CHUNK_LIMIT", str(10**9))
    with warnings.catch_warnings():
        # These warnings concern code of litellm and its imports, which users cannot change.
        warnings.simplefilter("ignore")
        module: Any = importlib.import_module("litellm")
        module.suppress_debug_info = True
        module.telemetry = False
        module.num_retries = 0
        module.drop_params = False
        # If a provider reports no usage, litellm's token counter would give an estimate that looks
        # reported. It also takes 36 MB.
        module.disable_token_counter = True
        # litellm accepts a client or transport of its caller only for some providers, each by
        # another option. But it makes all its transports in one function.
        handler = importlib.import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler
        create = handler.create_async_transport
        handler.create_async_transport = staticmethod(
            lambda *args, **kw: _bound(create(*args, **kw))
        )

        def find_no_gateway(*_: object, **_more: object) -> None:
            """Return no gateway to tools, as litellm's own function does, which imports ``mcp``."""

        tools = importlib.import_module("litellm.responses.main")
        _replace(tools, "_responses_try_dispatch_mcp_gateway", find_no_gateway)
        completions = importlib.import_module("litellm.llms.openai.completion.handler")
        _replace(completions.OpenAITextCompletion, "async_streaming", _stream_text)
        # Imported now: otherwise the duration of the first request would include this import.
        importlib.import_module("openai.resources.chat")
        module.ModelResponse()
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    # The first request to a provider completes more of litellm's types, each with this warning.
    warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
    # Python delays a full garbage collection until the new objects are a quarter of all live
    # objects. litellm has many objects, and the pieces of a reply are garbage in cycles. So the
    # imported objects are excluded from the count.
    gc.collect()
    gc.freeze()
    return module


def _bound(inner: "httpx.AsyncBaseTransport | None") -> "httpx.AsyncBaseTransport":
    """Return a transport that limits the data from providers; ``inner`` makes the requests.

    Its aiohttp sessions, if it has any, are observed. One observer notes whether a request was sent
    on a connection that was used before. A server may close such a connection just when the request
    is sent. It never read this request, so the request can be sent again. The other escapes headers
    that are not ASCII, because httpx, which litellm uses for responses, fails on them.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    from runner.models.requests.transport import BoundedTransport  # noqa: PLC0415

    transport: Any = inner or httpx.AsyncHTTPTransport()
    if (open_session := getattr(transport, "get_valid_client_session", None)) is not None:

        def open_watched() -> "aiohttp.ClientSession":
            session: aiohttp.ClientSession = open_session()
            if _watch() not in session.trace_configs:
                session.trace_configs.append(_watch())
            return session

        transport.get_valid_client_session = open_watched
    return BoundedTransport(transport)


async def close() -> None:
    """Close the connections that litellm keeps; to be called before the event loop ends.

    litellm's cache of clients is emptied, because litellm would use a closed client again.
    """
    if load_litellm.cache_info().currsize:
        await load_litellm().close_litellm_async_clients()
        load_litellm().in_memory_llm_clients_cache.flush_cache()


@cache
def _watch() -> "aiohttp.TraceConfig":
    import aiohttp  # noqa: PLC0415 - comes with litellm, which is imported late

    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(_note_reuse)
    config.on_request_end.append(_escape_headers)
    config.freeze()
    return config


async def _note_reuse(*_: object) -> None:
    if traffic := TRAFFIC.get():
        traffic.reused = True


async def _escape_headers(
    _session: object, _context: object, params: "aiohttp.TraceRequestEndParams"
) -> None:
    response: Any = params.response
    if all(value.isascii() for value in response.headers.values()):
        return
    escaped = response.headers.copy()
    for name, value in response.headers.items():
        escaped[name] = value.encode("ascii", "backslashreplace").decode()
    response._headers = escaped  # noqa: SLF001 - aiohttp has no other way in
    response._cache.pop("headers", None)  # noqa: SLF001


def _replace(holder: object, name: str, replacement: object) -> None:
    getattr(holder, name)
    setattr(holder, name, replacement)


async def _stream_text(handler: object, *, data: Mapping[str, Any], **options: object) -> object:
    """Request a text completion as litellm requests a chat: by our transport.

    litellm's own function uses OpenAI's transport. The reply never comes to litellm.
    """
    del handler
    chats = importlib.import_module("litellm.main").openai_chat_completions
    names = ("api_key", "api_base", "timeout", "organization")
    client = chats._get_openai_client(  # noqa: SLF001 - litellm has no other way
        is_async=True, max_retries=0, **{name: options.get(name) for name in names}
    )
    return await client.completions.create(**data)
