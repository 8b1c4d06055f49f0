"""Audits: the attempts drawn, the facts shown of them, and the reviewers still to judge."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.sessions.audit import Audit, AuditedOutcome, AuditState
from records.sessions.session import EvalStatus
from records.shapes.attempt import StepName
from records.writer import write_record
from review.audits import AuditTasks, Candidate, Request, draw
from review.errors import ReviewError
from review.from_runs import make_attempt_session_id
from review.store import SessionStore
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import make_message, make_session, store_of
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit

VERSION = "9fdfa625ac2f"
RUNS = ("a" * 32, "b" * 32)


def make_candidates(counts: dict[str, tuple[int, int]]) -> list[Candidate]:
    """Return so many passed and failed attempts at each eval."""
    return [
        Candidate(
            eval=f"000-part/{name}",
            outcome="failed" if failed else "passed",
            run_id=RUNS[number % 2],
            sample=number // 2 + 1,
            failed_step=(StepName.TESTS if number % 3 else StepName.DEPLOY) if failed else None,
        )
        for name, (passed, broken) in counts.items()
        for number, failed in enumerate([False] * passed + [True] * broken)
    ]


def draw_audit(
    counts: dict[str, tuple[int, int]], size: int, seed: int, double: float = 0.2
) -> Audit:
    """Draw an audit."""
    request = Request(size, seed, double)
    now = datetime.now(UTC)
    return draw(
        VERSION, make_candidates(counts), request, at=now, session_of=make_attempt_session_id
    )


UNEVEN = {"000-one": (30, 2), "001-two": (5, 25), "002-three": (0, 9), "003-four": (41, 0)}


@given(
    st.dictionaries(
        st.from_regex(r"\A[0-9]{3}-[a-z]{1,5}\Z"),
        st.tuples(st.integers(0, 12), st.integers(0, 12)),
        min_size=1,
        max_size=6,
    ),
    st.integers(2, 60),
    st.integers(0, 10**9),
)
def test_half_of_each_outcome_and_a_share_of_each_eval(
    counts: dict[str, tuple[int, int]], size: int, seed: int
) -> None:
    """An outcome with too few is filled up by the other; each eval is within 1 of its share."""
    passed, failed = (sum(outcomes[side] for outcomes in counts.values()) for side in (0, 1))
    if not passed + failed:
        with pytest.raises(ReviewError, match="no attempt that passed or failed"):
            draw_audit(counts, size, seed)
        return
    sample = draw_audit(counts, size, seed)
    assert len(sample.items) == min(size, passed + failed)
    sides: tuple[tuple[AuditedOutcome, int], ...] = (("passed", passed), ("failed", failed))
    for outcome, there in sides:
        assert sample.count_population(outcome) == there
        assert sample.count_drawn(outcome) >= min(size // 2, there)
        for stratum in sample.strata:
            if stratum.outcome == outcome:
                share = sample.count_drawn(outcome) * stratum.population / there
                assert abs(stratum.drawn - share) < 1 + 1e-9


@pytest.mark.more
def test_every_attempt_is_drawn_as_often_as_its_weight_states() -> None:
    """Over 4,000 seeds, rates over the drawn attempts hold for all attempts of any eval."""
    times: Counter[str] = Counter()
    weights: dict[str, float] = {}
    seeds = 4000
    for seed in range(seeds):
        for drawn_item in draw_audit(UNEVEN, 12, seed).items:
            times[drawn_item.session] += 1
            weights[drawn_item.session] = drawn_item.weight
    assert len(times) == sum(map(sum, UNEVEN.values()))
    for name, number in times.items():
        expected = seeds / weights[name]
        assert abs(number - expected) < 5 * expected**0.5


def test_the_same_seed_draws_the_same() -> None:
    """The order of candidates does not matter; another seed draws other attempts."""
    request, now = Request(10, 3, 0.2), datetime.now(UTC)
    listed = make_candidates(UNEVEN)
    first = draw(VERSION, listed, request, at=now, session_of=make_attempt_session_id)
    assert draw(VERSION, listed[::-1], request, at=now, session_of=make_attempt_session_id) == first
    assert draw_audit(UNEVEN, 10, 4).items != first.items
    assert first.audit_id == f"{VERSION}-3"
    assert first.doubles == 2


def test_the_first_to_be_judged_are_a_random_part_of_the_drawn() -> None:
    """A reviewer who stops halfway has not judged only passes, or only one eval."""
    heads = [
        drawn_item for seed in range(300) for drawn_item in draw_audit(UNEVEN, 20, seed).items[:5]
    ]
    failed = sum(drawn_item.outcome == "failed" for drawn_item in heads)
    assert 600 < failed < 900


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store; an audit drew two of its sessions, for two reviewers and for one reviewer."""
    messages = (make_message("user", "q"), make_message("assistant", "a", model="m/x"))
    made = store_of(tmp_path, (make_session(number, *messages) for number in (0, 1, 2)))
    audit = make_audit(make_audit_item(1, reviewers=2), make_audit_item(0))
    write_record(made.folder.audits, audit)
    return made


def test_rights_of_reviewers(store: SessionStore) -> None:
    """A judgement may repeat the status; judgements that differ wait for a decision."""
    tasks = AuditTasks(store)
    (double,) = tasks.list_session_tasks("session-0001", [])
    assert double.name == "9fdfa625ac2f-7/1"
    assert tasks.find_task(double.name) == double
    assert tasks.find_task("9fdfa625ac2f-7/3") is tasks.find_task("none/1") is None
    assert tasks.list_session_tasks("session-0002", []) == []

    def list_waiting(reviewer: str) -> list[int]:
        return [entry.number for entry in tasks.list_tasks() if entry.is_blind_for(reviewer)]

    assert list_waiting("p1") == [1, 2]
    give_labels(
        store, "session-0001", {"evalStatus": "incorrect"}, via="desk", reviewer="p1", blind=True
    )
    assert list_waiting("p1") == [2]
    assert list_waiting("p2") == [1, 2]
    give_labels(
        store, "session-0001", {"evalStatus": "correct"}, via="desk", reviewer="p2", blind=True
    )
    (disputed,) = (entry for entry in tasks.list_tasks() if entry.state is AuditState.DISPUTED)
    assert [entry.reviewer for entry in disputed.judgements.blind] == ["p1", "p2"]
    assert not disputed.is_blind_for("p3")
    decided = give_labels(
        store,
        "session-0001",
        {"evalStatus": "incorrect"},
        via="desk",
        reviewer="p3",
        reason="as the task",
    )
    assert decided.session.eval_status is EvalStatus.INCORRECT
    assert AuditState.DISPUTED not in {entry.state for entry in tasks.list_tasks()}

    give_labels(store, "session-0000", {"evalStatus": "needs_review"}, via="desk", blind=True)
    give_labels(store, "session-0000", {"evalStatus": "correct"}, via="desk", blind=True)
    give_labels(store, "session-0000", {"evalStatus": "correct"}, via="desk", blind=True)
    assert len(store.read("session-0000").events) == 3
    assert {entry.state for entry in tasks.list_tasks()} == {AuditState.SETTLED}


def test_an_audit_of_local_runs_is_found_too(store: SessionStore) -> None:
    """An audit of local results is in their folder; a later audit of a session comes first."""
    later = make_audit(
        make_audit_item(0),
        make_audit_item(2),
        audit_id="9fdfa625ac2f-8",
        seed=8,
        drawn_at=datetime(2027, 1, 1, tzinfo=UTC),
    )
    write_record(store.folder.local.audits, later)
    tasks = AuditTasks(store)
    assert [listed.audit_id for listed in tasks.list_audits()] == [
        "9fdfa625ac2f-8",
        "9fdfa625ac2f-7",
    ]
    names = [listed.name for listed in tasks.list_session_tasks("session-0000", [])]
    assert names == ["9fdfa625ac2f-8/1", "9fdfa625ac2f-7/2"]
