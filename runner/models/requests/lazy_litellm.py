"""The only import of litellm: late, because the import takes seconds and much memory."""

import gc
import importlib
import logging
import os
import warnings
from functools import cache
from typing import Any


@cache
def litellm() -> Any:  # noqa: ANN401 - litellm's own types do not hold under strict checking
    """Return litellm, imported and set up on first use, without a request to the network.

    Its own retries, prints, logs and counts are switched off: only this program retries requests,
    and litellm's log lines may hold headers, and so keys.
    """
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    # By default litellm raises where a stream repeats one chunk 100 times, as replies may.
    os.environ.setdefault("REPEATED_STREAMING_CHUNK_LIMIT", str(10**9))
    with warnings.catch_warnings():
        # These warnings are about code of litellm and its imports, which no user can change.
        warnings.simplefilter("ignore")
        module = _set_up(importlib.import_module("litellm"))
    # More of its types are completed when a provider is first asked, each with this warning.
    warnings.filterwarnings("ignore", "Items? .* on TypedDict class", UserWarning)
    # Usage of the Responses API is put into a field of another type when a reply is over.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    # Python puts a full collection off until garbage is a quarter of all live objects. litellm has
    # many of them, and a reply's pieces are garbage in cycles: imported objects no longer count.
    gc.collect()
    gc.freeze()
    return module


def _set_up(module: Any) -> Any:  # noqa: ANN401 - see above
    module.suppress_debug_info = True
    module.telemetry = False
    module.num_retries = 0
    module.drop_params = False
    # litellm's token counter would replace usage that a provider did not report by an estimate
    # that looks reported, and takes 36 MB.
    module.disable_token_counter = True
    _guard_the_edge()
    importlib.import_module("runner.models.requests.litellm_corrections").correct()
    # Imported now: else the first request would import it, and its duration would include that.
    importlib.import_module("openai.resources.chat")
    module.ModelResponse()
    module.ModelResponseStream(choices=[module.types.utils.StreamingChoices()])
    module.Usage()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return module


def _guard_the_edge() -> None:
    """Give every client of litellm a transport that bounds the data from providers.

    litellm takes a client or transport of its caller's for some providers only, and by another
    option for each kind. This function is litellm's only maker of transports.
    """
    handler = importlib.import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler
    transport = importlib.import_module(
        "runner.models.requests.transport"
    )  # late, as it imports httpx
    handler.create_async_transport = staticmethod(transport.guard(handler.create_async_transport))


async def close() -> None:
    """Close the connections that litellm keeps; call before the event loop ends.

    Later requests open new ones: litellm would go on with a closed client that it remembers.
    """
    if litellm.cache_info().currsize:
        await litellm().close_litellm_async_clients()
        litellm().in_memory_llm_clients_cache.flush_cache()
