"""Opinions of judges made by hand, for tests."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from leaderboard.commands.session_models import build_agreement_rows, find_people_statuses
from leaderboard.sessions.judge_and_compare import make_judge_prompt, make_judged_session
from records.sessions import asked
from records.sessions.events import make_event_id
from records.sessions.labels import LabelEvent
from records.sessions.session import EvalStatus, Session
from records.shapes.base import compute_text_digest
from review.labeled_session import LabeledSession
from review.turns import compute_transcript_digest
from tests.records import examples
from tests.review.comparing import make_compared_answer
from tests.review.corpus import make_message, make_session

RUBRIC = "Golden is best."


def make_prompt(judged: Session) -> list[dict[str, str]]:
    """Return the prompt that a judge gets for a session."""
    prompt = make_judge_prompt(judged, RUBRIC)
    assert not isinstance(prompt, str)
    return prompt


def make_labeled_session(
    number: int, person: str | None, *others: str, tags: tuple[str, ...] = ()
) -> LabeledSession:
    """Return a session with the statuses that reviewers p0, p1 ... gave it."""
    record = make_session(
        number, make_message("user", f"q{number}"), make_message("assistant", "a"), eval_tags=tags
    )
    statuses = [status for status in (person, *others) if status is not None]
    events = [
        LabelEvent.model_validate(
            {
                "id": make_event_id(datetime(2026, 11, 1, at, tzinfo=UTC)),
                "at": datetime(2026, 11, 1, at, tzinfo=UTC),
                "reviewer": f"p{at}",
                "field": "evalStatus",
                "before": "needs_review",
                "after": status,
                "via": "desk",
                "blind": True,
                "seen": compute_transcript_digest(record),
            }
        )
        for at, status in enumerate(statuses)
    ]
    labels: dict[str, object] = {}
    if statuses:
        labels = {"eval_status": EvalStatus(statuses[-1]), "reviewed_at": events[-1].at}
    return LabeledSession(record.model_copy(update=labels), events)


def make_opinion(item: asked.JudgedSession, status: str) -> asked.ModelOpinion:
    """Return a judge's opinion of a session."""
    answer = dict(make_compared_answer(item.session, "a/judge", f"Status: {status}"))
    del answer["score"]
    return asked.ModelOpinion(**answer, status=asked.OpinionStatus(status))


def make_opinions(
    sessions: Sequence[LabeledSession], statuses: Sequence[str | None]
) -> asked.SessionOpinions:
    """Return the opinions of one judge; null is a session without an answer yet."""
    items = [
        make_judged_session(labeled.session, make_prompt(labeled.session)) for labeled in sessions
    ]
    answers = [
        make_opinion(item, status)
        for item, status in zip(items, statuses, strict=True)
        if status is not None
    ]
    return asked.SessionOpinions(
        schema_version=1,
        opinions_id="d" * 32,
        began_at=examples.NOON,
        seed=1,
        rubric=RUBRIC,
        rubric_digest=compute_text_digest(RUBRIC),
        budget_usd=None,
        spent_usd=0.0,
        under_way_usd=0.0,
        models=(examples.make_model("a/judge"),),
        items=tuple(items),
        answers=tuple(answers),
    )


def make_agreement_cases(number: int) -> list[dict[str, Any]]:
    """Return random statuses of people and a judge, with the numbers of agreement of each case."""
    chance = random.Random(1)  # noqa: S311 - repeatable
    names = ["golden", "correct", "incorrect"]
    cases: list[dict[str, Any]] = []
    while len(cases) < number:
        people = chance.choices(names, weights=[chance.random() for _ in names], k=25)
        judge = [entry if chance.random() < 0.6 else chance.choice(names) for entry in people]
        sessions = [make_labeled_session(at, status) for at, status in enumerate(people)]
        by_id = {entry.session.id: entry for entry in sessions}
        opinions = make_opinions(sessions, judge)
        people_say = find_people_statuses(opinions, by_id, frozenset())
        row = build_agreement_rows(opinions, by_id, people_say)[0]
        if row.accuracy is None or row.kappa is None:
            continue  # all of one status: kappa is not defined
        table = [list(cells[: len(names)]) for cells in row.table]
        numbers = {"accuracy": row.accuracy.value, "kappa": row.kappa.value}
        cases.append({"people": people, "judge": judge, "table": table, **numbers})
    return cases
