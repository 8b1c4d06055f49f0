"""HTTP actions, on the deployment's site."""

import pytest

from runner.backends.client import BackendClient

pytestmark = pytest.mark.integration


def test_a_route_answers_with_its_status_headers_and_body(client: BackendClient) -> None:
    """The request reaches the action whole, and its answer the caller."""
    answer = client.send_http("POST", "/notes", body=b'{"text": "hi"}', headers={"x-echo": "echo"})
    assert (answer.status, answer.body, answer.headers["x-path"]) == (201, b"echo", "/notes")
    assert [note["text"] for note in client.list_documents("notes")] == ["hi"]


def test_a_prefix_takes_addresses_below_it_and_bodies_are_streamed(client: BackendClient) -> None:
    """A route by prefix answers each path below it; a streamed body arrives whole."""
    answer = client.send_http("GET", "/stream/a/b")
    assert (answer.status, answer.body) == (200, b"one two three")


def test_an_address_without_a_route_is_not_found(client: BackendClient) -> None:
    """Other paths, and other methods on known paths, answer 404."""
    assert client.send_http("GET", "/nowhere").status == 404
    assert client.send_http("DELETE", "/notes").status == 404


def test_an_action_that_throws_answers_500(client: BackendClient) -> None:
    """The caller sees a server error."""
    assert client.send_http("GET", "/broken").status == 500
