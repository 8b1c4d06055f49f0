"""The reader of replies in Anthropic's protocol of messages."""

from dataclasses import replace
from typing import Final

from records.foreign.fields import Fields, as_fields, require_objects, require_text_or_null
from runner.models.requests.heard import Heard, read_usage

_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_KNOWN: Final = frozenset(
    {
        *("type", "text", "thinking", "signature", "data", "citation", "citations", "id", "name"),
        *("input", "partial_json", "caller"),
    }
)


def read_event(fields: Fields, heard: Heard) -> bool:
    """Add the fields of the next event of a stream to ``heard``; return False for a strange event.

    Raises:
        MalformedReplyError: a field does not have the form of the protocol.
    """
    kind = str(fields.get("type"))
    if kind == "message_start":
        message = as_fields(fields.get("message"))
        heard.recognized = True
        heard.store_names(message)
        # Output tokens are left out: this number is from before the first word of the reply.
        usage = read_usage(message.get("usage"))
        heard.report(replace(usage, output=None, reasoning=None, total=None))
    elif kind == "content_block_start":
        _read_block(as_fields(fields.get("content_block")), heard)
    elif kind == "content_block_delta":
        _read_block(as_fields(fields.get("delta")), heard)
    elif kind == "message_delta":
        heard.recognized = True
        heard.finish(as_fields(fields.get("delta")).get("stop_reason"))
        report = as_fields(fields.get("usage"))
        usage = read_usage(report)
        if heard.usage.input is not None and "cache_read_input_tokens" not in report:
            usage = replace(usage, input=None)  # lacks a cache's tokens, unlike the first event
        heard.report(usage)
    elif kind == "message_stop":
        heard.closed = True
    else:
        return kind in {"ping", "content_block_stop"}
    return True


def read_whole(message: Fields, heard: Heard) -> bool:
    """Add a reply that came in one piece to ``heard``; return False if it is no reply.

    Raises:
        MalformedReplyError: a field has an invalid value.
    """
    if "content" not in message:
        return False
    heard.recognized = True
    heard.store_names(message)
    for block in require_objects(message.get("content"), "content"):
        _read_block(block, heard)
    heard.finish(message.get("stop_reason"))
    heard.report(read_usage(message.get("usage")))
    return True


def _read_block(block: Fields, heard: Heard) -> None:
    """Add a block of content, or an addition to a block, to ``heard``."""
    heard.recognized = True
    heard.add_thought(require_text_or_null(block.get("thinking"), "thinking"))
    heard.add_text(require_text_or_null(block.get("text"), "text"))
    if block.get("type") == "redacted_thinking":
        heard.hide_thought()
    if str(block.get("type")) in _CALLS or "partial_json" in block:
        heard.call_tool()
    heard.note_unknown(block, _KNOWN)
