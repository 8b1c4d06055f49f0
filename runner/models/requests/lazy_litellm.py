"""The only import of litellm, made at first use because it takes seconds and much memory."""

import gc
import importlib
import logging
import os
import warnings
from functools import cache
from typing import Any

from runner.models.requests.routes import check_proxies


@cache
def load_litellm() -> Any:  # noqa: ANN401 - litellm's own types do not hold under strict checking
    """Return the module litellm, imported and set up at first use, without network requests.

    Its own retries, prints, logs and counts are switched off: only this program repeats requests,
    and litellm's log lines may contain headers with keys.

    Raises:
        UnusableProxyError: a variable sets a proxy that litellm's clients cannot use.
    """
    check_proxies()
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # By default litellm raises if a stream repeats a chunk 100 times, which replies may do.
    os.environ.setdefault("REPEATED_STREAMING_CHUNK_LIMIT", str(10**9))
    with warnings.catch_warnings():
        # These warnings concern code of litellm and its imports, which users cannot change.
        warnings.simplefilter("ignore")
        module = _set_up(importlib.import_module("litellm"))
    # The first request to a provider completes more of litellm's types, each with this warning.
    warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
    # At the end of a reply of the Responses API, litellm stores usage in a field of another type.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    # Python delays a full garbage collection until the new objects are a quarter of all live
    # objects. litellm has many objects, and the pieces of a reply are garbage in cycles. So the
    # imported objects are excluded from the count.
    gc.collect()
    gc.freeze()
    return module


def _set_up(module: Any) -> Any:  # noqa: ANN401 - see above
    module.suppress_debug_info = True
    module.telemetry = False
    module.num_retries = 0
    module.drop_params = False
    # If a provider reports no usage, litellm's token counter would give an estimate that looks
    # reported. It also takes 36 MB.
    module.disable_token_counter = True
    _guard_the_edge()
    importlib.import_module("runner.models.requests.litellm_corrections").correct()
    # Imported now: otherwise the duration of the first request would include this import.
    importlib.import_module("openai.resources.chat")
    module.ModelResponse()
    module.ModelResponseStream(choices=[module.types.utils.StreamingChoices()])
    module.Usage()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return module


def _guard_the_edge() -> None:
    """Give every client of litellm a transport that limits the data from providers.

    litellm accepts a client or transport of its caller only for some providers, each by another
    option. But it makes all its transports in one function, which is replaced here.
    """
    handler = importlib.import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler
    transport = importlib.import_module(
        "runner.models.requests.transport"
    )  # late, as it imports httpx
    handler.create_async_transport = staticmethod(transport.guard(handler.create_async_transport))


async def close() -> None:
    """Close the connections that litellm keeps; to be called before the event loop ends.

    litellm's cache of clients is emptied, because litellm would use a closed client again.
    """
    if load_litellm.cache_info().currsize:
        await load_litellm().close_litellm_async_clients()
        load_litellm().in_memory_llm_clients_cache.flush_cache()
