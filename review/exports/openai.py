"""OpenAI: chat JSONL, which fine-tuning tools take too, and samples of openai/evals."""

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, chat_message, requested, unusable


def chat(session: ExportedSession) -> Row:
    """Return the whole checked conversation: ``{"messages": [...]}``."""
    return {"messages": [chat_message(message) for message in session.chat_messages]}


def no_chat(session: ExportedSession) -> str | None:
    """Return why there is no conversation that consumers take; else null."""
    return session.chat if isinstance(session.chat, str) else None


def sample(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return a sample of openai/evals for a turn."""
    return {"input": requested(session.messages_before(turn), turn), "ideal": turn.truth}


def no_sample(turn: ExportedTurn) -> str | None:
    """Return why a turn is no sample; null where it is a sample.

    An empty ideal would match every answer, so such a row does not exist.
    """
    if reason := unusable(turn):
        return reason
    return None if turn.truth and turn.truth.strip() else "nobody said what the right answer is"
