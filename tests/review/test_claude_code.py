"""Transcripts of Claude Code: one test for each kind of record, and for the tree of them."""

import json
import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.session import FromFile
from review.session_imports.adapter import session_id
from tests.review.transcripts import (
    SESSION,
    Record,
    answer,
    call,
    flow,
    other,
    read_data,
    read_one,
    read_records,
    result,
    texts,
    user,
)

pytestmark = pytest.mark.unit

HELLO = [user("u1", None, "Why is the page slow?"), answer("a1", "u1", "m1", "It reads all.")]


def test_usage_and_model_are_those_of_the_last_record_of_an_answer() -> None:
    """Earlier records of a streamed answer hold placeholders."""
    first = answer("a1", "u1", "m1", {"type": "thinking", "thinking": "hm"}, output=2)
    first["message"]["model"] = "claude-early"
    records = [
        user("u1", None, "List the orders."),
        first,
        answer("a2", "a1", "m1", "Use the index.", output=2),
        answer("a3", "a2", "m1", call("t1", file="a.ts"), output=431),
        user("u2", "a3", [result("t1")]),
        answer("a4", "u2", "m2", "Done.", output=120),
    ]
    session = read_one(records)
    assert flow(session) == [
        ("user", "List the orders."),
        ("assistant", "Use the index."),
        ("tool", "ok"),
        ("assistant", "Done."),
    ]
    assert session.totals.tokens.output == 551
    assert session.totals.tokens.input == 2206
    assert session.totals.tokens.cached_input == 2000
    assert session.messages[1].model == "claude-sonnet-4-5"
    assert session.left_out == {"reasoning": 1}


def test_a_record_that_is_written_again_counts_once_and_the_last_of_it() -> None:
    """A history may stand in a file twice; the later copy may be the complete one."""
    early = answer("a1", "u1", "m1", "A sorted list.", output=1)
    records = [
        user("u1", None, "What is an index?"),
        early,
        user("u1", None, "What is an index?"),
        answer("a1", "u1", "m1", "A sorted list.", output=40),
        user("u2", "a1", "And a search index?"),
        answer("a2", "u2", "m2", "An inverted one."),
    ]
    session = read_one(records)
    assert texts(session, "user") == ["What is an index?", "And a search index?"]
    assert texts(session, "assistant") == ["A sorted list.", "An inverted one."]
    assert session.totals.tokens.output == 60
    assert session.left_out == {}


def test_a_history_copied_under_new_names_counts_once() -> None:
    """The copy ends last, so it is the branch that counts; no text is joined to its copy."""
    copy = [user("v1", None, "Why is the page slow?"), answer("b1", "v1", "m1", "It reads all.")]
    session = read_one(
        [*HELLO, *copy, user("v2", "b1", "Mend it."), answer("b2", "v2", "m2", "Yes.")]
    )
    assert texts(session, "user") == ["Why is the page slow?", "Mend it."]
    assert texts(session, "assistant") == ["It reads all.", "Yes."]
    assert session.left_out == {"message taken back": 2}


@pytest.mark.parametrize("last_first", [False, True])
def test_a_branch_that_was_left_is_not_read(*, last_first: bool) -> None:
    """The one whose end was written last counts; the messages of the other are counted."""
    start = [user("u1", None, "Add a table."), answer("a1", "u1", "m1", "Added.")]
    one = [user("u2", "a1", "Delete all."), answer("a2", "u2", "m2", "All is deleted.")]
    two = [user("u3", "a1", "Keep it."), answer("a3", "u3", "m3", "Kept.")]
    branches = [two, one] if last_first else [one, two]
    session = read_one([*start, *branches[0], *branches[1]])
    kept = "Delete all." if last_first else "Keep it."
    assert texts(session, "user") == ["Add a table.", kept]
    assert session.left_out == {"message taken back": 2}


def test_a_first_prompt_can_be_taken_back() -> None:
    """The new one is another beginning."""
    session = read_one([*HELLO, user("u2", None, "Why is it?"), answer("a2", "u2", "m2", "Index.")])
    assert texts(session, "user") == ["Why is it?"]


def test_commands_outside_of_the_conversation_are_no_branch() -> None:
    """A session that was opened again and left at once begins anew, with a command alone."""
    command = "<command-name>/model</command-name>"
    alone = user("x1", None, command)
    first, last = read_one([alone, *HELLO]), read_one([*HELLO, alone])
    assert [role for role, _ in flow(first)] == ["program", "user", "assistant"]
    assert [role for role, _ in flow(last)] == ["user", "assistant", "program"]
    assert first.left_out == last.left_out == {}


def test_a_branch_that_was_left_stays_left_where_only_a_command_follows() -> None:
    """Going back and leaving the session takes the last turn back."""
    records = [*HELLO, user("u2", "a1", "Delete all."), answer("a2", "u2", "m2", "Deleted.")]
    session = read_one([*records, user("x1", "a1", "<command-name>/exit</command-name>")])
    assert texts(session, "user") == ["Why is the page slow?"]
    assert session.left_out == {"message taken back": 2}


def test_results_of_parallel_calls_are_no_branches() -> None:
    """In whatever order they were written, and where the last of them is a dead end."""
    head = [
        user("u1", None, "Read all."),
        answer("a1", "u1", "m1", call("t1")),
        answer("a2", "a1", "m1", call("t2")),
        answer("a3", "a2", "m1", call("t3")),
    ]
    first = user("u2", "a1", [result("t1", "one")])
    second = user("u3", "a2", [result("t2", "two")])
    third = user("u4", "a3", [result("t3", "three")])
    for results, parent in (([first, second, third], "u4"), ([third, second, first], "u4")):
        session = read_one([*head, *results, answer("a4", parent, "m2", "Read.")])
        assert len(session.messages[1].tool_calls) == 3
        assert sorted(texts(session, "tool")) == ["one", "three", "two"]
        assert texts(session, "assistant") == ["Read."]
    unfinished = read_one([*head, third, first])
    assert sorted(texts(unfinished, "tool")) == ["one", "three"]
    assert len(unfinished.messages[1].tool_calls) == 3


def test_a_result_may_come_before_the_answer_ends() -> None:
    """Calls are run while the rest of the answer is streamed."""
    session = read_one(
        [
            user("u1", None, "Read both."),
            answer("a1", "u1", "m1", "First:", call("t1")),
            user("u2", "a1", [result("t1")]),
            answer("a2", "u2", "m1", "then:", call("t2")),
            user("u3", "a2", [result("t2")]),
        ]
    )
    assert flow(session) == [
        ("user", "Read both."),
        ("assistant", "First:\nthen:"),
        ("tool", "ok"),
        ("tool", "ok"),
    ]


def test_a_compaction_takes_nothing_back() -> None:
    """The boundary begins a new chain; it names the record before it, or only follows it."""
    boundary = other("s1", None, "system", subtype="compact_boundary", content="Compacted")
    summary = user("u2", "s1", "This is the summary.", isCompactSummary=True)
    later = [answer("a2", "u2", "m2", "Going on."), user("u3", "a2", "Commit it.")]
    for logical in ({"logicalParentUuid": "a1"}, {"logicalParentUuid": "gone"}, {}):
        session = read_one([*HELLO, boundary | logical, summary, *later])
        assert flow(session) == [
            ("user", "Why is the page slow?"),
            ("assistant", "It reads all."),
            ("program", "Compacted"),
            ("program", "This is the summary."),
            ("assistant", "Going on."),
            ("user", "Commit it."),
        ]


@pytest.mark.parametrize("is_twice", [False, True])
def test_messages_that_a_compaction_preserves_are_read_once(*, is_twice: bool) -> None:
    """They are written anew behind it, so that it follows what follows it: a circle."""
    kept = [user("u2", "a1", "Keep going."), answer("a2", "u2", "m2", "Kept going.")]
    boundary = other(
        *("s1", None, "system"),
        subtype="compact_boundary",
        content="Compacted",
        logicalParentUuid="a2",
        compactMetadata={"preservedMessages": {"anchorUuid": "s2", "uuids": ["u2", "a2"]}},
    )
    summary = user("s2", "s1", "The summary.", isCompactSummary=True)
    again = [kept[0] | {"parentUuid": "s2"}, kept[1]]
    later = [user("u3", "a2", "After it."), answer("a3", "u3", "m3", "Final.")]
    session = read_one([*HELLO, *(kept if is_twice else []), boundary, summary, *again, *later])
    assert texts(session, "user") == ["Why is the page slow?", "Keep going.", "After it."]
    assert texts(session, "assistant") == ["It reads all.", "Kept going.", "Final."]
    assert texts(session, "program") == ["Compacted", "The summary."]
    assert session.left_out == {}


def test_the_last_preserved_message_alone_may_stand_behind() -> None:
    """Those before it stay where they are."""
    boundary = other(
        *("s1", None, "system"),
        subtype="compact_boundary",
        logicalParentUuid="a2",
        compactMetadata={"preservedMessages": {"uuids": ["a1", "u2", "a2"]}},
    )
    session = read_one(
        [
            *HELLO,
            user("x2", "a1", "Taken back."),
            user("u2", "a1", "Keep going."),
            boundary,
            user("s2", "s1", "The summary.", isCompactSummary=True),
            answer("a2", "s2", "m2", "Kept going."),
            user("u3", "a2", "After it."),
        ]
    )
    assert texts(session, "user") == ["Why is the page slow?", "Keep going.", "After it."]
    assert session.left_out == {"message taken back": 1}


def test_a_compaction_without_a_boundary_takes_nothing_back() -> None:
    """Older versions have the summary alone."""
    summary = user("u2", None, "Summary of it.", isCompactSummary=True)
    session = read_one([*HELLO, summary, answer("a2", "u2", "m2", "Going on.")])
    assert texts(session, "assistant") == ["It reads all.", "Going on."]
    assert texts(session, "user") == ["Why is the page slow?"]


def test_a_broken_line_parts_no_conversation() -> None:
    """The record behind it hangs on the one before it."""
    good = [*HELLO, user("u3", "a2", "Go on."), answer("a3", "u3", "m3", "Done.")]
    lines = [json.dumps(record) for record in good]
    sessions, problems = read_data("\n".join([*lines[:2], "{half", *lines[2:]]).encode())
    assert [problem.line for problem in problems] == [3]
    assert texts(sessions[0], "user") == ["Why is the page slow?", "Go on."]


PROGRAM_TEXTS = (
    (
        "<command-name>/exit</command-name>\n  <command-message>exit</command-message>\n"
        "  <command-args></command-args>"
    ),
    "<command-message>review</command-message>\n<command-name>/review</command-name>",
    "<local-command-stdout>Goodbye!</local-command-stdout>",
    "<local-command-stderr>Error: no</local-command-stderr>",
    "<local-command-caveat>Caveat: the messages below ...</local-command-caveat>",
    "Caveat: The messages below were generated by the user while running local commands. DO NOT",
    "<bash-input>ls</bash-input>",
    "<bash-stdout>a < b</bash-stdout><bash-stderr></bash-stderr>",
    "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
    "<system-reminder>\nThe file changed.\n</system-reminder>",
    '<teammate-message teammate_id="a">Look.</teammate-message>',
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "This session is being continued from a previous conversation that ran out of context. It",
)


@pytest.mark.parametrize("text", PROGRAM_TEXTS)
@pytest.mark.parametrize("as_parts", [False, True])
def test_a_text_of_the_program_is_no_request(text: str, *, as_parts: bool) -> None:
    """It is kept with its own role, also as the first or last text of the session."""
    content = [{"type": "text", "text": text}] if as_parts else text
    before, after = user("u0", None, content), user("u9", "a1", content)
    hello = [HELLO[0] | {"parentUuid": "u0"}, HELLO[1]]
    session = read_one([before, *hello, after])
    assert [role for role, _ in flow(session)] == ["program", "user", "assistant", "program"]
    assert session.title == "Why is the page slow?"


@pytest.mark.parametrize(
    "text",
    [
        (
            'Our log shows <task-notification> and "This session is being continued from a previous'
            ' conversation": where is that written?'
        ),
        "<bash-input>ls</bash-input> prints nothing, why?",
        "Why does it print <command-name>/exit</command-name>",
        "<system-reminder>a</system-reminder> b <system-reminder>c</system-reminder>",
        "<bash-input>never closed",
        "<div>a page</div>",
        "[Request interrupted by user] is what I see. Why?",
    ],
)
def test_a_person_who_quotes_the_program_stays_a_person(text: str) -> None:
    """The request is kept as it is."""
    session = read_one([user("u1", None, text), answer("a1", "u1", "m1", "In log.ts.")])
    assert texts(session, "user") == [text]


@pytest.mark.parametrize(
    ("flags", "role"),
    [
        ({"isMeta": True}, "program"),
        ({"isCompactSummary": True}, "program"),
        ({"isVisibleInTranscriptOnly": True}, "program"),
        ({"origin": {"kind": "task-notification"}}, "program"),
        ({"origin": {"kind": "peer", "name": "reviewer"}}, "program"),
        ({"promptSource": "system"}, "program"),
        ({"origin": {"kind": "human"}}, "user"),
        ({"promptSource": "typed"}, "user"),
        ({"origin": None, "isMeta": False}, "user"),
    ],
)
def test_flags_name_the_author(flags: Record, role: str) -> None:
    """Whatever the text is."""
    session = read_one([*HELLO, user("u2", "a1", "And now?", **flags)])
    assert flow(session)[-1] == (role, "And now?")


def test_a_person_may_send_a_whole_tag_where_the_record_names_the_author() -> None:
    """The record's word is better than the text's look."""
    text = "<bash-input>ls</bash-input>"
    session = read_one([user("u1", None, text, origin={"kind": "human"})])
    assert flow(session) == [("user", text)]


def test_a_reminder_beside_a_request_is_parted_from_it() -> None:
    """The program adds parts to the message of a person."""
    parts = [
        {"type": "text", "text": "<ide_opened_file>a.ts is open</ide_opened_file>"},
        {"type": "text", "text": "<system-reminder>be brief</system-reminder>"},
        {"type": "text", "text": "Fix it."},
        {"type": "text", "text": "And test."},
    ]
    session = read_one([user("u1", None, parts), answer("a1", "u1", "m1", "Fixed.")])
    assert [role for role, _ in flow(session)] == ["program", "user", "assistant"]
    assert texts(session, "user") == ["Fix it.\nAnd test."]


def test_an_error_of_the_provider_is_no_answer() -> None:
    """Neither is any text that the program wrote in the place of one; it has no model."""
    error = answer("a2", "u2", "e1", "API Error: 529 overloaded", isApiErrorMessage=True)
    error["message"]["model"] = "<synthetic>"
    none = answer("a3", "u3", "e2", "No response requested.")
    none["message"]["model"] = "<synthetic>"
    records = [*HELLO, user("u2", "a1", "And?"), error, user("u3", "a2", "Hm?"), none]
    session = read_one(records)
    assert texts(session, "assistant") == ["It reads all."]
    assert texts(session, "program") == ["API Error: 529 overloaded", "No response requested."]
    assert (session.model, session.totals.tokens.output) == ("claude-sonnet-4-5", 20)


def test_pictures_are_named_where_they_stood() -> None:
    """In requests and in results; a request of a picture alone is still a request."""
    picture = {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo="}}
    session = read_one(
        [
            user("u1", None, [picture]),
            answer("a1", "u1", "m1", call("t1")),
            user("u2", "a1", [result("t1", [picture, {"type": "text", "text": "a screen"}])]),
            user("u3", "u2", [picture, {"type": "text", "text": "What is wrong?"}]),
        ]
    )
    assert texts(session, "user") == ["[image]", "[image]\nWhat is wrong?"]
    assert texts(session, "tool") == ["[image]\na screen"]
    assert session.left_out == {"image": 3}


def test_a_prompt_that_waited_is_a_request() -> None:
    """It is an attachment; a notification that waited is the program's, other attachments count."""

    def queued(uuid: str, parent: str, prompt: object, **more: object) -> Record:
        return other(
            uuid,
            parent,
            "attachment",
            attachment={"type": "queued_command", "prompt": prompt} | more,
        )

    session = read_one(
        [
            *HELLO,
            queued("q1", "a1", "Also the tests.", commandMode="prompt", origin={"kind": "human"}),
            queued("q2", "q1", [{"type": "text", "text": "And lint."}]),
            queued("q3", "q2", "done", commandMode="task-notification"),
            queued("q4", "q3", "<task-notification>x</task-notification>"),
            other("q5", "q4", "attachment", attachment={"type": "todo_reminder"}),
            answer("a2", "q5", "m2", "All done."),
        ]
    )
    assert [role for role, _ in flow(session)][2:] == [*["user"] * 2, *["program"] * 2, "assistant"]
    assert session.left_out == {"attachment": 1}


def test_a_prompt_that_was_only_in_the_queue_is_a_request() -> None:
    """It was sent while the model was at work; one that has a record of its own counts once."""

    def queue(operation: str, text: str) -> Record:
        return {
            "type": "queue-operation",
            "operation": operation,
            "content": text,
            "sessionId": SESSION,
        }

    session = read_one(
        [
            *HELLO,
            queue("enqueue", "Parser first."),
            queue("remove", "Parser first."),
            queue("remove", "Add one."),
            queue("remove", "<task-notification>done</task-notification>"),
            user("u2", "a1", "Add one."),
            answer("a2", "u2", "m2", "Done."),
        ]
    )
    assert flow(session)[2:] == [
        ("user", "Parser first."),
        ("program", "<task-notification>done</task-notification>"),
        ("user", "Add one."),
        ("assistant", "Done."),
    ]
    assert session.left_out == {}


def test_notices_of_the_program_are_kept_where_they_have_a_text() -> None:
    """A command that ran at the end is one, and a request that failed on its way."""
    session = read_one(
        [
            *HELLO,
            other("s1", "a1", "system", subtype="turn_duration", durationMs=7),
            other("s2", "s1", "system", subtype="api_error", error={"status": 529}),
            other("s3", "s2", "system", subtype="local_command", content="<command-name>/exit"),
        ]
    )
    assert texts(session, "program") == ['{"status": 529}', "<command-name>/exit"]
    assert session.left_out == {}


BOOKKEEPING: list[Record] = [
    {"type": "summary", "summary": "Fixing", "leafUuid": "a1"},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"files": ["x"] * 9000}},
    {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION, "content": "x"},
    {"type": "last-prompt", "lastPrompt": "x", "leafUuid": "a1", "sessionId": SESSION},
    {"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION},
    {"type": "mode", "mode": "default", "sessionId": SESSION},
    {"type": "ai-title", "aiTitle": "Fixing", "sessionId": SESSION},
    {"type": "pr-link", "prUrl": "https://example.org/1", "sessionId": SESSION},
    other("p1", "a1", "progress", data={"type": "hook_progress"}),
]


@pytest.mark.parametrize("record", BOOKKEEPING, ids=lambda record: str(record["type"]))
def test_records_of_the_programs_own_are_no_messages(record: Record) -> None:
    """Wherever they stand, and where conversation hangs on them; they are no loss."""
    plain = read_one(HELLO)
    for records in ([record, *HELLO], [*HELLO, record], [HELLO[0], record, HELLO[1]]):
        session = read_one(records)
        assert session.messages == plain.messages
        assert session.left_out == {}
    if "uuid" in record:
        later = [record, user("u2", "p1", "Go on.")]
        assert texts(read_one([*HELLO, *later]), "user")[-1] == "Go on."


def test_records_of_unknown_kinds_are_counted() -> None:
    """So that nobody believes that all was read."""
    odd = [other("x1", "a1", "hologram"), {"type": "hologram", "sessionId": SESSION}]
    session = read_one([*HELLO, *odd, user("u2", "x1", "Go on.")])
    assert session.left_out == {"record of kind hologram": 2}
    assert texts(session, "user") == ["Why is the page slow?", "Go on."]


def test_a_name_that_a_person_gave_is_the_title() -> None:
    """The last one; a title that the program made up is none."""
    names = [
        {"type": "ai-title", "aiTitle": "Slow page", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "shop-1", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "shop-2", "sessionId": SESSION},
    ]
    assert read_one([*HELLO, *names]).title == "shop-2"


def test_the_files_session_is_its_identity() -> None:
    """A longer version of the file, under another name, is the same session."""
    first = read_one(HELLO)
    (longer,), _ = read_records([*HELLO, user("u2", "a1", "And?")], "copy of it.jsonl")
    assert first.id == longer.id == session_id("claude_code", SESSION)
    assert isinstance(first.source, FromFile)
    assert first.source.identity == SESSION


def test_a_session_that_was_continued_under_another_id_is_one() -> None:
    """It is known by the later id: the file of the earlier one is another session."""
    later = [user("u2", "a1", "And?", sessionId="later"), answer("a2", "u2", "m2", "So.")]
    later[1]["sessionId"] = "later"
    session = read_one([*HELLO, *later])
    assert texts(session, "user") == ["Why is the page slow?", "And?"]
    assert session.id == session_id("claude_code", "later")


def test_two_sessions_in_one_file_are_two() -> None:
    """Where nothing links them, as in files that were joined."""
    second = [user("v1", None, "Another?", sessionId="b"), answer("b1", "v1", "m9", "Yes.")]
    second[1]["sessionId"] = "b"
    sessions, problems = read_records([*HELLO, *second])
    assert not problems
    assert [texts(one, "user") for one in sessions] == [["Why is the page slow?"], ["Another?"]]
    assert {one.id for one in sessions} == {session_id("claude_code", n) for n in (SESSION, "b")}


def test_a_sub_agents_file_belongs_to_its_session() -> None:
    """It is left out with that reason, which is no fault of the file."""
    helper = [record | {"isSidechain": True, "agentId": "a1b2"} for record in HELLO]
    sessions, (problem,) = read_records(helper, "agent-a1b2.jsonl")
    assert not sessions
    assert (problem.wrong, problem.left_out) == (False, "sub-agent transcript")
    assert SESSION in problem.reason


def test_a_sub_agents_records_are_counted() -> None:
    """In files of older versions they stand between those of the session."""
    helper = [
        user("h1", None, "Find the callers.", isSidechain=True),
        answer("h2", "h1", "h9", "Three.", isSidechain=True),
    ]
    session = read_one([HELLO[0], helper[0], HELLO[1], helper[1], user("u2", "a1", "Thanks.")])
    assert texts(session, "user") == ["Why is the page slow?", "Thanks."]
    assert session.left_out == {"sub-agent record": 2}


def test_a_file_without_a_conversation_is_no_fault() -> None:
    """Programs leave such files behind, where nothing was asked."""
    sessions, (problem,) = read_records(BOOKKEEPING)
    assert not sessions
    assert not problem.wrong


def test_a_stream_of_the_program_is_read_too() -> None:
    """Its records follow one another, and its end knows the cost."""

    def streamed(record: Record) -> Record:
        return {"type": record["type"], "message": record["message"], "session_id": SESSION}

    head = {"type": "system", "subtype": "init", "session_id": SESSION, "tools": ["Bash"]}
    end = {"type": "result", "subtype": "success", "session_id": SESSION, "total_cost_usd": 0.25}
    session = read_one([head, *map(streamed, HELLO), end])
    assert [text for _, text in flow(session)] == ["Why is the page slow?", "It reads all."]
    assert session.totals.cost_usd == 0.25
    assert session.id == session_id("claude_code", SESSION)


def test_costs_and_times_of_older_versions_are_kept() -> None:
    """They stood beside the message."""
    records = [HELLO[0], HELLO[1] | {"costUSD": 0.5, "durationMs": 1500}]
    totals = read_one(records).totals
    assert (totals.cost_usd, totals.duration_s) == (0.5, 1.5)


def _turn(place: int) -> list[Record]:
    """Return a turn of two parallel calls, behind the turn before it."""
    before = f"end{place - 1}" if place else None
    return [
        user(f"ask{place}", before, f"question {place}"),
        answer(f"say{place}", f"ask{place}", f"m{place}", f"look {place}", call(f"c{place}")),
        answer(f"add{place}", f"say{place}", f"m{place}", call(f"d{place}")),
        user(f"one{place}", f"say{place}", [result(f"c{place}", f"one {place}")]),
        user(f"two{place}", f"add{place}", [result(f"d{place}", f"two {place}")]),
        answer(f"end{place}", f"two{place}", f"e{place}", f"answer {place}"),
    ]


LONG: Final = [record for place in range(12) for record in _turn(place)]


@given(st.randoms(use_true_random=False), st.lists(st.sampled_from(LONG), max_size=20))
def test_records_in_any_order_and_often_are_the_same_session(
    order: random.Random, again: list[Record]
) -> None:
    """The tree orders them, not the file."""
    records = [*LONG, *again]
    order.shuffle(records)
    session, whole = read_one(records), read_one(LONG)
    assert texts(session, "user") == texts(whole, "user")
    assert texts(session, "assistant") == texts(whole, "assistant")
    assert sorted(texts(session, "tool")) == sorted(texts(whole, "tool"))
    assert session.totals == whole.totals
    assert session.left_out == {}


names = st.sampled_from(["a", "b", "c", "d", "e"])


def _odd(uuid: str, parent: str | None, kind: str, fields: Record) -> Record:
    if kind == "assistant":
        return answer(uuid, parent, "m" + uuid[:1], "text", call(uuid)) | fields
    parts = [result(uuid), {"type": "text", "text": "t"}]
    return user(uuid, parent, parts) | {"type": kind} | fields


odd_records = st.builds(
    _odd,
    names,
    names | st.none(),
    st.sampled_from(["user", "assistant", "system", "attachment", "odd"]),
    st.dictionaries(
        st.sampled_from(["logicalParentUuid", "isSidechain", "isMeta", "sessionId"]),
        names | st.booleans() | st.none(),
    ),
)


@given(st.lists(odd_records, max_size=8))
def test_circles_and_gaps_end_no_import(records: list[Record]) -> None:
    """Whatever the records name as their parents, every session has messages."""
    head = {"type": "mode", "sessionId": SESSION}
    sessions, _ = read_records([head, *records])
    assert all(session.messages for session in sessions)
