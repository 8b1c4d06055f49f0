"""The operations of the embedded backend, each requested from each kind of function."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient, FunctionError
from runner.emulator import embedded
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import open_client, read_project
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its arguments, the kinds of functions that may use it, and the refusals."""

    kinds: Sequence[str]
    args: dict[str, Any] = field(default_factory=dict[str, Any])
    way: str = "wait"
    words: str = "Unknown async operation 1.0/{op}"
    words_to_queries: str | None = None
    writes: bool = False


WRITE = {"name": "asking:write", "args": {"from": "called"}}
OPERATIONS: dict[str, Operation] = {
    op: Operation(**fields)
    for op, fields in json.loads(Path(__file__).with_name("operations.json").read_text()).items()
}
FUNCTIONS = {"query": "asking:aQuery", "mutation": "asking:aMutation", "action": "asking:anAction"}


PROJECT = "operations"
"""The folder of a project whose functions ask for any operation."""


@pytest.fixture
def asking(app: BackendClient) -> BackendClient:
    """A client of the deployment, which holds one row, one file and one scheduled function."""
    fill(app)
    return app


def fill(app: BackendClient) -> None:
    """Store a row, a file and a scheduled function."""
    app.insert("rows", [{"from": "test", "vector": [1.0, 0.0]}])
    app.store(b"bytes")
    ask(app, "action", "actions/schedule", OPERATIONS["actions/schedule"])
    Convex(app).stub_fetch("https://example.test/")


def ask(client: BackendClient, kind: str, op: str, operation: Operation) -> str:
    """Ask for an operation from a function of a kind; return the answer or the refusal."""
    args = make_arguments(client, op, operation)
    if kind == "http":
        return client.send_http("POST", "/ask", body=json.dumps(args).encode()).body.decode()
    return str(client.call(kind, FUNCTIONS[kind], args))  # pyright: ignore[reportArgumentType]


def make_arguments(client: BackendClient, op: str, operation: Operation) -> dict[str, str]:
    """Return the arguments of the functions that ask, with ids of the stored documents."""
    args = json.dumps(operation.args).replace('"TOMORROW"', str(client.read_time() + 86_400))
    stored = {
        "ROW": client.list_documents("rows"),
        "FILE": client.list_documents("_storage"),
        "JOB": client.list_documents("_scheduled_functions"),
    }
    for name, documents in stored.items():
        if documents:
            args = args.replace(f'"{name}"', json.dumps(documents[0]["_id"]))
    prefixed = op if operation.way == "script" else f"1.0/{op}"
    return {"op": prefixed, "args": args, "way": operation.way}


def list_stored(client: BackendClient) -> list[list[dict[str, Any]]]:
    """Return all that functions can write."""
    return [
        client.list_documents("rows"),
        client.list_documents("_storage"),
        client.list_documents("_scheduled_functions"),
    ]


@pytest.mark.parametrize("op", OPERATIONS)
def test_an_operation_is_answered_or_refused_by_the_kind_of_function(
    asking: BackendClient, op: str
) -> None:
    """Each kind of function gets answers to its own operations, without another effect."""
    operation = OPERATIONS[op]
    for kind in ("query", "mutation", "action", "http"):
        before = list_stored(asking)
        answer = ask(asking, kind, op, operation)
        if kind in operation.kinds:
            assert answer.startswith("answered"), kind
        else:
            to_queries = operation.words_to_queries if kind == "query" else None
            assert answer == f"refused: {(to_queries or operation.words).format(op=op)}", kind
        wrote = operation.writes and kind in operation.kinds
        assert (list_stored(asking) != before) is wrote, kind
        if wrote:
            asking.call_control("reset")
            fill(asking)


def test_the_table_of_the_backend_is_asked_in_full() -> None:
    """Every operation of the backend's table is in the table of these tests."""
    source = (Path(embedded.__file__).parent / "functions/operations.mjs").read_text("utf-8")
    table = source.partition("export const OPERATIONS = {")[2].partition("\n};")[0]
    names = {
        line.strip().partition(": {")[0].strip('"') for line in table.splitlines() if ": {" in line
    }
    ours = {"storageStore", "storageGet", "queryStreamNext"}
    assert names - ours <= set(OPERATIONS)


@pytest.mark.parametrize(
    ("caller", "called", "words"),
    [
        ("query", "mutation", "Cannot call a Mutation function from a Query function"),
        ("query", "action", "Cannot call a Action function from a Query function"),
        ("mutation", "action", "Cannot call a Action function from a Mutation function"),
        (
            "query",
            "snapshotQuery",
            "`useStaleSnapshot` is only supported in mutations, not queries.",
        ),
    ],
)
def test_a_transaction_calls_functions_of_its_own_rights(
    asking: BackendClient, caller: str, called: str, words: str
) -> None:
    """A query calls queries, a mutation queries and mutations."""
    before = list_stored(asking)
    operation = Operation((), {"udfType": called, **WRITE})
    assert ask(asking, caller, "runUdf", operation) == f"refused: {words}"
    assert list_stored(asking) == before


def list_arguments(client: BackendClient) -> list[dict[str, str]]:
    """Return every operation that is requested with a promise, as arguments."""
    return [
        make_arguments(client, op, operation)
        for op, operation in OPERATIONS.items()
        if operation.way == "wait"
    ]


@pytest.mark.parametrize(
    ("kind", "path"),
    [("query", "asking:leavingQuery"), ("mutation", "asking:failingMutation")],
)
def test_nothing_stays_of_requests_that_nobody_waited_for(
    asking: BackendClient, kind: str, path: str
) -> None:
    """A query, and a mutation that fails, ask for all operations and end: no write stays."""
    before = list_stored(asking)
    try:
        asking.call(kind, path, {"asked": list_arguments(asking)})  # pyright: ignore[reportArgumentType]
    except FunctionError as error:
        assert "fails after it has asked" in error.message  # noqa: PT017 - only one of the two fails
    assert list_stored(asking) == before
    assert ask(asking, "query", "count", OPERATIONS["count"]) == "answered: 1"


def test_writes_that_a_mutation_did_not_wait_for_belong_to_it(asking: BackendClient) -> None:
    """All writes are there when the mutation is answered, also writes that follow other writes."""
    row = OPERATIONS["insert"]
    asking.call(
        "mutation", "asking:leavingMutation", {"asked": [make_arguments(asking, "insert", row)] * 3}
    )
    assert [each["from"] for each in asking.list_documents("rows")] == ["test"] + ["asked"] * 3
    asking.call("mutation", "asking:chainedMutation")
    chained = [each["from"] for each in asking.list_documents("rows")][4:]
    assert chained == [str(write) for write in range(1, 21)]


def test_a_module_asks_for_nothing_while_it_is_loaded(embedded: Backend) -> None:
    """A deploy refuses every operation, in words that a module may throw."""
    asking_module = TEXTS["asking_module"]
    late = (
        'import { query } from "./_generated/server";\n'
        "export const list = query({ args: {}, handler: () => (Math as any).refused });\n"
    )
    files = {
        **read_project("operations"),
        "convex/a.ts": f"{asking_module}export const a = 1;\n",
        "convex/b.ts": late,
    }
    with open_client(embedded, files) as client:
        refused = client.call("query", "b:list")
    assert refused == [
        f"Syscall 1.0/{op} unsupported at import time"
        for op in ["queryStream", "insert", "actions/mutation", "getUserIdentity", "nonsense"]
    ]
