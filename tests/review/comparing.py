"""Comparisons made by hand, for tests."""

from collections.abc import Sequence

from records.sessions.asked import (
    ComparedAnswer,
    ComparedMessage,
    ComparedSession,
    ModelComparison,
)
from records.shapes.attempt import CostBasis, Generation, Tokens, TokensBasis
from records.shapes.run import RunModel
from tests.records import examples


def make_compared_model(slug: str) -> RunModel:
    """Return a model that was asked."""
    return RunModel(
        slug=slug,
        name=slug,
        provider="maker",
        litellm_id=slug,
        kind="llm",
        parameters={},
        max_output_tokens=None,
        origin=None,
    )


def make_compared_answer(session: str, slug: str, text: str, score: float = 0.5) -> ComparedAnswer:
    """Return a whole answer of unknown cost."""
    return ComparedAnswer(
        session=session,
        model=slug,
        at=examples.NOON,
        answer=text,
        fault=None,
        generation=Generation(
            duration_s=1.0,
            time_to_first_token_s=None,
            finish_reason="stop",
            answered_by=None,
            tries=1,
            tokens=Tokens(input=None, cached_input=None, output=None, reasoning=None),
            tokens_basis=TokensBasis.REPORTED,
            cost_usd=None,
            cost_basis=CostBasis.UNKNOWN,
            reply_digest="0" * 64,
        ),
        failed_tries_usd=None,
        score=score,
    )


def make_comparison(
    slugs: Sequence[str], sessions: int, answers: Sequence[ComparedAnswer] = (), seed: int = 1
) -> ModelComparison:
    """Return a comparison of these models on so many sessions."""
    return ModelComparison(
        schema_version=1,
        comparison_id="c" * 32,
        began_at=examples.NOON,
        seed=seed,
        metric="token_f1",
        budget_usd=None,
        spent_usd=0.0,
        under_way_usd=0.0,
        models=tuple(make_compared_model(slug) for slug in slugs),
        items=tuple(
            ComparedSession(
                session=f"session-{number:04}",
                seen="0" * 64,
                messages=(ComparedMessage(role="user", content=f"Question {number}?"),),
                expected=f"Expected {number}.",
            )
            for number in range(sessions)
        ),
        answers=tuple(answers),
    )
