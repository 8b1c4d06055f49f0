"""Rows for OpenAI: chat JSONL, also for fine-tuning tools, and samples of openai/evals."""

from review.exports.prepared import ExportedSession
from review.exports.rows import (
    ExportedTurn,
    Row,
    explain_unusable,
    make_chat_message,
    make_prompt_messages,
)


def build_chat(session: ExportedSession) -> Row:
    """Return the whole checked conversation: ``{"messages": [...]}``."""
    return {"messages": [make_chat_message(message) for message in session.chat_messages]}


def explain_missing_chat(session: ExportedSession) -> str | None:
    """Return why a session has no conversation for consumers of chats; None if it has one."""
    return session.chat if isinstance(session.chat, str) else None


def build_sample(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return a sample of openai/evals for a turn."""
    return {
        "input": make_prompt_messages(session.list_messages_before(turn), turn),
        "ideal": turn.truth,
    }


def explain_missing_sample(turn: ExportedTurn) -> str | None:
    """Return why a turn is not a sample; None if it is a sample.

    A turn without a right answer is left out, because an empty ideal would match every answer.
    """
    if reason := explain_unusable(turn):
        return reason
    return None if turn.truth and turn.truth.strip() else "its right answer is not known"
