"""Plain text for people: sessions with their messages, costs and labels."""

import re
from typing import Final

from records.sessions.session import Session
from records.text.numbers import format_dollars
from review.exports.prepared import ExportedSession
from review.exports.rows import Row

_SPEAKERS: Final = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}
_BREAKS: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_SHAPE: Final = re.compile(
    rf"(?<=[{_BREAKS}])[^\S{_BREAKS}]*"
    rf"(?=\#\#\s*Session:|\*\*(?:User|Assistant|System|Tool):\*\*|---[^\S{_BREAKS}]*(?:[{_BREAKS}]|$)"
    r"|\[calls\s|Tokens:|Status:)",
    re.IGNORECASE,
)
"""The beginning of a line in a text that looks like a line of this format."""
_MARK: Final = "\\"
"""The mark before such a line, which Markdown does not show."""


def build_text(session: ExportedSession) -> Row:
    """Return the session as one text, in a row of its own."""
    record = session.session
    parts = [f"## Session: {_join_lines(record.title)}"]
    for message in record.messages:
        calls = "".join(
            f"\n[calls {_join_lines(call.name)} {_mark_lines(call.arguments)}]"
            for call in message.tool_calls
        )
        parts.append(f"**{_SPEAKERS[message.role]}:** {_mark_lines(message.text)}{calls}")
    parts.append(f"---\n{_format_amounts(record)}\n{_format_labels(record)}")
    return {"text": "\n\n".join(parts)}


def _mark_lines(words: str) -> str:
    """Mark each line that looks like a line of this format.

    The first line needs no mark, because the speaker is before it.
    """
    return _SHAPE.sub(lambda match: f"{match[0]}{_MARK}", words)


def _join_lines(words: str) -> str:
    return " ".join(words.split())


def _format_amounts(session: Session) -> str:
    tokens = session.totals.tokens
    known_tokens = [number for number in (tokens.input, tokens.output) if number is not None]
    cost = session.totals.cost_usd
    amounts = [
        f"Tokens: {sum(known_tokens):,}" if known_tokens else "Tokens: not known",
        "Cost: not known" if cost is None else f"Cost: {format_dollars(cost)}",
        f"Model: {_join_lines(session.model) if session.model else 'not known'}",
    ]
    return " | ".join(amounts)


def _format_labels(session: Session) -> str:
    tags = ", ".join(map(_join_lines, session.eval_tags))
    return f"Status: {session.eval_status}" + (f" | Tags: {tags}" if tags else "")
