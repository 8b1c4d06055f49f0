"""Comparisons of models on sessions: the metric, the prompts, pairs and their sides."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from generator.scores.intervals import compute_session_interval
from leaderboard.commands.session_models import format_compared_row
from leaderboard.sessions.judge_and_compare import compute_token_f1, make_compared_session
from records.files.data_folder import DataFolder
from records.sessions.asked import (
    ComparedSession,
    ComparisonChoice,
    ComparisonJudgement,
    select_standing_judgements,
)
from records.sessions.events import make_event_id
from records.sessions.session import EvalStatus
from records.shapes.attempt import CostBasis, Fault, FaultClass
from review import comparisons
from tests.records import examples
from tests.review.comparing import make_compared_answer, make_comparison
from tests.review.corpus import PLAIN, SECRET, make_message, make_session

pytestmark = pytest.mark.unit

MODELS = ("maker/one", "maker/two", "maker/three")


@given(st.text(), st.text())
def test_the_metric_is_a_share_and_symmetric(answer: str, expected: str) -> None:
    """F1 lies in 0 to 1, and precision and recall change places with the texts."""
    score = compute_token_f1(answer, expected)
    assert 0.0 <= score <= 1.0
    assert score == compute_token_f1(expected, answer)


@given(st.lists(st.sampled_from(["let", "x", "=", "1", "2", ";"]), min_size=1), st.randoms())
def test_the_metric_compares_tokens_not_their_order(tokens: list[str], chance: Random) -> None:
    """The same tokens score 1 in any order and case; other tokens score 0."""
    other = sorted(tokens)
    chance.shuffle(other)
    assert compute_token_f1("  ".join(tokens).upper(), "\n".join(other)) == 1.0
    assert compute_token_f1(" ".join(tokens), "nothing of this") == 0.0


def test_the_metric_by_hand() -> None:
    """Two of three tokens, one of them twice in the answer: P = 2/4, R = 2/3."""
    assert compute_token_f1("take take take ten", "take ten messages") == pytest.approx(4 / 7)
    assert compute_token_f1("", "") == 1.0
    assert compute_token_f1("", "x") == 0.0


@given(
    st.integers(2, 4), st.integers(1, 25), st.integers(0, 10**10 - 1), st.integers(0, 10**10 - 1)
)
def test_sides_are_balanced_and_follow_from_the_seed(
    models: int, sessions: int, seed: int, other: int
) -> None:
    """Each model is at A as often as the other model, give or take one session."""
    slugs = [f"maker/m{number}" for number in range(models)]
    record = make_comparison(slugs, sessions, seed=seed)
    all_pairs = comparisons.list_compared_pairs(record)
    assert all_pairs == comparisons.list_compared_pairs(record)
    assert [pair.number for pair in all_pairs] == list(range(1, len(all_pairs) + 1))
    assert len(all_pairs) == sessions * len(list(combinations(slugs, 2)))
    for first, second in combinations(slugs, 2):
        at_a = Counter(pair.sides[0] for pair in all_pairs if {first, second} == set(pair.sides))
        assert abs(at_a[first] - at_a[second]) <= 1
    triples = {(pair.item.session, pair.first, pair.second) for pair in all_pairs}
    reseeded = comparisons.list_compared_pairs(record.model_copy(update={"seed": other}))
    assert triples == {(pair.item.session, pair.first, pair.second) for pair in reseeded}


@given(st.integers(0, 1000))
def test_a_side_that_is_chosen_is_the_model_that_stood_there(seed: int) -> None:
    """This holds for any drawn sides."""
    for pair in comparisons.list_compared_pairs(make_comparison(MODELS, 3, seed=seed)):
        chosen = {"first": pair.first, "second": pair.second}
        assert chosen[pair.resolve_side("a")] == pair.sides[0]
        assert chosen[pair.resolve_side("b")] == pair.sides[1]
        assert pair.resolve_side("equal") == "equal"


def make_judgement(
    choice: ComparisonChoice, reviewer: str | None = None, **more: object
) -> ComparisonJudgement:
    """Return a judgement of the first session's answers by the first two models."""
    fields: dict[str, object] = {
        "id": make_event_id(examples.NOON),
        "at": examples.NOON,
        "reviewer": reviewer,
        "session": "session-0000",
        "first": MODELS[0],
        "second": MODELS[1],
        "choice": choice,
    }
    return ComparisonJudgement.model_validate({**fields, **more})


def test_the_last_judgement_of_each_reviewer_counts() -> None:
    """A judgement taken back does not count, and the judgement before counts again."""
    events = [make_judgement("first"), make_judgement("second"), make_judgement("equal", "p1")]
    assert [counted.choice for counted in select_standing_judgements(events)] == ["second", "equal"]
    undone = [*events, make_judgement("second", undoes=events[1].id)]
    assert [counted.choice for counted in select_standing_judgements(undone)] == ["first", "equal"]
    counted, second, third = list_preferences(undone)
    assert counted is not None
    assert second is not None
    assert (counted.wins, counted.losses, counted.equal) == (1, 0, 1)
    assert (second.wins, second.losses, second.equal) == (0, 1, 1)
    assert third is None


def test_logs_of_two_branches_have_one_state(tmp_path: Path) -> None:
    """The order of lines does not matter, nor does a slow clock."""
    record = make_comparison(MODELS, 3)
    store = comparisons.ComparisonStore(DataFolder(tmp_path))
    pair = next(
        candidate
        for candidate in comparisons.list_compared_pairs(record)
        if candidate.is_of(make_judgement("first"))
    )
    log = DataFolder(tmp_path).judgements.get_file(record.comparison_id)
    log.parent.mkdir()
    present = make_judgement("first", "p1")
    ahead = make_judgement("second", "p2", at=datetime.now(UTC) + timedelta(hours=2))
    log.write_text(f"{present.model_dump_json()}\n{ahead.model_dump_json()}\n")
    store.judge(record.comparison_id, pair, "equal", "p2")
    before = store.read_log(record.comparison_id)
    assert [event.choice for event in before] == ["first", "second", "equal"]
    assert before[2].replaces == ahead.id
    lines = log.read_text().splitlines(keepends=True)
    for order in ([*lines[::-1], lines[0]], [lines[1], lines[2], lines[0]]):
        log.write_text("".join(order))
        assert store.read_log(record.comparison_id) == before
    # The next writer cuts off the incomplete line of a killed writer.
    log.write_text("".join([*lines, '{"at": "20']))
    assert store.read_log(record.comparison_id) == before
    store.judge(record.comparison_id, pair, "equal", "p1")
    assert store.read_log(record.comparison_id)[:-1] == before


def list_preferences(events: list[ComparisonJudgement]) -> list[comparisons.Preferred | None]:
    """Return the preferences of people for each model, in a comparison on four sessions."""
    rows = comparisons.make_comparison_rows(
        make_comparison(MODELS, 4), events, compute_session_interval
    )
    return [row.preferred for row in rows]


def test_preferences_are_means_over_sessions() -> None:
    """A session that two people judged weighs no more than another; ends by Wilson's formula."""
    events = [
        make_judgement("first", "p1"),
        make_judgement("equal", "p2"),
        make_judgement("second", session="session-0001"),
        make_judgement("first", session="session-0002"),
    ]
    first, second, _ = list_preferences(events)
    assert first is not None
    assert second is not None
    assert first.share.value == pytest.approx((0.75 + 0 + 1) / 3)
    assert second.share.value == pytest.approx(1 - first.share.value)
    assert (second.share.low, second.share.high) == pytest.approx(
        (1 - first.share.high, 1 - first.share.low)
    )
    assert first.share.low < first.share.value < first.share.high
    (alone, _, _) = list_preferences(
        [make_judgement("first", session=f"session-000{n}") for n in range(4)]
    )
    assert alone is not None
    assert (alone.share.low, alone.share.high) == pytest.approx((0.510, 1.0), abs=1e-3)


def test_a_missing_value_is_no_number() -> None:
    """A model without answers has neither a mean nor a share, in the table and in its line."""
    record = make_comparison(
        MODELS, 1, [make_compared_answer("session-0000", MODELS[0], "a", score=0.0)]
    )
    first, second, _ = comparisons.make_comparison_rows(record, [], compute_session_interval)
    assert first.score is not None
    assert (first.score.value, first.cost_usd, first.preferred) == (0.0, None, None)
    assert (second.score, second.preferred) == (None, None)
    stroke = "\N{EN DASH}"
    assert format_compared_row(second) == (
        f"{MODELS[1]}  n=0  mean {stroke}  cost {stroke}  people: {stroke}"
    )


def test_the_cost_of_answers_is_that_of_answers() -> None:
    """The cost of a fault is not in the sum: the number beside the sum counts answers."""
    answers = [make_compared_answer(f"session-000{n}", MODELS[0], "a") for n in range(3)]
    generation = answers[0].generation
    assert generation is not None
    paid = generation.model_copy(update={"cost_usd": 0.25, "cost_basis": CostBasis.ESTIMATED})
    fault = Fault(kind=FaultClass.PROVIDER_ERROR, evidence="cut")
    answers[0] = answers[0].model_copy(update={"generation": paid})
    answers[1] = answers[1].model_copy(
        update={"generation": paid, "answer": None, "score": None, "fault": fault}
    )
    (row, _, _) = comparisons.make_comparison_rows(
        make_comparison(MODELS, 3, answers), [], compute_session_interval
    )
    assert (row.answers, row.faults) == (2, 1)
    assert (row.cost_usd, row.cost_known_for) == (0.25, 1)


def test_only_pairs_with_both_answers_are_judged() -> None:
    """A model without an answer, because of a fault, loses nothing; reviewers wait separately."""
    texts = [make_compared_answer("session-0000", slug, slug) for slug in MODELS[:2]]
    record = make_comparison(MODELS, 2, texts)
    (pair,) = comparisons.list_answered_pairs(record)
    assert {pair.first, pair.second} == set(MODELS[:2])
    assert comparisons.list_waiting_pairs(record, [make_judgement("first", "p1")], "p1") == []
    assert comparisons.list_waiting_pairs(record, [make_judgement("first", "p1")], None) == [pair]


def test_the_last_request_is_asked_with_the_messages_before_it() -> None:
    """Secrets stay here; the expected output is that of the session, else the answer."""
    record = make_session(
        7,
        make_message("system", "You help."),
        make_message("user", "First?"),
        make_message("assistant", "One."),
        make_message("user", f"Second? {SECRET}"),
        make_message("assistant", "Two."),
        eval_status=EvalStatus.GOLDEN,
    )
    prompt = make_compared_session(record)
    assert isinstance(prompt, ComparedSession)
    assert [(message.role, message.content) for message in prompt.messages] == [
        ("system", "You help."),
        ("user", "First?"),
        ("assistant", "One."),
        ("user", "Second? [redacted]"),
    ]
    assert prompt.expected == "Two."
    expecting = make_compared_session(record.model_copy(update={"expected_output": "2."}))
    assert isinstance(expecting, ComparedSession)
    assert expecting.expected == "2."


def test_runs_that_cannot_be_compared_have_a_reason() -> None:
    """The session has no request, no ground truth, or tools before the request."""
    unjudged = make_session(8, make_message("user", "q"), make_message("assistant", "a"))
    assert make_compared_session(unjudged) == "its expected answer is not known"
    assert (
        make_compared_session(make_session(9, make_message("assistant", "a")))
        == "it has no request"
    )
    assert "tools were called" in str(make_compared_session(PLAIN))


def test_a_record_that_contradicts_itself_is_refused() -> None:
    """Two answers to a question, an answer that was not asked, a score without an answer."""
    answer = make_compared_answer("session-0000", MODELS[0], "x")
    with pytest.raises(ValidationError, match="answers a session twice"):
        make_comparison(MODELS, 1, [answer, answer])
    with pytest.raises(ValidationError, match="was not to be asked"):
        make_comparison(MODELS, 1, [make_compared_answer("session-0009", MODELS[0], "x")])
    with pytest.raises(ValidationError, match="score is null exactly if answer is null"):
        type(answer).model_validate({**answer.model_dump(), "score": None})
