"""The context length of a user's own server, if the server reports it."""

import json
import os
import re
from typing import Final, cast

from records.foreign.fields import Fields, as_count, as_fields
from records.shapes.registry import ModelEntry
from runner.models.requests.body import NO_KEY
from runner.models.requests.routes import check_proxies

PATIENCE_S: Final = 3.0
"""The most seconds for each answer about the server; after a late answer it is asked no more."""

LARGEST: Final = 4 * 1024 * 1024
"""The most bytes of an answer; a larger answer is ignored."""

_LENGTHS: Final = ("max_model_len", "loaded_context_length", "context_length", "max_context_length")
"""The fields with the length in a list of models: vLLM's, LM Studio's and those of others."""

_NUM_CTX: Final = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


def find_context_length(entry: ModelEntry, address: str) -> int | None:
    """Return the context length, in tokens, of the server at ``address``; None if unknown.

    The server is asked by the addresses of llama.cpp, vLLM, LM Studio and Ollama. Other servers
    may report the length in their list of models.

    Raises:
        UnusableProxyError: a variable sets a proxy that cannot be used.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    base = address.rstrip("/")
    root = base.removesuffix("/v1")
    key = os.environ.get(entry.api_key_env or "") or NO_KEY
    model = entry.litellm_id.partition("/")[2]
    check_proxies()
    with httpx.Client(timeout=PATIENCE_S, headers={"Authorization": f"Bearer {key}"}) as client:
        for method, url, body, read_length in (
            ("GET", f"{root}/props", None, _read_loaded_length),
            ("GET", f"{root}/api/ps", None, _read_loaded_length),
            ("POST", f"{root}/api/show", {"model": model}, _read_loaded_length),
            ("GET", f"{root}/api/v0/models", None, _read_listed_length),
            ("GET", f"{base}/models", None, _read_listed_length),
        ):
            try:
                with client.stream(method, url, json=body) as response:
                    read = bytearray()
                    for piece in response.iter_bytes() if response.is_success else ():
                        read += piece
                        if len(read) > LARGEST:
                            break
                    answer = json.loads(bytes(read)) if 0 < len(read) <= LARGEST else None
            except httpx.TimeoutException:
                return None
            except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
                continue
            if length := read_length(answer, model):
                return length
    return None


def _read_loaded_length(answer: object, model: str) -> int | None:
    """Return the length of llama.cpp's one model, or of a model that Ollama has loaded."""
    settings = as_fields(as_fields(answer).get("default_generation_settings"))
    if length := as_count(settings.get("n_ctx")):
        return length
    for entry in _read_items(answer, "models"):
        if model in {entry.get("name"), entry.get("model")}:
            return as_count(entry.get("context_length"))
    # The length that the model's own file sets, else the model's greatest length.
    parameters: object = as_fields(answer).get("parameters")
    context_setting = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    if context_setting:
        return as_count(int(context_setting[1]))
    lengths = [
        as_count(value)
        for name, value in as_fields(as_fields(answer).get("model_info")).items()
        if name.endswith(".context_length")
    ]
    return lengths[0] if len(lengths) == 1 else None


def _read_listed_length(answer: object, model: str) -> int | None:
    models = _read_items(answer, "data")
    matches = [entry for entry in models if entry.get("id") == model]
    for entry in matches or (models if len(models) == 1 else []):
        for length in (as_count(entry.get(name)) for name in _LENGTHS):
            if length:
                return length
    return None


def _read_items(answer: object, name: str) -> list[Fields]:
    """Return the objects in a list of an answer; an item that is no object becomes an empty one."""
    items = as_fields(answer).get(name)
    return list(map(as_fields, cast("list[object]", items))) if isinstance(items, list) else []
