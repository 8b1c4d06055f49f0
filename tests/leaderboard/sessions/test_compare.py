"""`leaderboard session compare` and a real server: no repeated question, kills, a budget."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.asked import ModelComparison
from records.sessions.session import EvalStatus
from review.store import SessionStore
from runner.models.costs import compute_most_input
from tests.leaderboard.commanding import PATIENCE_S, run_on_data, serve_provider
from tests.review.corpus import make_message, make_session
from tests.support.warm_command import WarmCommand

pytestmark = pytest.mark.integration

SCRIPT: dict[str, Any] = {"default": {"text": "Use an index, then take ten."}}


@contextmanager
def serve_logged_provider(folder: Path, script: dict[str, Any]) -> Generator[tuple[str, Path]]:
    """Serve a scripted provider; yield its address and the log of its requests."""
    with serve_provider(folder, script) as address:
        yield address, folder / "log.jsonl"


def write_golden_sessions(data: Path, number: int = 3) -> None:
    """Write golden sessions, and a session without a judgement."""
    store = SessionStore(DataFolder(data))
    for index in range(number):
        question = make_message("user", f"Question {index}: how do I list messages?")
        answer = make_message("assistant", "Use an index, then take ten.")
        store.write(make_session(index, question, answer, eval_status=EvalStatus.GOLDEN))
    store.write(make_session(99, make_message("user", "q"), make_message("assistant", "a")))


def read_received(log: Path) -> list[dict[str, Any]]:
    """Return the requests that a provider logged when they came."""
    lines = [json.loads(entry) for entry in log.read_text().splitlines()] if log.exists() else []
    return [entry for entry in lines if entry["event"] == "received"]


def read_only_comparison(data: Path) -> Any:  # noqa: ANN401 - the record
    """Return the only comparison of a data folder."""
    (path,) = DataFolder(data).local.comparisons.list_files()
    return read_record(ModelComparison, path)


def test_models_answer_golden_prompts(tmp_path: Path) -> None:
    """The same text scores 1; an unknown cost stays unknown, in the table and in JSON."""
    data = tmp_path / "data"
    write_golden_sessions(data)
    with serve_logged_provider(tmp_path / "provider", SCRIPT) as (address, log):
        options = ("-m", "openai/one", "-m", "openai/two", "--api-base", address, "--limit", "2")
        run_on_data(data, "session", "compare", *options)
        assert len(read_received(log)) == 4
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


def test_its_possible_cost_is_reported_before(tmp_path: Path) -> None:
    """The cost comes from price, output limit and earlier answers; no request, no record."""
    data = tmp_path / "data"
    write_golden_sessions(data)
    usage = {"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 200}
    script = {"default": {**SCRIPT["default"], "usage": usage}}
    compare = ("session", "compare", "-m", "openai/one")
    priced = ("--max-tokens", "100", "--price", "1000/1000")
    with serve_logged_provider(tmp_path / "provider", script) as (address, log):
        there = (*compare, "--api-base", address)
        unknown = run_on_data(data, *there, "--plan").stdout
        assert "local/one: 3 requests, the greatest cost is not known" in unknown
        assert "no price known" in unknown
        gateway = ("session", "compare", "-m", "openrouter/meta/llama", "--plan")
        assert "OpenRouter chooses the host" in run_on_data(data, *gateway).stderr
        most = run_on_data(data, *there, *priced, "--plan").stdout
        question = {"role": "user", "content": "Question 0: how do I list messages?"}
        assert f"at most ${3 * (compute_most_input([question]) + 100) / 1000:.2f}" in most
        assert (
            "none of 0 selected" in run_on_data(data, *there, "--plan", "--tag", "x", code=2).stderr
        )
        assert list(DataFolder(data).local.comparisons.list_files()) == []
        assert read_received(log) == []
        run_on_data(data, *there, *priced)
        again = run_on_data(data, *there, *priced, "--plan").stdout
        assert "about $0.60 by the cost of 3 earlier answers" in again
        resume = (*there, "--resume", read_only_comparison(data).comparison_id, "--plan")
        assert "leave out" in run_on_data(data, *resume, code=2).stderr


def test_answers_are_sessions_for_the_other_commands(tmp_path: Path) -> None:
    """The record is imported: answers are listed, judged and exported, faults are reported."""
    data = tmp_path / "data"
    write_golden_sessions(data, 2)
    rule = {"match": "Question 1", "steps": [{"kind": "status", "status": 400}]}
    with serve_logged_provider(tmp_path / "provider", {**SCRIPT, "rules": [rule]}) as (address, _):
        options = ("-m", "openai/one", "--api-base", address)
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


def test_killed_it_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    """After SIGKILL during requests only these requests are repeated, and count as spent."""
    data = tmp_path / "data"
    write_golden_sessions(data)
    slow = {"text": "Late.", "delay_s": 600}
    rule = {"match": "Question 1", "steps": [slow]}
    with serve_logged_provider(tmp_path / "provider", {**SCRIPT, "rules": [rule]}) as (
        address,
        log,
    ):
        terms = ("--api-base", address, "--max-tokens", "100", "--price", "1000/1000")
        options = ("-m", "openai/one", *terms, "--budget", "50")
        arguments = ["session", "compare", *options, "--data", str(data)]
        with WarmCommand(arguments) as going:
            ends_at = time.monotonic() + PATIENCE_S
            while not (
                any("Question 1" in str(request) for request in read_received(log))
                and read_only_comparison(data).answers
            ):
                assert time.monotonic() < ends_at
                time.sleep(0.05)
            going.kill()
            going.wait()
        killed, out = (
            read_only_comparison(data),
            len(read_received(log)) - len(read_only_comparison(data).answers),
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
        assert len(read_received(log)) == 3 + out
        run_on_data(data, *resume, *terms)
        assert len(read_received(log)) == 3 + out
    comparison = read_only_comparison(data)
    assert len(comparison.answers) == 3
    assert comparison.answers[: len(killed.answers)] == killed.answers
    assert comparison.spent_usd >= killed.spent_usd + killed.under_way_usd
    assert comparison.under_way_usd == 0
    assert check_all(DataFolder(data)) == []


def test_a_fault_is_no_bad_answer(tmp_path: Path) -> None:
    """A fault is in no mean, ends with 3, and is asked again when the comparison goes on."""
    data = tmp_path / "data"
    write_golden_sessions(data, 2)
    broken = {"kind": "status", "status": 400}
    rule = {"match": "Question 1", "steps": [broken]}
    with serve_logged_provider(tmp_path / "provider", {**SCRIPT, "rules": [rule]}) as (address, _):
        options = ("-m", "openai/one", "--api-base", address)
        done = run_on_data(data, "session", "compare", *options, code=3)
        assert "1 answer is missing" in done.stdout
        (fault,) = (answer for answer in read_only_comparison(data).answers if answer.fault)
        assert (fault.session, fault.score) == ("session-0001", None)
        assert (fault.answer, fault.score) == (None, None)
        output = run_on_data(data, "session", "opinions", "--comparisons").stdout
        assert "n=1, 1 fault  mean 1.000" in output
        short = read_only_comparison(data).comparison_id[:8]
        run_on_data(data, "session", "compare", "--resume", short, "--api-base", address)
    assert [answer.score for answer in read_only_comparison(data).answers] == [1.0, 1.0]


def test_a_budget_holds_over_a_resume(tmp_path: Path) -> None:
    """Earlier costs count; no model is asked beyond the budget."""
    data = tmp_path / "data"
    write_golden_sessions(data)
    usage = {"prompt_tokens": 20, "completion_tokens": 100, "total_tokens": 120}
    script = {"default": {**SCRIPT["default"], "usage": usage}}
    with serve_logged_provider(tmp_path / "provider", script) as (address, log):
        terms = ("--max-tokens", "100", "--price", "1000/1000")
        options = ("-m", "openai/one", "--api-base", address, *terms)
        done = run_on_data(data, "session", "compare", *options, "--budget", "0.6", code=3)
        assert "the budget of $0.60 is spent" in done.stderr
        before = len(read_received(log))
        assert before < 3
        comparison = read_only_comparison(data)
        assert 0 < comparison.spent_usd <= 0.6
        again = ("--resume", comparison.comparison_id[:8], "--api-base", address, *terms)
        run_on_data(data, "session", "compare", *again, code=3)
        assert len(read_received(log)) == before
        run_on_data(data, "session", "compare", *again, "--budget", "5")
    assert len(read_only_comparison(data).get_answer_texts()) == 3


def test_mistakes_in_comparing_are_named(tmp_path: Path) -> None:
    """Mistakes end with exit code 2, without a record."""
    data = tmp_path / "data"
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
