"""Opinions of judge models: blind prompts, readable replies, agreement with people."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.commands.session_models import (
    JUDGES_SAY,
    AgreementRow,
    build_agreement_rows,
    find_people_statuses,
    format_agreement_lines,
    list_differing_sessions,
)
from leaderboard.sessions import judge_and_compare as judge
from records.sessions import asked
from records.sessions.events import make_event_id
from records.sessions.session import EvalStatus
from review.labeled_session import LabeledSession
from tests.generator.scores import second_opinion
from tests.leaderboard.sessions import opining
from tests.review.corpus import SECRET, make_message, make_session

pytestmark = pytest.mark.unit


def test_a_judge_sees_messages_and_nothing_else() -> None:
    """The prompt has no model, label, tag, note, expected output, title, project, id or secret."""
    record = make_session(
        1,
        make_message("system", "You help."),
        make_message("user", f"My key is {SECRET}, list it"),
        make_message("assistant", "Use an index.", model="secretmaker/hidden"),
        eval_status=EvalStatus.INCORRECT,
        eval_notes="hidden note",
        eval_tags=("hidden-tag",),
        expected_output="hidden expectation",
        model="secretmaker/hidden",
        project="hidden-project",
        title="hidden title",
    )
    system, user = opining.make_prompt(record)
    assert system["content"].startswith(opining.RUBRIC)
    assert "hidden" not in system["content"] + user["content"]
    assert SECRET not in user["content"]
    assert record.id not in user["content"]
    lines = [json.loads(line) for line in user["content"].splitlines()]
    assert [line["role"] for line in lines] == ["system", "user", "assistant"]
    assert lines[-1]["text"] == "Use an index."


def test_the_conversation_ends_with_the_answer_that_is_judged() -> None:
    """Calls and results of tools are shown; messages after the last answer are not."""
    call = {"id": "c", "name": "read", "arguments": '{"path": "a.ts"}'}
    record = make_session(
        1,
        make_message("user", "Read it"),
        make_message("assistant", "", tool_calls=[call]),
        make_message("tool", "export {}", tool_call_id="c"),
        make_message("program", "Model set to maker/model"),
        make_message("assistant", "It is empty."),
        make_message("user", "/exit"),
    )
    _, user = opining.make_prompt(record)
    lines = [json.loads(line) for line in user["content"].splitlines()]
    assert [line["role"] for line in lines] == ["user", "assistant", "tool", "assistant"]
    assert lines[1]["calls"] == [{"name": "read", "arguments": '{"path": "a.ts"}'}]


@pytest.mark.parametrize(
    "messages", [[], [make_message("user", "Nobody there?")], [make_message("system", "s")]]
)
def test_without_an_answer_there_is_nothing_to_judge(messages: Sequence[object]) -> None:
    """The reason is returned in place of a prompt."""
    unanswered = make_session(1).model_copy(update={"messages": tuple(messages)})
    assert judge.make_judge_prompt(unanswered, opining.RUBRIC) == "it has no answer to judge"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_no_text_leaves_its_line_of_json(text: str) -> None:
    """A message cannot look like another message."""
    _, user = opining.make_prompt(
        make_session(1, make_message("user", "q"), make_message("assistant", text))
    )
    lines = user["content"].split("\n")
    assert [json.loads(line)["role"] for line in lines] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("Status: golden", "golden"),
        ("It lacks an index.\n\nStatus: incorrect", "incorrect"),
        ("**Status:** `correct`.", "correct"),
        ("## Final status: Golden", "golden"),
        ("correct", "correct"),
        (" Abstain. \n", "abstain"),
        ('{"status": "correct", "reason": "all there"}', "correct"),
        ('```json\n{"status": "incorrect"}\n```', "incorrect"),
        ("Status: correct\nSo I say:\nStatus: correct", "correct"),
    ],
)
def test_a_plain_status_is_read(reply: str, status: str) -> None:
    """A status may be on its own line, alone, or in a JSON object."""
    assert judge.read_status(reply) == status


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "It is correct, I think.",
        "not correct",
        "golden or correct",
        "Status: golden or correct",
        "Status: good",
        "Status: needs_review",
        "Status: unreadable",
        "Status:",
        "Status: golden\nStatus: incorrect",
        "Status: golden | correct | incorrect | abstain",
        '{"status": "unreadable"}',
        '{"status": ["golden"]}',
        '{"verdict": "golden"}',
        '{"status": "golden"} {"status": "correct"}',
        "{" * 100_000,
    ],
)
def test_anything_else_is_unreadable(reply: str) -> None:
    """Such a reply is never taken for a verdict."""
    assert judge.read_status(reply) is asked.OpinionStatus.UNREADABLE


@given(st.text())
def test_any_reply_has_a_status(reply: str) -> None:
    """A status line added to a text without a status gives that status."""
    assert judge.read_status(reply) in asked.OpinionStatus
    if "status" not in reply.casefold():
        assert judge.read_status(f"{reply}\nStatus: golden") is asked.OpinionStatus.GOLDEN


def build_rows(
    sessions: Sequence[LabeledSession], statuses: Sequence[str | None], *waiting: str
) -> list[AgreementRow]:
    """Return the rows of agreement of one judge."""
    by_id = {labeled.session.id: labeled for labeled in sessions}
    opinions = opining.make_opinions(sessions, statuses)
    people = find_people_statuses(opinions, by_id, frozenset(waiting))
    return build_agreement_rows(opinions, by_id, people)


def test_agreement_is_counted_by_tag_and_by_who_answered() -> None:
    """Four of five pairs agree; abstaining and unreadable replies are in no pair."""
    judged: list[tuple[str, str | None, tuple[str, ...]]] = [
        ("golden", "golden", ("auth",)),
        ("golden", "correct", ("auth", "queries")),
        ("correct", "correct", ()),
        ("incorrect", "incorrect", ()),
        ("incorrect", "incorrect", ("auth",)),
        ("golden", "abstain", ()),
        ("correct", "unreadable", ()),
        ("correct", None, ()),
    ]
    sessions = [
        opining.make_labeled_session(number, person, tags=tags)
        for number, (person, _, tags) in enumerate(judged, 1)
    ]
    statuses = [status for _, status, _ in judged]
    rows = build_rows(sessions, statuses)
    whole, *groups = rows
    assert (whole.pairs, whole.agreed) == (5, 4)
    assert (whole.abstained, whole.unreadable, whole.without_answer) == (1, 1, 1)
    assert [list(cells) for cells in whole.table] == [
        [1, 1, 0, 1, 0],
        [0, 1, 0, 0, 1],
        [0, 0, 2, 0, 0],
    ]
    assert whole.accuracy is not None
    assert whole.accuracy.value == pytest.approx(0.8)
    assert whole.kappa is not None
    # observed 4/5; by chance (2*1 + 1*2 + 2*2) / 25
    assert whole.kappa.value == pytest.approx((0.8 - 8 / 25) / (1 - 8 / 25))
    by_group = {(row.group.kind, row.group.name): (row.agreed, row.pairs) for row in groups}
    assert by_group == {
        ("tag", "auth"): (2, 3),
        ("tag", "queries"): (0, 1),
        ("answered_by", "maker/model"): (4, 5),
    }
    lines = [*format_agreement_lines(rows)]
    assert lines[0].startswith("a/judge: 4 of 5 pairs agree, accuracy 0.800 (0.376 to 0.964)")
    assert "  apart: 1 without an opinion" in lines
    assert lines[1].split() == ["people", "\\", "judge", *JUDGES_SAY]


def test_sessions_without_a_status_of_people_are_apart() -> None:
    """They are unjudged, disputed, changed, gone, or wait for an audit."""
    people = ("golden", "needs_review", None, "golden", "correct", "correct", "correct")
    sessions = [
        opining.make_labeled_session(number, person) for number, person in enumerate(people, 1)
    ]
    sessions[3] = opining.make_labeled_session(4, "golden", "incorrect")
    opinions = opining.make_opinions(sessions, ["golden"] * 7)
    by_id = {labeled.session.id: labeled for labeled in sessions}
    grown = by_id["session-0005"].session
    by_id["session-0005"] = LabeledSession(
        grown.model_copy(update={"messages": (*grown.messages, make_message("user", "more"))}),
        by_id["session-0005"].events,
    )
    del by_id["session-0006"]
    people = find_people_statuses(opinions, by_id, frozenset({"session-0007"}))
    whole = build_agreement_rows(opinions, by_id, people)[0]
    assert (whole.pairs, whole.agreed, whole.without_answer) == (1, 1, 0)
    assert whole.kappa is None
    assert whole.apart == {"not_judged": 2, "disputed": 1, "changed": 2, "waits_blind": 1}
    assert list_differing_sessions(opinions, people) == []


def test_a_label_of_the_judged_turn_itself_wins() -> None:
    """Its label is people's judgement of the answer that the judge saw."""
    labeled = opining.make_labeled_session(1, "golden")
    event = labeled.events[-1]
    own = event.model_copy(
        update={"id": make_event_id(event.at), "turn": 1, "replaces": None, "after": "incorrect"}
    )
    whole = build_rows([LabeledSession(labeled.session, [*labeled.events, own])], ["incorrect"])[0]
    assert (whole.pairs, whole.agreed) == (1, 1)


def test_a_grader_is_no_person() -> None:
    """Its verdict is the status of the session, and agreement is not measured by it."""
    record = make_session(
        1, make_message("user", "q"), make_message("assistant", "a"), eval_status=EvalStatus.CORRECT
    )
    whole = build_rows([LabeledSession(record, [])], ["correct"])[0]
    assert (whole.pairs, whole.apart) == (0, {"not_judged": 1})


def test_pairs_that_differ_are_named() -> None:
    """The row has both statuses; abstaining is no difference."""
    people = ("golden", "incorrect", "golden")
    sessions = [
        opining.make_labeled_session(number, person) for number, person in enumerate(people, 1)
    ]
    opinions = opining.make_opinions(sessions, ["correct", "incorrect", "abstain"])
    by_id = {labeled.session.id: labeled for labeled in sessions}
    rows = list_differing_sessions(opinions, find_people_statuses(opinions, by_id, frozenset()))
    assert rows == [("session-0001", "a/judge", EvalStatus.GOLDEN, asked.OpinionStatus.CORRECT)]


def test_the_default_rubric_names_every_status() -> None:
    """It defines each status that a judge can give, and that it may abstain."""
    for status in ("golden", "correct", "incorrect", "abstain"):
        assert f"- {status}: " in judge.read_rubric(None)


def test_a_record_holds_the_digests_of_rubric_and_prompts() -> None:
    """A rubric changed afterwards is refused."""
    sessions = [opining.make_labeled_session(1, "golden")]
    opinions = opining.make_opinions(sessions, ["golden"])
    assert opinions.items[0].prompt == judge.compute_judge_prompt_digest(
        opining.make_prompt(sessions[0].session)
    )
    changed = {**opinions.model_dump(), "rubric": "Other."}
    with pytest.raises(ValueError, match="rubric_digest"):
        asked.SessionOpinions.model_validate(changed)


def test_agreement_is_that_of_statsmodels() -> None:
    """Judges are random; `tests.programs.consumers` compares with scikit-learn."""
    for case in opining.make_agreement_cases(20):
        assert case["kappa"] == pytest.approx(second_opinion.compute_cohens_kappa(case["table"]))
