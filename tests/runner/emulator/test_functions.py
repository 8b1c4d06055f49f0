"""Queries, mutations and actions, by the HTTP API."""

import pytest

from runner.backends.backend import Deployment
from runner.backends.client import ADMIN, ANYBODY, BackendClient, Caller, FunctionError
from tests.runner.emulator.conftest import read_logs

pytestmark = pytest.mark.integration


def catch_failure(client: BackendClient, kind: str, path: str, **args: object) -> FunctionError:
    """Call a function that must fail, and return its failure."""
    with pytest.raises(FunctionError) as raised:
        client.call(kind, path, args)  # pyright: ignore[reportArgumentType]
    return raised.value


def add(client: BackendClient, *ranks: float) -> None:
    """Insert notes with these ranks by the project's own mutation."""
    for rank in ranks:
        client.call("mutation", "notes:add", {"text": f"note {rank:g}", "rank": rank})


def list_ranks(client: BackendClient) -> list[float]:
    """List the ranks of all notes in the order of the index."""
    return [note["rank"] for note in client.call("query", "notes:list")]


def test_mutations_write_and_queries_read_in_the_order_of_the_index(client: BackendClient) -> None:
    """The rows that mutations insert are sorted by the index of the query."""
    add(client, 3, 1, 2)
    assert list_ranks(client) == [1, 2, 3]


def test_actions_call_internal_functions_in_transactions_of_their_own(
    client: BackendClient,
) -> None:
    """An action's mutation is committed when its next query runs."""
    assert client.call("action", "notes:throughAction", {"text": "by action"}) == 1


def test_text_search_finds_words_and_filters(client: BackendClient) -> None:
    """A search index finds any of the words, among documents that fit its filters."""
    client.insert("notes", [{"text": "Red fox", "rank": 1}, {"text": "red hen", "rank": 2}])
    notes = client.call("query", "notes:search", {"words": "red", "rank": 2})
    assert [note["text"] for note in notes] == ["red hen"]


def test_vector_search_finds_the_nearest(client: BackendClient) -> None:
    """The nearest vector comes first, with its score."""
    near, _far = client.insert("samples", [{"vector": [1.0, 0.1]}, {"vector": [0.0, 1.0]}])
    (nearest,) = client.call("action", "notes:nearest", {"vector": [1.0, 0.0]})
    assert nearest["_id"] == near
    assert nearest["_score"] == pytest.approx(0.995, abs=0.001)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_a_query_takes_as_many_documents_as_asked_for(client: BackendClient, count: int) -> None:
    """``take(n)`` returns the first n documents of the index, or all where there are fewer."""
    add(client, 3, 1, 5, 2, 4)
    notes = client.call("query", "notes:lowest", {"count": count})
    assert [note["rank"] for note in notes] == [1, 2, 3, 4, 5][:count]


def test_filtered_pages_are_full_and_end(client: BackendClient) -> None:
    """Pages of a filtered query have the requested number of matches, except for the last."""
    add(client, *range(1, 8))
    seen: list[list[float]] = []
    cursor = None
    for _ in range(5):
        page = client.call("query", "notes:even", {"size": 2, "cursor": cursor})
        seen.append([note["rank"] for note in page["page"]])
        if page["isDone"]:
            break
        cursor = page["continueCursor"]
    assert [rank for page in seen for rank in page] == [2, 4, 6]
    assert seen[0] == [2, 4]


def test_an_empty_page_is_refused(client: BackendClient) -> None:
    """A page of zero documents cannot be requested."""
    assert catch_failure(client, "query", "notes:even", size=0, cursor=None)


def test_a_function_paginates_once(client: BackendClient) -> None:
    """A second paginated query in one function is refused."""
    assert "multiple paginated queries" in catch_failure(client, "query", "notes:pages").message


@pytest.mark.parametrize("path", ["notes:secret", "notes:missing", "missing:list"])
def test_internal_functions_look_as_if_they_were_not_there(
    client: BackendClient, path: str
) -> None:
    """The error for an internal function is the same as that for a missing function."""
    message = catch_failure(client, "query", path).message
    assert f"Could not find public function for '{path}'" in message


def test_the_admin_key_opens_internal_functions(client: BackendClient) -> None:
    """With the deployment's key, internal functions can be called."""
    assert client.call("query", "notes:secret", caller=ADMIN) == "secret"


def test_a_function_is_only_called_as_its_kind(client: BackendClient) -> None:
    """A mutation cannot be called as a query."""
    message = catch_failure(client, "query", "notes:add", text="x", rank=1).message
    assert "Trying to execute notes.js:add as Query, but it is defined as Mutation." in message


def test_arguments_are_validated_before_the_function_runs(client: BackendClient) -> None:
    """A wrong type, a missing and an extra field are refused, by the name of the error."""
    wrong = catch_failure(client, "mutation", "notes:add", text=1, rank=1).message
    missing = catch_failure(client, "mutation", "notes:add", text="x").message
    extra = catch_failure(client, "mutation", "notes:add", text="x", rank=1, more=1).message
    assert "ArgumentValidationError: Value does not match validator.\nPath: .text" in wrong
    assert "Object is missing the required field `rank`" in missing
    assert "Object contains extra field `more` that is not in the validator." in extra
    assert list_ranks(client) == []


def test_returned_values_are_validated(client: BackendClient) -> None:
    """A value that does not fit the returns validator fails the call."""
    assert "ReturnsValidationError" in catch_failure(client, "query", "notes:wrongReturn").message


def test_documents_are_validated_and_the_transaction_is_rolled_back(client: BackendClient) -> None:
    """A document that the schema refuses fails the mutation, with all its earlier writes."""
    message = catch_failure(client, "mutation", "notes:untyped", rank="high").message
    assert 'Failed to insert or update a document in table "notes"' in message
    assert list_ranks(client) == []


def test_an_error_carries_the_request_its_message_and_its_place(client: BackendClient) -> None:
    """An uncaught error has the text of the real backend in development."""
    error = catch_failure(client, "query", "notes:crash")
    assert error.message.startswith("[Request ID: ")
    assert "Server Error\nUncaught Error: something broke\n    at handler (../convex/notes.ts:" in (
        error.message
    )
    assert error.data is None


def test_a_convex_error_carries_its_data_and_rolls_back(client: BackendClient) -> None:
    """The data of a ConvexError arrives with its types, and no write of the mutation stays."""
    assert catch_failure(client, "mutation", "notes:refuse").data == {"code": 7, "why": "because"}
    assert list_ranks(client) == []


def test_a_caught_nested_mutation_is_rolled_back_alone(client: BackendClient) -> None:
    """A mutation that catches another's failure keeps its own writes, and sees the data."""
    assert client.call("mutation", "notes:catching") == {"code": 7, "why": "because"}
    assert list_ranks(client) == [0]


def test_log_lines_come_with_the_answer(contract: Deployment) -> None:
    """The output of a function is in the log lines, with its level."""
    lines = read_logs(contract, "query", "notes:logged", {})
    assert lines == ["[LOG] 'hello' 7", "[WARN] {\n  a: [ 1 ]\n}"]


def test_no_state_of_a_module_outlives_a_call(client: BackendClient) -> None:
    """Variables of a module start anew in each call."""
    assert [client.call("query", "notes:countRuns") for _ in range(3)] == [1, 1, 1]


def test_the_default_runtime_has_no_node_in_it(client: BackendClient) -> None:
    """The objects of Node.js exist only in "use node" files."""
    assert client.call("query", "notes:globals") == []


def test_files_with_the_directive_run_in_node(client: BackendClient) -> None:
    """An action of a "use node" file has Node's own modules."""
    digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
    assert client.call("action", "hashes:sha256", {"text": "foo"}) == digest


def test_mutations_cannot_fetch(client: BackendClient) -> None:
    """Only actions may fetch."""
    message = catch_failure(client, "mutation", "notes:fetching").message
    assert "Can't use fetch() in queries and mutations." in message


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        (ANYBODY, None),
        (
            Caller(user={"subject": "ada", "issuer": "https://users.test", "name": "Ada"}),
            "https://users.test|ada",
        ),
    ],
    ids=["anybody", "user"],
)
def test_identities_reach_functions(
    client: BackendClient, caller: Caller, expected: str | None
) -> None:
    """A function gets the user's identity, with the token of issuer and subject as in Convex."""
    identity = client.call("query", "notes:whoami", caller=caller)
    assert (identity and identity["tokenIdentifier"]) == expected


def test_a_transaction_can_only_read_so_much(client: BackendClient) -> None:
    """Documents that a filter drops count as read: sixteen MiB of them are too many."""
    large = "x" * 900_000
    for _ in range(5):
        client.insert("anything", [{"filler": large}] * 4)
    assert "Too many bytes read" in catch_failure(client, "query", "notes:readAll").message


def test_a_document_can_only_be_so_large(client: BackendClient) -> None:
    """A document of more than one MiB is refused."""
    with pytest.raises(FunctionError, match="too large"):
        client.insert("anything", [{"filler": "x" * 1_100_000}])


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
