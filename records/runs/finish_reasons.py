"""The table of finish reasons: the party that ended a reply, by the word in the reply.

A reply with a word that is not in the table is neither a success nor a failure of the model. Add
such a word here if the provider's documents explain it.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache


class End(StrEnum):
    """The party that ended a reply."""

    MODEL = "the model"
    LIMIT = "a limit on its output"
    CONTEXT = "the end of the model's context"
    """This is a limit, too, but not the limit that was sent."""
    FILTER = "a filter of the provider"
    SERVER = "the server, which gave up"
    UNKNOWN = "unknown"


PLACE = "records/runs/finish_reasons.py"
"""The file of the table, for messages about an unknown word."""

_WORDS: Mapping[End, tuple[str, ...]] = {
    End.MODEL: (
        *("stop", "tool_calls", "function_call"),  # OpenAI and most others
        *("end_turn", "stop_sequence", "tool_use"),  # Anthropic, Bedrock
        *("eos", "eos_token"),  # Hugging Face, Together AI, watsonx
        *("complete", "tool_call"),  # Cohere
        "completed",  # OpenAI's Responses API
        "endoftext",  # AI21
        "[DONE]",  # the end mark of a stream, after text and usage, without a finish reason
    ),
    End.LIMIT: (
        "length",  # OpenAI and most others
        "max_tokens",  # Anthropic, Google, Bedrock, Cohere, watsonx
        *("max_output_tokens", "max_completion_tokens"),  # OpenAI's Responses API, gateways
        "token_limit",  # watsonx
    ),
    End.CONTEXT: (
        "model_length",  # Mistral
        "model_context_window_exceeded",  # Anthropic, Bedrock, Z.ai
        "context_length_exceeded",  # gateways
        "error_limit",  # Cohere
        "compaction",  # Anthropic: the context was to be shortened first
    ),
    End.FILTER: (
        *("content_filter", "content_filtered"),  # OpenAI and most others
        "refusal",  # Anthropic; also OpenAI's field beside the text
        "guardrail_intervened",  # Bedrock
        "sensitive",  # Z.ai
        "error_toxic",  # Cohere
        *("safety", "recitation", "language", "blocklist", "prohibited_content", "spii"),  # Google
        *("image_safety", "image_prohibited_content", "image_recitation", "image_other"),
        *("no_image", "escalation", "model_armor"),
    ),
    End.SERVER: (
        "error",  # OpenRouter, Cohere, watsonx
        "insufficient_system_resource",  # DeepSeek
        "network_error",  # Z.ai
        *("abort", "aborted"),  # vLLM, SGLang
        *("load", "unload"),  # Ollama
        *("cancelled", "canceled", "user_cancel", "not_finished", "time_limit"),  # watsonx, Cohere
        *("timeout", "server_error", "engine_overloaded", "preempted"),  # gateways
        *("failed", "incomplete", "in_progress", "queued"),  # OpenAI's Responses API
        *("pause_turn", "pause_run"),  # Anthropic: to be asked to go on
        *("malformed_function_call", "malformed_response", "malformed_tool_use"),  # Google, Bedrock
        *("malformed_model_output", "unexpected_tool_call", "too_many_tool_calls"),
        *("missing_thought_signature", "other", "finish_reason_unspecified"),
    ),
}

CALLS = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})
"""Words of replies that end with a call of tools."""


def _simplify_word(word: str) -> str:
    """Return ``word`` in lower case, without hyphens, underscores and blanks."""
    return re.sub(r"[_\- ]", "", word).lower()


_ENDS: Mapping[str, End] = {
    _simplify_word(word): end for end, words in _WORDS.items() for word in words
}


@lru_cache(maxsize=1024)  # a build asks for hundreds of thousands of replies
def end_by(word: str | None) -> End:
    """Return the party that ended a reply with ``word``; UNKNOWN if the table has no such word."""
    return End.UNKNOWN if word is None else _ENDS.get(_simplify_word(word), End.UNKNOWN)
