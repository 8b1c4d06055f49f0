"""The context length of a user's own server, if the server reports it."""

import json
import os
import re

from records.foreign.fields import Fields, as_count, as_fields, get_object, list_objects
from records.shapes.registry import ModelEntry
from runner.models.requests.body import NO_KEY
from runner.models.requests.routes import check_proxies

PATIENCE_S = 3.0
"""The most seconds for each answer about the server; after a late answer it is asked no more."""

LARGEST = 4 * 1024 * 1024
"""The most bytes of an answer; a larger answer is ignored."""

_LENGTHS = ("max_model_len", "loaded_context_length", "context_length", "max_context_length")
"""The fields with the length in a list of models: vLLM's, LM Studio's and those of others."""

_NUM_CTX = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)


def find_context_length(entry: ModelEntry, address: str) -> int | None:
    """Return the context length, in tokens, of the server at ``address``; None if unknown.

    The server is asked by the addresses of llama.cpp, vLLM, LM Studio and Ollama. Other servers
    may report the length in their list of models.

    Raises:
        BadAddressError: a variable sets a proxy that cannot be used.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    base = address.rstrip("/")
    root = base.removesuffix("/v1")
    key = os.environ.get(entry.api_key_env or "") or NO_KEY
    model = entry.litellm_id.partition("/")[2]
    check_proxies()
    with httpx.Client(timeout=PATIENCE_S, headers={"Authorization": f"Bearer {key}"}) as client:
        for method, url, body in (
            ("GET", f"{root}/props", None),
            ("GET", f"{root}/api/ps", None),
            ("POST", f"{root}/api/show", {"model": model}),
            ("GET", f"{root}/api/v0/models", None),
            ("GET", f"{base}/models", None),
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
            if length := _read_length(as_fields(answer), model):
                return length
    return None


def _read_length(answer: Fields, model: str) -> int | None:
    """Return the length of ``model`` in an answer of any of these servers; None if it has none."""
    # llama.cpp has one model.
    if length := as_count(get_object(answer, "default_generation_settings").get("n_ctx")):
        return length
    # The models that Ollama has loaded.
    for entry in list_objects(answer.get("models")):
        if model in {entry.get("name"), entry.get("model")}:
            return as_count(entry.get("context_length"))
    # The length that the file of Ollama's model sets, else the model's greatest length.
    parameters: object = answer.get("parameters")
    context_setting = _NUM_CTX.search(parameters) if isinstance(parameters, str) else None
    if context_setting:
        return as_count(int(context_setting[1]))
    lengths = [
        as_count(value)
        for name, value in get_object(answer, "model_info").items()
        if name.endswith(".context_length")
    ]
    if len(lengths) == 1:
        return lengths[0]
    listed = list_objects(answer.get("data"))
    matches = [entry for entry in listed if entry.get("id") == model]
    for entry in matches or (listed if len(listed) == 1 else []):
        for length in (as_count(entry.get(name)) for name in _LENGTHS):
            if length:
                return length
    return None
