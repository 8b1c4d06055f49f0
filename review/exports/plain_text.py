"""Plain text for people: each session with its messages, what it cost and how it was judged."""

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows

_SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def text(session: Session, options: ExportOptions) -> SessionRows:
    """Return the session as one text, in a row of its own."""
    del options
    parts = [f"## Session: {' '.join(session.title.split())}"]
    for message in session.messages:
        calls = "".join(f"\n[calls {one.name} {one.arguments}]" for one in message.tool_calls)
        parts.append(f"**{_SPEAKERS[message.role]}:** {message.text}{calls}")
    parts.append("---")
    parts.append(f"{_amounts(session)}\n{_labels(session)}")
    return SessionRows([{"text": "\n\n".join(parts)}])


def _amounts(session: Session) -> str:
    tokens = session.totals.tokens
    known = [one for one in (tokens.input, tokens.output) if one is not None]
    cost = session.totals.cost_usd
    said = [
        f"Tokens: {sum(known):,}" if known else "Tokens: not known",
        "Cost: not known" if cost is None else f"Cost: ${cost:.2f}",
        f"Model: {session.model or 'not known'}",
    ]
    return " | ".join(said)


def _labels(session: Session) -> str:
    tags = ", ".join(session.eval_tags)
    return f"Status: {session.eval_status}" + (f" | Tags: {tags}" if tags else "")
