"""Comparisons made by hand, for tests."""

from collections.abc import Sequence

from records.sessions import asked
from tests.records import examples


def make_compared_answer(
    session: str, slug: str, text: str, score: float = 0.5
) -> asked.ComparedAnswer:
    """Return a whole answer of unknown cost."""
    return asked.ComparedAnswer(
        session=session,
        model=slug,
        at=examples.NOON,
        answer=text,
        fault=None,
        generation=examples.make_generation(None),
        failed_tries_usd=None,
        score=score,
    )


def make_comparison(
    slugs: Sequence[str], sessions: int, answers: Sequence[asked.ComparedAnswer] = (), seed: int = 1
) -> asked.ModelComparison:
    """Return a comparison of these models on so many sessions."""
    return asked.ModelComparison(
        schema_version=1,
        comparison_id="c" * 32,
        began_at=examples.NOON,
        seed=seed,
        metric="token_f1",
        budget_usd=None,
        spent_usd=0.0,
        under_way_usd=0.0,
        models=tuple(examples.make_model(slug) for slug in slugs),
        items=tuple(
            asked.ComparedSession(
                session=f"session-{number:04}",
                seen="0" * 64,
                messages=(asked.ComparedMessage(role="user", content=f"Question {number}?"),),
                expected=f"Expected {number}.",
            )
            for number in range(sessions)
        ),
        answers=tuple(answers),
    )
