"""The reader of replies in OpenAI's protocol of responses."""

import json
from typing import Final

from records.foreign.fields import Fields, as_fields, require_objects, require_text_or_null
from runner.models.requests.error_codes import QUOTED, make_reply_error
from runner.models.requests.heard import Heard, read_usage

_ENDS: Final = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled"}
)
_THOUGHTS: Final = frozenset(
    {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}
)


def read_event(fields: Fields, heard: Heard) -> bool:
    """Add the fields of the next event of a stream to ``heard``; return False for a strange event.

    Raises:
        ErrorInReplyError: the final response contains an error.
        MalformedReplyError: a field does not have the form of the protocol.
    """
    kind = str(fields.get("type"))
    if not kind.startswith("response."):
        return False
    heard.recognized = True
    if kind == "response.output_text.delta":
        heard.add_text(require_text_or_null(fields.get("delta"), "delta"))
    elif kind in _THOUGHTS:
        heard.add_thought(require_text_or_null(fields.get("delta"), "delta"))
    elif kind.startswith("response.refusal."):
        heard.refuse()
    elif kind.endswith("_call_arguments.delta") or kind == "response.output_item.added":
        item = str(as_fields(fields.get("item")).get("type") or "")
        if "delta" in fields or item.endswith("_call"):
            heard.call_tool()
    elif kind in _ENDS:
        _end(as_fields(fields.get("response")), kind.removeprefix("response."), heard)
        heard.closed = True
    elif isinstance(fields.get("response"), dict):
        heard.store_names(fields["response"])
    elif isinstance(fields.get("delta") or fields.get("text"), str):
        heard.strange_field = heard.strange_field or json.dumps(fields)[:QUOTED]
    return True


def read_whole(response: Fields, heard: Heard) -> bool:
    """Add a reply that came in one piece to ``heard``; return False if it is no reply.

    Raises:
        ErrorInReplyError: the reply contains an error.
        MalformedReplyError: a field has an invalid value.
    """
    if "output" not in response and not isinstance(response.get("status"), str):
        return False
    heard.recognized = True
    _end(response, None, heard)
    return True


def _end(response: Fields, ended: str | None, heard: Heard) -> None:
    """Add the final response to ``heard``: completed, incomplete, failed or cancelled."""
    heard.store_names(response)
    heard.report(read_usage(response.get("usage")))
    if response.get("error"):
        raise make_reply_error(response)
    streamed = bool(heard.size)
    for item in require_objects(response.get("output"), "output"):
        kind = str(item.get("type") or "message")
        add = heard.add_thought if kind == "reasoning" else heard.add_text
        if kind.endswith("_call"):
            heard.call_tool()
        for part in require_objects(item.get("content"), "content"):
            if part.get("type") == "refusal":
                heard.refuse()
            elif not streamed:
                add(require_text_or_null(part.get("text"), "text"))
        if kind == "reasoning":
            if any(item.get(name) for name in ("content", "summary", "encrypted_content")):
                heard.hide_thought()
            for part in () if streamed else require_objects(item.get("summary"), "summary"):
                heard.add_thought(require_text_or_null(part.get("text"), "text"))
    reason = as_fields(response.get("incomplete_details")).get("reason")
    heard.finish(reason or response.get("status") or ended)
