"""Corrections of litellm: parts with which a request could not be made or read are replaced.

This module is imported after litellm, as a part of its set-up. Each part is looked up by its name.
If a part is missing, this is an error, because a newer litellm may need another correction.
"""

import importlib
from collections.abc import Mapping
from typing import Any


def correct() -> None:
    """Replace the parts of litellm that prevent requests or the reading of replies.

    Raises:
        AttributeError: litellm lacks one of these parts.
    """
    _replace("litellm.responses.main", "_responses_try_dispatch_mcp_gateway", _do_nothing)
    _replace("litellm.responses.streaming_iterator", "stamp_responses_usage_cost", _do_nothing)
    completions = importlib.import_module("litellm.llms.openai.completion.handler")
    _replace(completions.OpenAITextCompletion, "async_streaming", _stream_text)


def _replace(holder: object, name: str, replacement: object) -> None:
    where = importlib.import_module(holder) if isinstance(holder, str) else holder
    getattr(where, name)
    setattr(where, name, replacement)


def _do_nothing(*arguments: object, **more: object) -> None:
    """Return no gateway to tools, and give a report of usage no cost that litellm estimates.

    No request offers tools, so litellm's own function returns no gateway either, but it imports
    ``mcp``, which is not installed.
    """
    del arguments, more


async def _stream_text(  # noqa: PLR0913 - the options that litellm passes
    handler: object,
    *,
    logging_obj: object,
    api_key: str,
    data: Mapping[str, Any],
    model: str,
    timeout: object,  # noqa: ASYNC109 - litellm's name for an option of its client
    api_base: str | None = None,
    organization: str | None = None,
    **others: object,
) -> Any:  # noqa: ANN401 - litellm's own class
    """Request a text completion as litellm requests a chat: as one stream, by our transport.

    litellm's own function uses OpenAI's transport, and its stream lacks the finish reason.
    """
    del handler, others
    main = importlib.import_module("litellm.main")
    wrapper = importlib.import_module("litellm.litellm_core_utils.streaming_handler")
    client = main.openai_chat_completions._get_openai_client(  # noqa: SLF001 - litellm has no other way
        is_async=True,
        api_key=api_key,
        api_base=api_base,
        timeout=timeout,
        max_retries=0,
        organization=organization,
    )
    stream = await client.completions.create(**data)
    return wrapper.CustomStreamWrapper(
        completion_stream=stream,
        model=model,
        custom_llm_provider="text-completion-openai",
        logging_obj=logging_obj,
        stream_options=data.get("stream_options"),
    )
