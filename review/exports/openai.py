"""OpenAI: chat JSONL, which fine-tuning tools take too, and samples of openai/evals."""

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows, chat_message, chosen_turns
from review.turns import ground_truth


def chat(session: Session, options: ExportOptions) -> SessionRows:
    """Return the whole conversation: ``{"messages": [...]}``."""
    del options
    if not any(one.role == "assistant" for one in session.messages):
        return SessionRows([], ["no assistant says anything"])
    return SessionRows([{"messages": [chat_message(one) for one in session.messages]}])


def evals(session: Session, options: ExportOptions) -> SessionRows:
    """Return a sample of openai/evals for each turn whose right answer is known.

    An empty ideal would match every answer, so such a row does not exist.
    """
    chosen, skipped = chosen_turns(session, options)
    samples: list[dict[str, object]] = []
    for turn in chosen:
        ideal = ground_truth(session, turn)
        if ideal is None or not ideal.strip():
            skipped.append("nobody said what the right answer is")
            continue
        asked = [
            *map(chat_message, session.messages[: turn.start]),
            {"role": "user", "content": turn.asked},
        ]
        samples.append({"input": asked, "ideal": ideal})
    return SessionRows(samples, skipped)
