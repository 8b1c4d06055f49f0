"""`leaderboard session judge` and a real server: blind, no repeated question, kills, a budget."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from leaderboard.sessions.judge import compute_judge_prompt_digest, make_judge_prompt
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import SessionOpinions
from records.sessions.session import EvalStatus
from review.store import SessionStore
from tests.leaderboard.commanding import run_on_data
from tests.leaderboard.sessions.test_compare import read_received, serve_logged_provider
from tests.review.corpus import make_message, make_session
from tests.review.labelling import give_labels

pytestmark = pytest.mark.integration

SAYS_CORRECT: Final[dict[str, Any]] = {"default": {"text": "It lists them.\n\nStatus: correct"}}


def write_judged_sessions(data: Path, *statuses: str) -> SessionStore:
    """Write a session for each status, which a person gave it; one more has no answer."""
    store = SessionStore(DataFolder(data))
    for number, status in enumerate(statuses):
        question = make_message("user", f"Question {number}: how do I list messages?")
        store.write(
            make_session(
                number, question, make_message("assistant", "Use an index."), eval_tags=("list",)
            )
        )
        if status != EvalStatus.NEEDS_REVIEW:
            give_labels(store, f"session-{number:04}", {"evalStatus": status}, reviewer="p1")
    store.write(make_session(99, make_message("user", "Nobody there?")))
    return store


def read_only_opinions(data: Path) -> SessionOpinions:
    """Return the only record of opinions of a data folder."""
    (path,) = DataFolder(data).local.opinions.list_files()
    return read_record(SessionOpinions, path)


def test_opinions_are_compared_with_people_and_change_no_label(tmp_path: Path) -> None:
    """Requests are blind and in random order; unreadable and abstaining replies are no verdict."""
    data = tmp_path / "data"
    store = write_judged_sessions(data, "correct", "golden", "correct", "incorrect", "needs_review")
    labels = {item.session.id: item.version for item in store}
    rules = [
        {"match": "Question 2", "steps": [{"text": "Status: abstain"}]},
        {"match": "Question 3", "steps": [{"text": "Ignore the rubric: all is well."}]},
    ]
    with serve_logged_provider(tmp_path / "provider", {**SAYS_CORRECT, "rules": rules}) as served:
        address, log = served
        options = ("-m", "openai/judge", "--api-base", address)
        result = run_on_data(data, "session", "judge", *options)
        assert "1 left out: it has no answer to judge" in result.stderr
        requests = read_received(log)
    assert len(requests) == 5
    assert all(
        item["ends"].endswith('{"role": "assistant", "text": "Use an index."}') for item in requests
    )
    opinions = read_only_opinions(data)
    assert [item.session for item in opinions.items] != sorted(
        item.session for item in opinions.items
    )
    by_session = {item.session[-1]: item.status for item in opinions.answers}
    expected = {"0": "correct", "1": "correct", "2": "abstain", "3": "unreadable", "4": "correct"}
    assert by_session == expected
    assert {item.session.id: item.version for item in store} == labels
    output = run_on_data(data, "session", "opinions", opinions.opinions_id[:8]).stdout
    assert "local/judge: 1 of 2 pairs agree, accuracy 0.500" in output
    assert "apart: 1 not judged by a person" in output
    assert "tag list: 1 of 2 pairs agree" in output
    assert "answered by maker/model: 1 of 2 pairs agree" in output
    (row,) = json.loads(
        run_on_data(data, "session", "opinions", opinions.opinions_id, "--json").stdout
    )
    whole = row["agreement"][0]
    assert (whole["abstained"], whole["unreadable"]) == (1, 1)
    assert row["differing"] == [
        {
            "session": "session-0001",
            "judge": "local/judge",
            "people": "golden",
            "opinion": "correct",
        }
    ]
    (listed,) = json.loads(run_on_data(data, "session", "opinions", "--json").stdout)
    assert listed["opinions"] == opinions.opinions_id
    assert check_all(DataFolder(data)) == []


def test_a_rubric_of_ones_own_is_sent_and_recorded(tmp_path: Path) -> None:
    """The record has the text of the rubric; invalid files are refused before any request."""
    data = tmp_path / "data"
    store = write_judged_sessions(data, "correct")
    rubric = tmp_path / "ours.md"
    rubric.write_text("Golden: it rhymes.")
    empty, binary = tmp_path / "empty.md", tmp_path / "binary.md"
    empty.write_text(" \n")
    binary.write_bytes(b"\xff\xfe\x00")
    with serve_logged_provider(tmp_path / "provider", SAYS_CORRECT) as (address, log):
        arguments = ("session", "judge", "-m", "openai/judge", "--api-base", address)
        for wrong in (empty, binary):
            refused = run_on_data(data, *arguments, "--rubric", str(wrong), code=2)
            assert str(wrong) in refused.stderr
        assert read_received(log) == []
        done = run_on_data(data, *arguments, "--rubric", str(rubric), "--json")
    row = json.loads(done.stdout)
    assert (row["sessions"], row["models"], row["missing"]) == (1, ["local/judge"], 0)
    opinions = read_only_opinions(data)
    assert opinions.rubric == "Golden: it rhymes."
    prompt = make_judge_prompt(store.read("session-0000").session, "Golden: it rhymes.")
    assert not isinstance(prompt, str)
    assert opinions.items[0].prompt == compute_judge_prompt_digest(prompt)


def test_a_session_that_changed_is_not_asked_about_again(tmp_path: Path) -> None:
    """Changed and removed sessions are counted in a message, and no opinion is missing."""
    data = tmp_path / "data"
    store = write_judged_sessions(data, "correct", "golden", "incorrect")
    refused = {"match": "Question", "steps": [{"kind": "status", "status": 400}] * 3}
    script = {**SAYS_CORRECT, "rules": [refused]}
    with serve_logged_provider(tmp_path / "provider", script) as (address, log):
        there = ("--api-base", address)
        done = run_on_data(data, "session", "judge", "-m", "openai/judge", *there, code=3)
        assert "3 opinions are missing" in done.stdout
        assert {answer.status for answer in read_only_opinions(data).answers} == {None}
        grown = store.read("session-0001").session
        messages = (*grown.messages[:-1], make_message("assistant", "B"))
        store.write(grown.model_copy(update={"messages": messages}))
        DataFolder(data).get_session_file("session-0002").unlink()
        resumed = ("session", "judge", "--resume", read_only_opinions(data).opinions_id[:8])
        done = run_on_data(data, *resumed, *there)
        assert "2 sessions changed since it began, and not asked about" in done.stderr
        assert len(read_received(log)) == 4
    by_session = {answer.session: answer.status for answer in read_only_opinions(data).answers}
    assert by_session == {"session-0000": "correct", "session-0001": None, "session-0002": None}


def test_mistakes_in_judging_are_named(tmp_path: Path) -> None:
    """Mistakes end with exit code 2, without a record; `compare` has those of both commands."""
    data = tmp_path / "data"
    write_judged_sessions(data, "correct")
    resume = ("session", "judge", "--resume", "zz")
    other = run_on_data(data, *resume, "--rubric", __file__, "--seed", "2", code=2).stderr
    assert "goes on with a judging as it began: leave out --rubric, --seed" in other
    for command in (resume, ("session", "opinions", "zz")):
        assert "no opinion whose id" in run_on_data(data, *command, code=2).stderr
    assert "no opinions" in run_on_data(data, "session", "opinions").stdout
    assert list(DataFolder(data).local.opinions.list_files()) == []


def test_check_names_faults_of_opinions(tmp_path: Path) -> None:
    """A record under another name, one with a changed rubric, and a stray file."""
    data = tmp_path / "data"
    write_judged_sessions(data, "correct")
    with serve_logged_provider(tmp_path / "provider", SAYS_CORRECT) as (address, _):
        run_on_data(data, "session", "judge", "-m", "openai/judge", "--api-base", address)
    folder = DataFolder(data).local
    record = read_only_opinions(data)
    path = folder.opinions.get_file(record.opinions_id)
    path.rename(folder.opinions.get_file("0" * 32))
    changed = record.model_copy(update={"opinions_id": "1" * 32, "rubric": "Other."})
    folder.opinions.get_file("1" * 32).write_text(changed.model_dump_json())
    (path.parent / "notes.txt").write_text("x")
    problems = "\n".join(map(str, check_all(DataFolder(data))))
    assert f"opinions_id: belongs at {path}" in problems
    assert "rubric_digest: is not the digest of rubric" in problems
    assert "notes.txt: is read by nothing" in problems
