"""The options of a request in litellm's form, and the parts of it that a server refuses."""

import re
from typing import Any

from records.shapes.registry import LIMIT_PARAMETERS, Dialect, ModelEntry
from runner.models.tokens import Prompt

CONNECT_S = 30.0
"""The most seconds for making a connection."""

NO_KEY = "none"
"""The key for servers that need none: the OpenAI client requires a key."""

_OPENAI = "openai/"
"""The prefix of litellm ids of models that are asked by OpenAI's protocol, on any server."""

_STATUS = re.compile(r"HTTP (400|422|500|501): ")
"""The start of a refusal's evidence. Some servers report a failed prompt template with 500."""

_REFUSED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra|"
    r"forbidden|invalid|not accept|not implemented|deprecated",
    re.IGNORECASE,
)

_OF_SIZE = re.compile(
    r"too (large|big|high|long|many)|maximum|context|exceed|at most|(less|greater) than|"
    r"must be|out of range",
    re.IGNORECASE,
)
"""Words about the size of a limit or of the prompt: a server with such an error takes the limit's
name."""

_SYSTEM = re.compile(
    r"system[ _]?(role|message|prompt|instruction)s?\W.{0,80}(not |n't|unsupported|invalid)|"
    r"(not support|unsupported|invalid|unknown|unexpected)\b.{0,80}\bsystem\b|"
    r"\brole\b.{0,20}\bsystem\b.{0,80}(not |invalid|unsupported)|"
    r"roles must alternate|only user(,| and) (assistant|model)",
    re.IGNORECASE | re.DOTALL,
)

_WORDS = re.compile(r"\w+")

_STREAM_OPTIONS = re.compile(r"stream_options|include_usage")

_NEXT_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "none"}


def make_request_options(entry: ModelEntry, messages: Prompt, key: str | None) -> dict[str, Any]:
    """Return the options with which litellm asks ``entry``: with streaming, without retries."""
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    dialect = entry.dialect or Dialect()
    sent = [dict(message) for message in messages]
    if not dialect.system_message:
        # The system messages become the beginning of the user's message.
        system = [message["content"] for message in sent if message["role"] == "system"]
        sent = [message for message in sent if message["role"] != "system"]
        for message in sent[:1]:
            message["content"] = "\n\n".join([*system, message["content"]])
    parameters: dict[str, Any] = dict(entry.parameters)
    if not LIMIT_PARAMETERS & parameters.keys() and entry.limits.max_output_tokens is not None:
        parameters["max_tokens"] = entry.limits.max_output_tokens
    if entry.dialect is not None:
        limits = [parameters.pop(name) for name in LIMIT_PARAMETERS & parameters.keys()]
        if limits and dialect.limit != "none":
            parameters[dialect.limit] = limits[0]
    options: dict[str, Any] = {
        "model": entry.litellm_id,
        "messages": sent,
        "stream": True,
        "num_retries": 0,
        "max_retries": 0,
        # The limit on silence between two chunks (in stream.ask) ends a request before this limit.
        "timeout": httpx.Timeout(entry.limits.timeout_s + CONNECT_S, connect=CONNECT_S),
        "no-log": True,
        **parameters,
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


def without_refused(
    entry: ModelEntry, evidence: str, *, limit_needed: bool = False
) -> Dialect | None:
    """Return a dialect for ``entry`` that lacks the part named in a refusal's ``evidence``.

    None if the evidence names no part of the request for which there is another form. With
    ``limit_needed``, no dialect without a limit on replies is returned.
    """
    if not _STATUS.match(evidence):
        return None
    dialect = entry.dialect or Dialect()
    if dialect.stream_options and _STREAM_OPTIONS.search(evidence):
        return dialect.model_copy(update={"stream_options": False})
    if dialect.system_message and _SYSTEM.search(evidence):
        return dialect.model_copy(update={"system_message": False})
    other = _NEXT_LIMIT.get(dialect.limit)
    if other is None or dialect.limit not in _WORDS.findall(evidence) or _OF_SIZE.search(evidence):
        return None
    # Only a user's own server may get no limit: a provider would apply a default limit of its own.
    if other == "none" and (limit_needed or entry.api_base is None):
        return None
    return dialect.model_copy(update={"limit": other}) if _REFUSED.search(evidence) else None
