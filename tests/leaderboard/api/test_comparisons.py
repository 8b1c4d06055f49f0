"""Comparisons over real HTTP: their results, their records, and the rights to read them."""

import json

import httpx
import pytest

from records.reader import read_record
from records.sessions.asked import ModelComparison
from records.writer import write_record
from review.comparisons import ComparisonStore, list_answered_pairs
from tests.leaderboard.api.serving import Server, make_bearer_header
from tests.review.comparing import make_compared_answer, make_comparison

pytestmark = pytest.mark.integration

ID = "c" * 32


@pytest.fixture(autouse=True)
def _compared(made: Server) -> None:
    """Write a comparison of two models on two sessions, with a missing answer."""
    answers = [
        make_compared_answer("session-0000", "maker/one", "a", score=1.0),
        make_compared_answer("session-0000", "maker/two", "b", score=0.25),
        make_compared_answer("session-0001", "maker/one", "c", score=0.5),
    ]
    record = make_comparison(["maker/one", "maker/two"], 2, answers)
    write_record(made.data.local.comparisons, record)
    (pair,) = list_answered_pairs(record)
    ComparisonStore(made.data.local).judge(ID, pair, "a", None)


def test_results_are_those_of_the_command(client: httpx.Client) -> None:
    """Each model has a row with its mean, its known costs, and the preferences of people."""
    (row,) = client.get("/api/comparisons").raise_for_status().json()["comparisons"]
    assert (row["comparison_id"], row["sessions"], row["missing"]) == (ID, 2, 1)
    first, second = row["models"]
    assert (first["model"], first["answers"], first["score"]["value"]) == ("maker/one", 2, 0.75)
    assert (second["answers"], second["cost_usd"], second["cost_known_for"]) == (1, None, 0)
    assert first["score"]["low"] < 0.75 < first["score"]["high"]
    assert {first["preferred"]["wins"], second["preferred"]["wins"]} == {0, 1}


def test_the_record_is_the_file(made: Server, client: httpx.Client) -> None:
    """The record has prompts, answers, tokens and costs, as they are in the file."""
    answer = client.get(f"/api/comparisons/{ID}").raise_for_status()
    path = made.data.local.comparisons.get_file(ID)
    assert answer.json() == json.loads(path.read_text())
    assert read_record(ModelComparison, path).answers[0].model == "maker/one"


def test_who_may_read_sessions_may_read_them(made: Server, client: httpx.Client) -> None:
    """Comparisons have texts of sessions; unknown ids are not found, damage is a 500."""
    runs_only = make_bearer_header(made.keys.create("narrow", ("runs:read",), None))
    for path in ("/api/comparisons", f"/api/comparisons/{ID}"):
        assert client.get(path, headers=runs_only).status_code == 403
        assert client.get(path, headers={"Authorization": ""}).status_code == 401
        assert client.get(f"{path}?limit=1").status_code == 400
    for name in ("d" * 32, "short", "..%2fkeys"):
        assert client.get(f"/api/comparisons/{name}").status_code == 404
    made.data.local.comparisons.get_file(ID).write_text("{")
    for path in ("/api/comparisons", f"/api/comparisons/{ID}"):
        assert client.get(path).status_code == 500
