"""Rows for promptfoo: tests with the conversation as an object, for `{{ messages | dump }}`.

promptfoo renders a variable that is a text as a Nunjucks template, so that `{{ env.HOME }}` in a
session would be filled in. It does not render texts inside of an object.
"""

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, build_facts, make_prompt_messages


def build_test(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return the test of a turn; ``vars.expected.text`` is the right answer."""
    return {
        "vars": {
            "messages": make_prompt_messages(session.list_messages_before(turn), turn),
            "expected": {"text": turn.truth},
        },
        "metadata": build_facts(session.session, turn),
    }
