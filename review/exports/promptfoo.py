"""promptfoo: tests whose conversation is an object, for a prompt of `{{ messages | dump }}`.

Texts that are variables themselves would be Nunjucks templates: `{{ env.HOME }}` in a session would
be filled in. Inside of an object nothing is rendered.
"""

from review.exports.prepared import ExportedSession
from review.exports.rows import ExportedTurn, Row, facts, requested


def test(session: ExportedSession, turn: ExportedTurn) -> Row:
    """Return the test of a turn; the right answer stands in ``vars.expected.text``."""
    return {
        "vars": {
            "messages": requested(session.messages_before(turn), turn),
            "expected": {"text": turn.truth},
        },
        "metadata": facts(session.session, turn),
    }
