"""The work of `leaderboard session compare`: models are asked the prompts of sessions.

The prompt is the request of the judged turn, with the messages before it. The metric is the F1 of
the tokens of answer and expected text, which no model judges.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

from leaderboard.sessions.prompt_asking import (
    PromptAsking,
    build_record_fields,
    resolve_asked_entries,
    resume_record,
)
from leaderboard.sessions.session_lookup import make_prompts
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import (
    ComparedAnswer,
    ComparedMessage,
    ComparedSession,
    ModelComparison,
    PromptAnswer,
)
from records.sessions.session import Session
from records.shapes.registry import ModelEntry
from review.redaction import redact_text
from review.selection import SessionSelection
from review.turns import OwnLabels, compute_transcript_digest, find_ground_truth, find_judged_turn
from runner.runs.plan import make_run_id
from runner.runs.settings import RunSettings

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


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


def make_compared_session(session: Session, own: OwnLabels | None = None) -> ComparedSession | str:
    """Return request and expected output of ``session``, or why it cannot be compared.

    Secrets are removed as in exports, because the prompt is sent to providers. The expected output
    is redacted, too. The labels of single turns, ``own``, come before those of the session.
    """
    judged = find_judged_turn(session)
    if judged is None or not judged.asked.strip():
        return "it has no request"
    expected = find_ground_truth(session, judged, own)
    if expected is None or not expected.strip():
        return "its expected answer is not known"
    if any(
        message.role == "tool" or message.tool_calls for message in session.messages[: judged.start]
    ):
        return "tools were called before its judged request, and models cannot be given these"
    messages = [
        ComparedMessage.model_validate({"role": message.role, "content": redact_text(message.text)})
        for message in session.messages[: judged.start]
        if message.text.strip() and message.role != "program"
    ]
    request = ComparedMessage(role="user", content=redact_text(judged.asked))
    return ComparedSession(
        session=session.id,
        seen=compute_transcript_digest(session),
        messages=(*messages, request),
        expected=redact_text(expected),
    )


def begin(
    data: DataFolder, chosen: SessionSelection, settings: RunSettings, seed: int
) -> PromptAsking[ModelComparison]:
    """Return the asking of a new comparison.

    Prints why sessions are left out.

    Raises:
        UsageError: no selected session can be compared, or no model is named.
        UserError: a model is unknown, or there is a budget and no known price.
    """
    entries = resolve_asked_entries(data, settings)
    comparison = ModelComparison(
        comparison_id=make_run_id(),
        metric="token_f1",
        items=tuple(make_compared_sessions(data, chosen)),
        **build_record_fields(entries, settings, seed),
    )
    return _make_asking(data, comparison, entries)


def make_compared_sessions(data: DataFolder, chosen: SessionSelection) -> list[ComparedSession]:
    """Return the prompts of the selected sessions; print why sessions are left out.

    Raises:
        UsageError: no selected session can be compared.
    """
    return make_prompts(
        data,
        chosen,
        lambda labelled: make_compared_session(labelled.session, labelled.turns),
        "can be compared; without --status, golden sessions are asked about: `leaderboard "
        "session list --status golden`",
    )


def build_prompt(item: ComparedSession) -> list[dict[str, str]]:
    """Return the messages of a session that are sent to models."""
    return [message.model_dump() for message in item.messages]


def go_on(data: DataFolder, beginning: str, settings: RunSettings) -> PromptAsking[ModelComparison]:
    """Return an unfinished comparison with its models, which must be unchanged.

    Raises:
        MissingRecordError: no comparison has an id with this beginning.
        CannotResumeError: a model has changed, or its requests would change.
    """
    comparison = read_record(ModelComparison, data.local.comparisons.find_file(beginning))
    name = f"comparison {comparison.comparison_id}"
    return _make_asking(data, *resume_record(data, name, comparison, settings))


def _make_asking(
    data: DataFolder, comparison: ModelComparison, entries: Sequence[ModelEntry]
) -> PromptAsking[ModelComparison]:
    expected = {item.session: item.expected for item in comparison.items}

    def score_answer(answer: PromptAnswer) -> ComparedAnswer:
        text = answer.answer
        score = None if text is None else compute_token_f1(text, expected[answer.session])
        return ComparedAnswer(**dict(answer), score=score)

    return PromptAsking(
        noun="comparison",
        id_field="comparison",
        answer_noun="answer",
        commands=("compare", "opinions --comparisons"),
        path=data.local.comparisons.get_file(comparison.comparison_id),
        record=comparison,
        entries=entries,
        prompts={item.session: build_prompt(item) for item in comparison.items},
        finish=score_answer,
        describe=lambda answer: ("answered", f"{answer.score:.3f}"),
        results=("answered",),
    )
