"""Workflows, agents, presence and language models in their own packages from npm."""

import json
from pathlib import Path
from typing import cast

import pytest

from runner.backends.client import BackendClient
from runner.grading.fixtures.convex import Convex

pytestmark = pytest.mark.more


PROJECT = "agents"
"""The folder of a project that installs each package."""
REPLIES = json.loads(Path(__file__).with_name("agent_replies.json").read_text("utf-8"))
"""The address of each provider, and a reply of its model."""


def place_order(app: BackendClient, failures: int) -> str:
    """Place an order of apples, whose payment fails a number of times."""
    return cast(
        "str", app.call("mutation", "orders:place", {"item": "apples", "failures": float(failures)})
    )


def test_a_workflow_waits_for_its_event(app: BackendClient) -> None:
    """No step after the event runs before it, however long it takes."""
    order = place_order(app, 0)
    app.advance_to(app.read_time() + 3600)
    assert app.call("query", "lines:list", {}) == ["ordered apples"]
    assert app.call("query", "orders:status", {"workflowId": order}) == ["inProgress"]


def test_a_workflow_retries_sleeps_and_ends(app: BackendClient) -> None:
    """An action that fails twice runs three times; the result and the callback follow the sleep."""
    order = place_order(app, 2)
    app.advance_to(app.read_time() + 10)
    app.call("mutation", "orders:tell", {"workflowId": order, "address": "Bergen"})
    app.advance_to(app.read_time() + 30)
    assert app.call("query", "lines:list", {}) == ["ordered apples", *["charge"] * 3]
    app.advance_to(app.read_time() + 120)
    lines = cast("list[str]", app.call("query", "lines:list", {}))
    assert lines[4:] == ["sent to Bergen", "apples: success"]
    assert app.call("query", "orders:status", {"workflowId": order}) == ["completed", "charged 60"]


def test_a_workflow_fails_with_its_step(app: BackendClient) -> None:
    """After the last attempt the workflow ends with the error of the step."""
    order = place_order(app, 5)
    app.call("mutation", "orders:tell", {"workflowId": order, "address": "Bergen"})
    app.advance_to(app.read_time() + 60)
    state = cast("list[str]", app.call("query", "orders:status", {"workflowId": order}))
    assert state[0] == "failed"
    assert "the bank is closed" in state[1]
    lines = cast("list[str]", app.call("query", "lines:list", {}))
    assert lines == ["ordered apples", *["charge"] * 3, "apples: failed"]


def test_presence_follows_heartbeats(app: BackendClient) -> None:
    """A user without a heartbeat for two and a half intervals is offline; others stay online."""

    def beat(user: str) -> dict[str, str]:
        args = {"roomId": "hall", "userId": user, "sessionId": f"of {user}", "interval": 10_000.0}
        return cast("dict[str, str]", app.call("mutation", "rooms:heartbeat", args))

    token = beat("ada")["roomToken"]
    beat("bob")
    assert app.call("query", "rooms:list", {"roomToken": token}) == ["ada online", "bob online"]
    for _ in range(3):
        app.advance_to(app.read_time() + 9)
        beat("ada")
    assert app.call("query", "rooms:list", {"roomToken": token}) == ["ada online", "bob offline"]
    app.call("mutation", "rooms:disconnect", {"sessionToken": beat("ada")["sessionToken"]})
    statuses = cast("list[str]", app.call("query", "rooms:list", {"roomToken": token}))
    assert sorted(statuses) == ["ada offline", "bob offline"]


def test_an_agent_answers_in_a_thread(app: BackendClient) -> None:
    """A tool call and the answer after it are messages of the thread."""
    thread = app.call("mutation", "chat:begin", {"userId": "ada", "title": "Travel"})
    assert app.call("query", "chat:titles", {"userId": "ada"}) == ["Travel"]
    assert app.call("query", "chat:titles", {"userId": "bob"}) == []
    prompt = app.call("mutation", "chat:write", {"threadId": thread, "text": "What do I pack?"})
    answer = app.call("action", "chat:reply", {"threadId": thread, "promptMessageId": prompt})
    assert answer == "Take an umbrella."
    messages = cast(
        "list[dict[str, str]]", app.call("query", "chat:messages", {"threadId": thread})
    )
    assert [message["role"] for message in messages] == ["assistant", "tool", "assistant", "user"]
    assert messages[0]["text"] == "Take an umbrella."
    assert messages[0]["agent"] == "guide"


def test_a_language_model_is_asked_without_an_agent(app: BackendClient) -> None:
    """`generateText` of `ai` passes the prompt on; zod checks the reply."""
    assert app.call("action", "chat:alone", {"prompt": "Hello?"}) == [
        {"type": "text", "text": "Hello?"}
    ]


@pytest.mark.parametrize("provider", ["anthropic", "google", "openai"])
def test_a_provider_is_asked_by_its_package(app: BackendClient, provider: str) -> None:
    """The request reaches the stub of the provider's address, with the prompt."""
    url, reply = REPLIES[provider]
    Convex(app).stub_fetch(
        url,
        method="POST",
        headers={"content-type": "application/json"},
        body=json.dumps(reply).encode(),
    )
    assert app.call("action", "chat:provided", {"provider": provider}) == "Good day."
    (request,) = Convex(app).fetches()
    assert "Hello?" in str(request)
