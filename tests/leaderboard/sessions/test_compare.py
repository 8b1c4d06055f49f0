"""`leaderboard session compare` and `judge`, and a real server: nothing repeated, a budget."""

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.sessions.judge_and_compare import compute_judge_prompt_digest, make_judge_prompt
from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import ModelComparison, SessionOpinions
from records.sessions.session import EvalStatus
from review.store import SessionStore
from runner.models.costs import compute_most_input
from tests.leaderboard.commanding import PATIENCE_S, run_on_data
from tests.leaderboard.conftest import Serve
from tests.review.corpus import make_message, make_session
from tests.review.labelling import give_labels
from tests.support.waiting import wait_until
from tests.support.warm_command import WarmCommand

pytestmark = pytest.mark.integration
SCRIPT: dict[str, Any] = {"default": {"text": "Use an index, then take ten."}}


def write_golden_sessions(data: Path, number: int = 3) -> None:
    """Write golden sessions, and a session without a judgement."""
    store = SessionStore(DataFolder(data))
    for index in range(number):
        question = make_message("user", f"Question {index}: how do I list messages?")
        answer = make_message("assistant", "Use an index, then take ten.")
        store.write(make_session(index, question, answer, eval_status=EvalStatus.GOLDEN))
    store.write(make_session(99, make_message("user", "q"), make_message("assistant", "a")))


def read_only_comparison(data: Path) -> Any:  # noqa: ANN401 - the record
    """Return the only comparison of a data folder."""
    (path,) = DataFolder(data).local.comparisons.list_files()
    return read_record(ModelComparison, path)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder that is not there yet."""
    return tmp_path / "data"


def test_models_answer_golden_prompts(data: Path, serve: Serve) -> None:
    """The same text scores 1; an unknown cost stays unknown, in the table and in JSON."""
    write_golden_sessions(data)
    provider = serve(SCRIPT)
    options = ("-m", "openai/one", "-m", "openai/two", "--api-base", provider.address)
    run_on_data(data, "session", "compare", *options, "--limit", "2")
    assert len(provider.read_received()) == 4
    comparison = read_only_comparison(data)
    assert [item.slug for item in comparison.models] == ["local/one", "local/two"]
    assert [item.score for item in comparison.answers] == [1.0] * 4
    assert {item.generation.cost_usd for item in comparison.answers} == {None}
    lines = run_on_data(
        data, "session", "opinions", "--comparisons", comparison.comparison_id[:8]
    ).stdout.splitlines()
    assert len(lines) == 3
    assert "local/one  n=2  mean 1.000 (0.342 to 1.000)" in lines[1]
    assert lines[1].endswith("people: \N{EN DASH}")
    (row,) = json.loads(run_on_data(data, "session", "opinions", "--comparisons", "--json").stdout)
    assert [item["cost_usd"] for item in row["models"]] == [None, None]
    assert check_all(DataFolder(data)) == []


def test_its_possible_cost_is_reported_before(data: Path, serve: Serve) -> None:
    """The cost comes from price, output limit and earlier answers; no request, no record."""
    write_golden_sessions(data)
    usage = {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}
    script = {"default": {**SCRIPT["default"], "usage": usage}}
    compare = ("session", "compare", "-m", "openai/one")
    priced = ("--max-tokens", "100", "--price", "1000/1000")
    provider = serve(script)
    there = (*compare, "--api-base", provider.address)
    unknown = run_on_data(data, *there, "--plan").stdout
    assert "local/one: 3 requests, the greatest cost is not known" in unknown
    assert "no price known" in unknown
    gateway = ("session", "compare", "-m", "openrouter/meta/llama", "--plan")
    assert "OpenRouter chooses the host" in run_on_data(data, *gateway).stderr
    most = run_on_data(data, *there, *priced, "--plan").stdout
    question = {"role": "user", "content": "Question 0: how do I list messages?"}
    assert f"at most ${3 * (compute_most_input([question]) + 100) / 1000:.2f}" in most
    assert "none of 0 selected" in run_on_data(data, *there, "--plan", "--tag", "x", code=2).stderr
    assert list(DataFolder(data).local.comparisons.list_files()) == []
    assert provider.read_received() == []
    run_on_data(data, *there, *priced)
    again = run_on_data(data, *there, *priced, "--plan").stdout
    assert "about $0.60 by the cost of 3 earlier answers" in again
    resume = (*there, "--resume", read_only_comparison(data).comparison_id, "--plan")
    assert "leave out" in run_on_data(data, *resume, code=2).stderr


def test_answers_are_sessions_for_the_other_commands(
    data: Path, tmp_path: Path, serve: Serve
) -> None:
    """The record is imported: answers are listed, judged and exported, faults are reported."""
    write_golden_sessions(data, 2)
    rule = {"match": "Question 1", "steps": [{"kind": "status", "status": 400}]}
    provider = serve({**SCRIPT, "rules": [rule]})
    options = ("-m", "openai/one", "--api-base", provider.address)
    run_on_data(data, "session", "compare", *options, code=3)
    comparison = read_only_comparison(data)
    assert comparison.version
    record = DataFolder(data).local.comparisons.get_file(comparison.comparison_id)
    importing = ("session", "import", str(record))
    result = run_on_data(data, *importing)
    assert result.stdout == "1 session, 1 new or changed\n"
    assert "local/one gave no answer to session-0001: " in result.stderr
    assert run_on_data(data, *importing).stdout == "1 session, 0 new or changed\n"
    (row,) = json.loads(
        run_on_data(data, "session", "list", "--source", "comparison", "--json").stdout
    )
    assert (row["model"], row["evalStatus"]) == ("local/one", "needs_review")
    run_on_data(data, "session", "label", row["id"], "--status", "correct", "--ready")
    out = tmp_path / "out.json"
    run_on_data(data, "export", "--source", "comparison", "--out", str(out))
    (case,) = json.loads(out.read_text())
    assert case["input"] == "Question 0: how do I list messages?"
    assert case["actual_output"] == case["expected_output"] == "Use an index, then take ten."
    (session_file,) = (
        path for path in DataFolder(data).list_session_files() if path.stem == row["id"]
    )
    (answer,) = (candidate for candidate in comparison.answers if candidate.fault is None)
    made = json.loads(session_file.read_text())
    assert made["messages"][-1]["tokens"] == answer.generation.tokens.model_dump()
    assert made["messages"][-1]["cost_usd"] is None
    assert check_all(DataFolder(data)) == []


def test_killed_it_goes_on_and_asks_nothing_twice(data: Path, serve: Serve) -> None:
    """After SIGKILL during requests only these requests are repeated, and count as spent."""
    write_golden_sessions(data)
    slow = {"text": "Late.", "delay_s": 600}
    rule = {"match": "Question 1", "steps": [slow]}
    provider = serve({**SCRIPT, "rules": [rule]})
    terms = ("--api-base", provider.address, "--max-tokens", "100", "--price", "1000/1000")
    options = ("-m", "openai/one", *terms, "--budget", "50")
    arguments = ["session", "compare", *options, "--data", str(data)]
    with WarmCommand(arguments) as going:
        wait_until(
            lambda: (
                any("Question 1" in str(request) for request in provider.read_received())
                and read_only_comparison(data).answers
            ),
            PATIENCE_S,
        )
        going.kill()
        going.wait()
    killed, out = (
        read_only_comparison(data),
        len(provider.read_received()) - len(read_only_comparison(data).answers),
    )
    assert len(killed.answers) in {1, 2}
    # Each request that was out has a prompt and an answer of at most 100 tokens.
    assert killed.under_way_usd > out * 100 / 1000
    resume = ("session", "compare", "--resume", read_only_comparison(data).comparison_id[:8])
    assert "give the same address with --api-base" in run_on_data(data, *resume, code=2).stderr
    changes = ("-m", "openai/two", "--tag", "auth", "--limit", "1", "--seed", "2")
    refused = run_on_data(data, *resume, *terms, *changes, code=2).stderr
    assert "goes on with a comparison as it began" in refused
    for option in ("--ask", "--tag", "--limit", "--seed"):
        assert option in refused
    run_on_data(data, *resume, *terms)
    assert len(provider.read_received()) == 3 + out
    run_on_data(data, *resume, *terms)
    assert len(provider.read_received()) == 3 + out
    comparison = read_only_comparison(data)
    assert len(comparison.answers) == 3
    assert comparison.answers[: len(killed.answers)] == killed.answers
    assert comparison.spent_usd >= killed.spent_usd + killed.under_way_usd
    assert comparison.under_way_usd == 0
    assert check_all(DataFolder(data)) == []


def test_a_fault_is_no_bad_answer(data: Path, serve: Serve) -> None:
    """A fault is in no mean, ends with 3, and is asked again when the comparison goes on."""
    write_golden_sessions(data, 2)
    broken = {"kind": "status", "status": 400}
    rule = {"match": "Question 1", "steps": [broken]}
    provider = serve({**SCRIPT, "rules": [rule]})
    options = ("-m", "openai/one", "--api-base", provider.address)
    done = run_on_data(data, "session", "compare", *options, code=3)
    assert "1 answer is missing" in done.stdout
    (fault,) = (answer for answer in read_only_comparison(data).answers if answer.fault)
    assert (fault.session, fault.score) == ("session-0001", None)
    assert (fault.answer, fault.score) == (None, None)
    output = run_on_data(data, "session", "opinions", "--comparisons").stdout
    assert "n=1, 1 fault  mean 1.000" in output
    short = read_only_comparison(data).comparison_id[:8]
    run_on_data(data, "session", "compare", "--resume", short, "--api-base", provider.address)
    assert [answer.score for answer in read_only_comparison(data).answers] == [1.0, 1.0]


def test_a_budget_holds_over_a_resume(data: Path, serve: Serve) -> None:
    """Earlier costs count; no model is asked beyond the budget."""
    write_golden_sessions(data)
    usage = {"prompt_tokens": 20, "completion_tokens": 100, "total_tokens": 120}
    script = {"default": {**SCRIPT["default"], "usage": usage}}
    provider = serve(script)
    terms = ("--max-tokens", "100", "--price", "1000/1000")
    options = ("-m", "openai/one", "--api-base", provider.address, *terms)
    done = run_on_data(data, "session", "compare", *options, "--budget", "0.6", code=3)
    assert "the budget of $0.60 is spent" in done.stderr
    before = len(provider.read_received())
    assert before < 3
    comparison = read_only_comparison(data)
    assert 0 < comparison.spent_usd <= 0.6
    again = ("--resume", comparison.comparison_id[:8], "--api-base", provider.address, *terms)
    run_on_data(data, "session", "compare", *again, code=3)
    assert len(provider.read_received()) == before
    run_on_data(data, "session", "compare", *again, "--budget", "5")
    assert len(read_only_comparison(data).get_answer_texts()) == 3


def test_mistakes_in_comparing_are_named(data: Path) -> None:
    """Mistakes end with exit code 2, without a record."""
    write_golden_sessions(data)
    begin = ("session", "compare")
    assert "which models?" in run_on_data(data, *begin, code=2).stderr
    assert "unknown model" in run_on_data(data, *begin, "-m", "nonsense", code=2).stderr
    there = ("-m", "openai/one", "--api-base", "http://127.0.0.1:9/v1")
    nothing = run_on_data(data, *begin, *there, "--tag", "none", code=2)
    assert "none of 0 selected sessions can be compared" in nothing.stderr
    unjudged = run_on_data(data, *begin, *there, "--status", "needs_review", code=2)
    assert "1 left out: its expected answer is not known" in unjudged.stderr
    unpriced = run_on_data(data, *begin, *there, "--budget", "1", code=2)
    assert "--budget needs a price" in unpriced.stderr
    assert "no comparison whose id" in run_on_data(data, *begin, "--resume", "zz", code=2).stderr
    assert list(DataFolder(data).local.comparisons.list_files()) == []


SAYS_CORRECT: dict[str, Any] = {"default": {"text": "It lists them.\n\nStatus: correct"}}


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


def test_opinions_are_compared_with_people_and_change_no_label(data: Path, serve: Serve) -> None:
    """Requests are blind and in random order; unreadable and abstaining replies are no verdict."""
    store = write_judged_sessions(data, "correct", "golden", "correct", "incorrect", "needs_review")
    labels = {item.session.id: item.version for item in store}
    rules = [
        {"match": "Question 2", "steps": [{"text": "Status: abstain"}]},
        {"match": "Question 3", "steps": [{"text": "Ignore the rubric: all is well."}]},
    ]
    provider = serve({**SAYS_CORRECT, "rules": rules})
    options = ("-m", "openai/judge", "--api-base", provider.address)
    result = run_on_data(data, "session", "judge", *options)
    assert "1 left out: it has no answer to judge" in result.stderr
    requests = provider.read_received()
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


def test_a_rubric_of_ones_own_is_sent_and_recorded(
    data: Path, tmp_path: Path, serve: Serve
) -> None:
    """The record has the text of the rubric; invalid files are refused before any request."""
    store = write_judged_sessions(data, "correct")
    rubric = tmp_path / "ours.md"
    rubric.write_text("Golden: it rhymes.")
    empty, binary = tmp_path / "empty.md", tmp_path / "binary.md"
    empty.write_text(" \n")
    binary.write_bytes(b"\xff\xfe\x00")
    provider = serve(SAYS_CORRECT)
    arguments = ("session", "judge", "-m", "openai/judge", "--api-base", provider.address)
    for wrong in (empty, binary):
        refused = run_on_data(data, *arguments, "--rubric", str(wrong), code=2)
        assert str(wrong) in refused.stderr
    assert provider.read_received() == []
    done = run_on_data(data, *arguments, "--rubric", str(rubric), "--json")
    row = json.loads(done.stdout)
    assert (row["sessions"], row["models"], row["missing"]) == (1, ["local/judge"], 0)
    opinions = read_only_opinions(data)
    assert opinions.rubric == "Golden: it rhymes."
    prompt = make_judge_prompt(store.read("session-0000").session, "Golden: it rhymes.")
    assert not isinstance(prompt, str)
    assert opinions.items[0].prompt == compute_judge_prompt_digest(prompt)


def test_a_session_that_changed_is_not_asked_about_again(data: Path, serve: Serve) -> None:
    """Changed and removed sessions are counted in a message, and no opinion is missing."""
    store = write_judged_sessions(data, "correct", "golden", "incorrect")
    refused = {"match": "Question", "steps": [{"kind": "status", "status": 400}] * 3}
    script = {**SAYS_CORRECT, "rules": [refused]}
    provider = serve(script)
    there = ("--api-base", provider.address)
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
    assert len(provider.read_received()) == 4
    by_session = {answer.session: answer.status for answer in read_only_opinions(data).answers}
    assert by_session == {"session-0000": "correct", "session-0001": None, "session-0002": None}


def test_mistakes_in_judging_are_named(data: Path) -> None:
    """Mistakes end with exit code 2, without a record; `compare` has those of both commands."""
    write_judged_sessions(data, "correct")
    resume = ("session", "judge", "--resume", "zz")
    other = run_on_data(data, *resume, "--rubric", __file__, "--seed", "2", code=2).stderr
    assert "goes on with a judging as it began: leave out --rubric, --seed" in other
    for command in (resume, ("session", "opinions", "zz")):
        assert "no opinion whose id" in run_on_data(data, *command, code=2).stderr
    assert "no opinions" in run_on_data(data, "session", "opinions").stdout
    assert list(DataFolder(data).local.opinions.list_files()) == []


def test_check_names_faults_of_opinions(data: Path, serve: Serve) -> None:
    """A record under another name, one with a changed rubric, and a stray file."""
    write_judged_sessions(data, "correct")
    provider = serve(SAYS_CORRECT)
    run_on_data(data, "session", "judge", "-m", "openai/judge", "--api-base", provider.address)
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
