"""promptfoo: tests whose conversation is an object, for a prompt of `{{ messages | dump }}`.

Texts that are variables themselves would be Nunjucks templates: `{{ env.HOME }}` in a session would
be filled in. Inside of an object nothing is rendered.
"""

from records.session import Session
from review.exports.rows import ExportOptions, SessionRows, chat_message, chosen_turns, facts
from review.turns import ground_truth


def tests(session: Session, options: ExportOptions) -> SessionRows:
    """Return a test for each turn; what the answer should be stands in ``vars.expected.text``."""
    chosen, skipped = chosen_turns(session, options)
    found = [
        {
            "vars": {
                "messages": [
                    *map(chat_message, session.messages[: turn.start]),
                    {"role": "user", "content": turn.asked},
                ],
                "expected": {"text": ground_truth(session, turn)},
            },
            "metadata": facts(session),
        }
        for turn in chosen
    ]
    return SessionRows(found, skipped)
