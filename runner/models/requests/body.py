"""The options of a request, in litellm's form."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from records.shapes.registry import LIMIT_PARAMETERS, Dialect, ModelEntry

CONNECT_S: Final = 30.0
"""The most seconds for making a connection."""

NO_KEY: Final = "none"
"""The key for servers that need none: the OpenAI client requires a key."""

_OPENAI: Final = "openai/"
"""The prefix of litellm ids of models that are asked by OpenAI's protocol, on any server."""


def make_request_options(
    entry: ModelEntry, messages: Sequence[Mapping[str, str]], key: str | None
) -> dict[str, Any]:
    """Return the options with which litellm asks ``entry``: with streaming, without retries."""
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    dialect = entry.dialect or Dialect()
    options: dict[str, Any] = {
        "model": entry.litellm_id,
        "messages": _make_messages(messages, dialect),
        "stream": True,
        "num_retries": 0,
        "max_retries": 0,
        # The limit on silence between two chunks (in stream.ask) ends a request before this limit.
        "timeout": httpx.Timeout(entry.limits.timeout_s + CONNECT_S, connect=CONNECT_S),
        "no-log": True,
        **_make_parameters(entry, dialect),
    }
    if dialect.stream_options:
        options["stream_options"] = {"include_usage": True}
    if entry.api_base is not None and entry.litellm_id.startswith(_OPENAI) and entry.parameters:
        # litellm decides by the model's name, which reveals nothing about the model's server.
        options["allowed_openai_params"] = sorted(entry.parameters)
    if entry.api_base is not None:
        options["api_base"] = entry.api_base
        options["api_key"] = key or NO_KEY
    elif key is not None:
        options["api_key"] = key
    return options


def _make_messages(messages: Sequence[Mapping[str, str]], dialect: Dialect) -> list[dict[str, str]]:
    """Return the messages to send.

    If the dialect has no system messages, their text becomes the beginning of the user's message.
    """
    if dialect.system_message:
        return [dict(message) for message in messages]
    system = [message["content"] for message in messages if message["role"] == "system"]
    conversation = [dict(message) for message in messages if message["role"] != "system"]
    for message in conversation[:1]:
        message["content"] = "\n\n".join([*system, message["content"]])
    return conversation


def _make_parameters(entry: ModelEntry, dialect: Dialect) -> dict[str, Any]:
    """Return the parameters to send; the dialect decides the name of the limit on replies."""
    parameters: dict[str, Any] = dict(entry.parameters)
    if not LIMIT_PARAMETERS & parameters.keys() and entry.limits.max_output_tokens is not None:
        parameters["max_tokens"] = entry.limits.max_output_tokens
    if entry.dialect is None:
        return parameters
    limits = [parameters.pop(name) for name in LIMIT_PARAMETERS & parameters.keys()]
    if limits and dialect.limit != "none":
        parameters[dialect.limit] = limits[0]
    return parameters
