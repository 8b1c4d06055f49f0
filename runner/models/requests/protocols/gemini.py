"""The reader of replies in Google's protocol of generated content."""

from typing import Final

from runner.models.requests import claims
from runner.models.requests.heard import Heard, ReportedUsage
from runner.models.requests.protocols.fields import (
    Fields,
    find_first_choice,
    find_unknown_content,
    read_fields,
    read_objects,
    read_text,
)

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
    candidate = find_first_choice(read_objects(piece.get("candidates"), "candidates")) or {}
    content = read_fields(candidate.get("content"))
    for part in read_objects(content.get("parts"), "parts"):
        _read_part(part, heard)
    heard.finish(candidate.get("finishReason"))
    if read_fields(piece.get("promptFeedback")).get("blockReason") and not heard.finish_reason:
        heard.finish("content_filter")  # Google has several words for blocked prompts
    heard.report(_read_usage(read_fields(piece.get("usageMetadata"))))
    return True


def _read_part(part: Fields, heard: Heard) -> None:
    text = read_text(part.get("text"), "text")
    if part.get("thought"):
        heard.add_thought(text)
    else:
        heard.add_text(text)
    if part.get("functionCall"):
        heard.call_tool()
    heard.strange_field = heard.strange_field or find_unknown_content(part, _KNOWN)


def _read_usage(fields: Fields) -> ReportedUsage:
    into = claims.read_count(fields.get("promptTokenCount"))
    written = claims.read_count(fields.get("candidatesTokenCount"))
    thoughts = claims.read_count(fields.get("thoughtsTokenCount"))
    total = claims.read_count(fields.get("totalTokenCount"))
    return ReportedUsage(
        input=into,
        cached_input=claims.read_count(fields.get("cachedContentTokenCount")),
        output=_count_output(into, written, thoughts, total),
        reasoning=thoughts,
        total=total,
    )


def _count_output(
    into: int | None, written: int | None, thoughts: int | None, total: int | None
) -> int | None:
    """Return the number of all output tokens, with those of thoughts.

    Google counts thoughts separately, unless the total shows that they are included.
    """
    if written is None:
        return None if total is None or into is None else claims.read_count(total - into)
    if thoughts and into is not None and total == into + written and thoughts <= written:
        return written
    return claims.read_count(written + (thoughts or 0))
