"""The reader of replies in Google's protocol of generated content."""

from typing import Final

from records.foreign.fields import (
    Fields,
    as_count,
    as_fields,
    require_objects,
    require_text_or_null,
)
from runner.models.requests.heard import Heard, ReportedUsage
from runner.models.requests.protocols.chat import find_first_choice

_KNOWN: Final = frozenset({"text", "thought", "thoughtSignature", "functionCall", "partMetadata"})
_PIECE: Final = ("candidates", "promptFeedback", "usageMetadata")


def read_piece(piece: Fields, heard: Heard) -> bool:
    """Add an event of a stream, or a whole reply, to ``heard``; return False if it is neither.

    Raises:
        MalformedReplyError: a field has an invalid value.
    """
    if not any(piece.get(name) for name in _PIECE):
        return False
    heard.recognized = True
    heard.store_names(piece, "modelVersion")
    candidate = find_first_choice(require_objects(piece.get("candidates"), "candidates")) or {}
    content = as_fields(candidate.get("content"))
    for part in require_objects(content.get("parts"), "parts"):
        add = heard.add_thought if part.get("thought") else heard.add_text
        add(require_text_or_null(part.get("text"), "text"))
        if part.get("functionCall"):
            heard.call_tool()
        heard.note_unknown(part, _KNOWN)
    heard.finish(candidate.get("finishReason"))
    if as_fields(piece.get("promptFeedback")).get("blockReason") and not heard.finish_reason:
        heard.finish("content_filter")  # Google has several words for blocked prompts
    heard.report(_read_usage(as_fields(piece.get("usageMetadata"))))
    return True


def _read_usage(fields: Fields) -> ReportedUsage:
    into = as_count(fields.get("promptTokenCount"))
    written = as_count(fields.get("candidatesTokenCount"))
    thoughts = as_count(fields.get("thoughtsTokenCount"))
    total = as_count(fields.get("totalTokenCount"))
    # Google counts thoughts separately, unless the total shows that they are included.
    if written is None:
        output = None if total is None or into is None else as_count(total - into)
    elif thoughts and into is not None and total == into + written and thoughts <= written:
        output = written
    else:
        output = as_count(written + (thoughts or 0))
    return ReportedUsage(
        input=into,
        cached_input=as_count(fields.get("cachedContentTokenCount")),
        output=output,
        reasoning=thoughts,
        total=total,
    )
