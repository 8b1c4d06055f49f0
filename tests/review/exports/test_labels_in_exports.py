"""Labels in exports: a turn's own labels win, and none is lost without an error."""

import json
from typing import TYPE_CHECKING

import pytest

from records.sessions.session import Session
from review.datasets import VersionedSession
from review.exports.formats import FORMATS, REPEATED
from review.exports.task import LARGE_BYTES
from tests.review.corpus import CALL, NASTY, PLAIN, make_message, make_session
from tests.review.exports.exporting import export_rows, export_sessions, plan_export

if TYPE_CHECKING:
    from review.turns import OwnLabels

pytestmark = pytest.mark.unit

NOON = "2026-10-01T10:00:00.000Z"
OF_TURNS = ("deepeval", "inspect", "promptfoo", "braintrust", "langsmith", "langfuse")
UNASKED = make_session(4, make_message("assistant", "A1"), expected_output="IDEAL")
EMPTY = make_session(
    5, make_message("user", "  "), make_message("assistant", "A"), expected_output="IDEAL"
)


@pytest.mark.parametrize("name", [*OF_TURNS, "openai-evals"])
def test_the_labels_of_a_turn_win(name: str) -> None:
    """Its expected output is in its row, and its status decides about its answer."""
    own: OwnLabels = {1: {"expectedOutput": "OWN"}, 2: {"evalStatus": "incorrect"}}
    first, *later_rows = map(json.dumps, export_rows(name, VersionedSession(PLAIN, own)))
    assert "OWN" in first
    assert all("OWN" not in row for row in later_rows)
    if name == "openai-evals":
        assert not later_rows  # an incorrect answer is no ideal
    else:
        assert "incorrect" in later_rows[0]
        assert "incorrect" not in first


@pytest.mark.parametrize("name", [*OF_TURNS, "huggingface", "deepeval-goldens"])
def test_the_own_label_of_the_judged_turn_wins_over_that_of_the_session(name: str) -> None:
    """Both are labels of the same answer."""
    judged = PLAIN.model_copy(update={"expected_output": "OF THE SESSION"})
    own: OwnLabels = {2: {"expectedOutput": "OF THE TURN"}}
    text, _ = export_sessions(name, [VersionedSession(judged, own)])
    assert "OF THE TURN" in text
    assert "OF THE SESSION" not in text


def test_rows_of_whole_sessions_hold_the_labels_of_all_turns() -> None:
    """Each label has the number of its turn, beside the expected output of the session."""
    labelled = VersionedSession(PLAIN, {1: {"expectedOutput": "OWN"}})
    (row,), (golden,) = (
        export_rows(name, labelled) for name in ("huggingface", "deepeval-goldens")
    )
    label = {"turn": 1, "status": "", "notes": "", "expected_output": "OWN"}
    assert json.loads(row["turn_labels"]) == [label]
    (of_golden,) = golden["additional_metadata"]["turn_labels"]
    assert (of_golden["turn"], of_golden["expected_output"]) == (1, "OWN")


@pytest.mark.parametrize("name", [*OF_TURNS, "openai-evals"])
@pytest.mark.parametrize("lost", [UNASKED, EMPTY])
def test_an_expected_output_without_a_row_is_reported(name: str, lost: Session) -> None:
    """The session is named; the rows of the other sessions are written."""
    text, counts = export_sessions(name, [lost, PLAIN])
    assert list(counts.lost) == [lost.id]
    assert not counts.is_whole
    assert "Added." in text
    assert counts.rows == 2


def test_labels_of_turns_that_are_gone_are_reported() -> None:
    """A shorter transcript has no row for them."""
    gone = VersionedSession(PLAIN, {9: {"expectedOutput": "OWN"}})
    _, counts = export_sessions("deepeval", [gone])
    assert counts.lost == {PLAIN.id: ["turn 9: the session has 2 turns"]}


def test_labels_of_a_fork_belong_to_its_own_turns() -> None:
    """Numbers include the repeated turns; a label of a repeated turn is reported."""
    repeated = [message.model_copy(update={"repeated": True}) for message in PLAIN.messages]
    fork = make_session(30, *repeated, make_message("user", "Q3"), make_message("assistant", "A3"))
    labels: OwnLabels = {3: {"expectedOutput": "OWN"}}
    text, counts = export_sessions("deepeval", [VersionedSession(fork, labels)])
    assert (counts.rows, counts.lost) == (1, {})
    assert "OWN" in text
    gone = VersionedSession(fork, {1: {"expectedOutput": "OWN"}})
    _, counts = export_sessions("deepeval", [gone])
    (reason,) = counts.lost[fork.id]
    assert reason.startswith("turn 1: it repeats a turn")


@pytest.mark.parametrize("name", ["deepeval", "openai", "text"])
@pytest.mark.parametrize("redact", [True, False])
@pytest.mark.parametrize("filling", ["", "word " * 10_000])
def test_the_strings_that_look_secret_are_counted_alike(
    name: str, filling: str, *, redact: bool
) -> None:
    """Counts agree before and during export, in long texts too; removed secrets do not count."""
    random = "Xq7Rk2Lm9Tz4Vb8Nc3Wd"
    key = "sk-ant-api03-kJ8mQ2xV9zL4wR7tY1pN6sB3dF5gH0cA-2uE8iO4kJ7mQ1xV"
    record = make_session(
        40,
        make_message("user", f"{filling} use {random} and {random}, {filling} with the key {key}"),
        make_message("assistant", "Done."),
    )
    plan = plan_export(name, [record, UNASKED, PLAIN], redact=redact)
    _, counts = export_sessions(name, [record, UNASKED, PLAIN], redact=redact)
    strings = [random] if redact else [random, key]
    assert plan.counts.lookalikes.first == [(record.id, string) for string in strings]
    assert plan.counts.lookalikes == counts.lookalikes
    assert counts.lookalikes.count == len(strings)


@pytest.mark.parametrize("name", ["openai", "inspect-scores", "text"])
def test_formats_without_a_place_for_it_lose_no_expected_output(name: str) -> None:
    """Their rows have another subject."""
    assert export_sessions(name, [NASTY[4]])[1].is_whole


def test_an_answer_of_calls_only_is_a_row() -> None:
    """A golden needs no answer: the row has the tools, and the text is null, not empty."""
    talk = make_session(
        1,
        make_message("user", "Q"),
        make_message("assistant", "", tool_calls=(CALL,)),
        make_message("tool", "a", tool_call_id=CALL.id),
    )
    (row,) = export_rows("deepeval", talk)
    assert row["actual_output"] is None
    assert [tool["name"] for tool in row["tools_called"]] == ["read"]
    assert export_rows("deepeval", talk, text_only=True) == []


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_limit_counts_rows(name: str, limit: int) -> None:
    """File and plan have the limit, even if the first session gives no row."""
    _, counts = export_sessions(name, NASTY[1:], limit=limit, redact=False)
    assert counts.rows == min(limit, plan_export(name, NASTY[1:]).counts.rows)
    plan = plan_export(name, NASTY[1:], limit=limit, redact=False)
    assert plan.counts.rows == counts.rows


@pytest.mark.parametrize("name", FORMATS)
def test_the_plan_is_the_written_plan(name: str) -> None:
    """Counts are exact, and the size is within a fifth."""
    turns = [make_message("user", "q\n" * 40), make_message("assistant", 'a "quoted" é ' * 60)] * 30
    for talks in (NASTY, [make_session(8, *turns, eval_status="golden")]):
        text, counts = export_sessions(name, talks, redact=False)
        plan = plan_export(name, talks, redact=False)
        assert (plan.counts.rows, plan.counts.skipped) == (counts.rows, counts.skipped)
        assert plan.counts.cut == counts.cut
        if counts.rows > 1 and name != "inspect-scores":
            assert plan.size == pytest.approx(len(text.encode()), rel=0.2, abs=2_000)


def test_a_large_export_has_smaller_proposals() -> None:
    """The context of each turn repeats all turns before: it grows with the square of a session."""
    long = "x" * 40_000
    talk = make_session(
        1, *[make_message("user", "q"), make_message("assistant", long)] * 120, eval_status="golden"
    )
    plan = plan_export("deepeval", [talk])
    assert plan.size > LARGE_BYTES
    assert set(plan.propose_smaller_exports()) == {"last", "short"}
    assert plan.size_of_last < plan.size_of_short < plan.size / 5
    few = plan_export("deepeval", [talk], context=10)
    assert few.size == plan.size_of_short
    assert few.propose_smaller_exports() == {}


def make_time(minute: int) -> dict[str, str]:
    """Return the time of a message."""
    return {"at": f"2026-10-01T10:{minute:02}:00Z"}


PARENT = make_session(
    20, make_message("user", "Q1", **make_time(1)), make_message("assistant", "A1", **make_time(2))
)
FORK = make_session(
    10,
    *PARENT.messages,
    make_message("user", "Q2", **make_time(3)),
    make_message("assistant", "A2", **make_time(4)),
)


@pytest.mark.parametrize("name", OF_TURNS)
@pytest.mark.parametrize("expected", [None, "IDEAL"])
def test_no_turn_of_a_fork_is_exported_twice(name: str, expected: str | None) -> None:
    """The copy with the label is the row, in any order of the two."""
    parent = PARENT.model_copy(update={"expected_output": expected})
    plan = plan_export(name, [FORK, parent])
    text, counts = export_sessions(name, [FORK, parent], plan.repeated)
    assert (plan.counts.rows, counts.rows) == (2, 2)
    assert counts.skipped == plan.counts.skipped == {REPEATED: 1}
    assert counts.is_whole
    assert ("IDEAL" in text) is (expected is not None)


def test_the_same_words_at_other_times_are_no_fork() -> None:
    """Two people may ask the same, and two attempts may have the same answer."""
    later = make_session(
        11,
        make_message("user", "Q1", **make_time(7)),
        make_message("assistant", "A1", **make_time(8)),
    )
    undated = [
        make_session(number, make_message("user", "Q"), make_message("assistant", "A"))
        for number in (12, 13)
    ]
    plan = plan_export("deepeval", [PARENT, later, *undated])
    assert plan.counts.rows == 4


def test_ids_of_platforms_differ_by_dataset() -> None:
    """Langfuse and LangSmith refuse an id that another dataset has."""
    for name in ("langfuse", "langsmith"):
        ids = [
            {row["id"] for row in export_rows(name, PLAIN, dataset=dataset)}
            for dataset in ("first", "second", "first")
        ]
        assert ids[0] == ids[2]
        assert not ids[0] & ids[1]


def test_plain_text_marks_lines_that_look_like_its_own() -> None:
    """No message forges a speaker, an end or a label; a first line follows its speaker."""
    lines = ["**Assistant:** forged"] * 2
    lines += ["  ## Session: other", "---", "Status: golden", "--- a/file.ts", "Statuses differ"]
    talk = make_session(1, make_message("user", "\n".join(lines)))
    text, _ = export_sessions("text", [talk])
    assert "**User:** **Assistant:** forged\n\\**Assistant:** forged\n" in text
    assert "\n  \\## Session: other\n" in text
    assert "\n\\---\n\\Status: golden\n--- a/file.ts\nStatuses differ\n" in text
    assert text.endswith(
        "\n\n---\nTokens: not known | Cost: not known | Model: maker/model\nStatus: needs_review\n"
    )
    assert text.count("\n---\n") == 1
