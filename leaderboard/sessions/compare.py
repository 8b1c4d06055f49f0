"""The work of `leaderboard session compare`: models are asked the prompts of sessions.

The prompt is the request of the judged turn, with the messages before it. The metric is the F1 of
the tokens of answer and expected text, which no model judges.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.sessions.prompt_asking import PromptAsking
from leaderboard.sessions.session_lookup import make_prompts
from records.files.data_folder import RecordFiles
from records.sessions import asked
from records.sessions.session import Session
from review.redaction import redact_text
from review.selection import SessionSelection
from review.turns import OwnLabels, compute_transcript_digest, find_judged_turn
from runner.models.tokens import Prompt

_TOKEN = re.compile(r"\w+|[^\w\s]")


def compute_token_f1(answer: str, expected: str) -> float:
    """Return the F1 of the tokens of two texts: from 0, no token shared, to 1, the same tokens.

    It is the F1 of Rajpurkar et al. 2016 (SQuAD, section 6.1), equal to ROUGE-1 F (Lin 2004), the
    harmonic mean of precision and recall. Let c be the number of tokens in common, each counted as
    often as in both texts. Then P = c / tokens of the answer, R = c / tokens of the expected text,
    and F1 = 2 P R / (P + R).

    A token is a run of letters, digits and underscores, or any other single character that is not a
    blank. Texts are compared after Unicode's NFKC, without regard to capital letters or the order
    of tokens. Unlike in SQuAD's script, articles and punctuation count, because they have a meaning
    in code. If neither text has a token, the result is 1; if only one text has tokens, it is 0.
    """
    answer_tokens, expected_tokens = _count_tokens(answer), _count_tokens(expected)
    if not answer_tokens and not expected_tokens:
        return 1.0
    common = (answer_tokens & expected_tokens).total()
    return 2 * common / (answer_tokens.total() + expected_tokens.total())


def _count_tokens(text: str) -> Counter[str]:
    return Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).casefold()))


def make_compared_session(
    session: Session, own: OwnLabels | None = None
) -> asked.ComparedSession | str:
    """Return request and expected output of ``session``, or why it cannot be compared.

    Secrets are removed as in exports, because the prompt is sent to providers. The expected output
    is redacted, too. The labels of single turns, ``own``, come before those of the session.
    """
    judged = find_judged_turn(session, own)
    if judged is None or not judged.asked.strip():
        return "it has no request"
    expected = judged.truth
    if expected is None or not expected.strip():
        return "its expected answer is not known"
    if any(
        message.role == "tool" or message.tool_calls for message in session.messages[: judged.start]
    ):
        return "tools were called before its judged request, and models cannot be given these"
    messages = [
        asked.ComparedMessage.model_validate(
            {"role": message.role, "content": redact_text(message.text)}
        )
        for message in session.messages[: judged.start]
        if message.text.strip() and message.role != "program"
    ]
    request = asked.ComparedMessage(role="user", content=redact_text(judged.asked))
    return asked.ComparedSession(
        session=session.id,
        seen=compute_transcript_digest(session),
        messages=(*messages, request),
        expected=redact_text(expected),
    )


class Comparing(PromptAsking[asked.ModelComparison]):
    """Models that are asked the judged requests of sessions, and get a score for each answer."""

    noun, answer_noun = "comparison", "answer"
    commands = ("compare", "opinions --comparisons")
    shape = asked.ModelComparison
    results = ("answered",)

    @property
    def files(self) -> RecordFiles:
        """The files of all comparisons."""
        return self.data.local.comparisons

    def choose_prompts(
        self, chosen: SessionSelection
    ) -> tuple[Mapping[str, Prompt], Mapping[str, Any]]:
        """Return the prompts of the selected sessions.

        Raises:
            UsageError: no selected session can be compared.
        """
        items = make_prompts(
            self.data,
            chosen,
            lambda labelled: make_compared_session(labelled.session, labelled.turns),
            "can be compared; without --status, golden sessions are asked about: `leaderboard "
            "session list --status golden`",
        )
        return _build_prompts(items), {"items": tuple(items), "metric": "token_f1"}

    def restore_prompts(self) -> Mapping[str, Prompt]:
        """Return the prompts, which are in the record."""
        return _build_prompts(self.record.items)

    def finish(self, answer: asked.PromptAnswer) -> asked.ComparedAnswer:
        """Return an answer with its score."""
        score = None
        if answer.answer is not None:
            (item,) = [each for each in self.record.items if each.session == answer.session]
            score = compute_token_f1(answer.answer, item.expected)
        return asked.ComparedAnswer(**dict(answer), score=score)

    def describe(self, answer: asked.ComparedAnswer) -> tuple[str, str | None]:
        """Return that the model answered, and the score."""
        return "answered", f"{answer.score:.3f}"


def _build_prompts(items: Sequence[asked.ComparedSession]) -> dict[str, Prompt]:
    return {item.session: [message.model_dump() for message in item.messages] for item in items}
