"""The embedded backend against the documents and the source of the real one.

A probe of ``probes.json`` is the body of a function, run with ``ctx``, ``given`` and ``internal``.
Its value or its failure is the one that the source beside it states.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from runner.grading.backends import Backend
from runner.grading.backends.base import Deployment
from runner.grading.backends.client import BackendClient, FunctionError
from runner.grading.workspace import create_workspace
from tests.runner.grading.backends.conftest import project

pytestmark = pytest.mark.integration

TABLE: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "probes.json").read_text("utf-8")
)
PATHS = {"query": "probe:read", "mutation": "probe:write", "action": "probe:act"}


@pytest.fixture(scope="module")
def deployed(embedded: Backend) -> Iterator[Deployment]:
    """The project whose functions run the code of a probe."""
    with create_workspace() as workspace:
        workspace.write(project("probes"))
        with embedded.deploy(workspace, 60) as deployment:
            yield deployment


@pytest.fixture
def client(deployed: Deployment) -> Iterator[BackendClient]:
    """A client of an empty deployment."""
    with BackendClient(deployed.address) as client:
        client.reset()
        yield client


@pytest.mark.parametrize("probe", TABLE["probes"], ids=lambda probe: probe["name"])
def test_a_function_gets_what_the_real_backend_gives(
    client: BackendClient, probe: dict[str, Any]
) -> None:
    """A probe returns its value, or fails with its words."""
    assert probe["source"] in TABLE["sources"]
    kind, args = probe["kind"], {"code": probe["code"], "given": probe.get("given")}
    if "fails" in probe:
        with pytest.raises(FunctionError) as raised:
            client.call(kind, PATHS[kind], args)
        assert probe["fails"] in raised.value.message
    else:
        assert client.call(kind, PATHS[kind], args).value == probe["value"]


def test_a_body_goes_on_after_its_head(client: BackendClient) -> None:
    """An HTTP action writes, waits and runs mutations until its body has ended."""
    answer = client.http("GET", "/pieces")
    assert (answer.status, answer.body) == (200, b"piece 1;piece 2;piece 3;")
    assert [row["n"] for row in client.documents("things")] == [1, 2, 3]


def test_a_query_or_mutation_may_not_compute_for_long(client: BackendClient) -> None:
    """A call that computes for longer than the limit of processor time fails."""
    client.lower_limits({"computingMs": 50})
    loop = "for (let i = 0, sum = 0; i < 1e9; i++) sum += Math.sqrt(i);"
    with pytest.raises(FunctionError, match=r"timed out \(maximum duration: 1s\)"):
        client.mutation("probe:write", {"code": loop, "given": None})
    insert = "await ctx.db.insert('things', {}); return true;"
    assert client.mutation("probe:write", {"code": insert, "given": None}) is True


def test_pages_join_over_a_cursor(client: BackendClient) -> None:
    """Pages of a query have each row once, in both directions, whatever is written between."""
    for order in ("asc", "desc"):
        client.reset()
        client.insert("notes", [{"rank": float(n)} for n in range(7)])
        code = (
            f"return ctx.db.query('notes').withIndex('by_rank').order('{order}')"
            ".paginate({ numItems: 3, cursor: given });"
        )
        ranks: list[float] = []
        cursor, is_done = None, False
        while not is_done:
            page = client.query("probe:read", {"code": code, "given": cursor})
            ranks += [row["rank"] for row in page["page"]]
            cursor, is_done = page["continueCursor"], page["isDone"]
        assert ranks == sorted(map(float, range(7)), reverse=order == "desc")


def test_a_cursor_of_another_query_begins_pagination_anew(client: BackendClient) -> None:
    """The error carries the data by which `usePaginatedQuery` starts again."""
    page = "return (await ctx.db.query('notes').paginate({ numItems: 1, cursor: given }))"
    client.insert("notes", [{"rank": 1.0}, {"rank": 2.0}])
    cursor = client.query("probe:read", {"code": f"{page}.continueCursor", "given": None})
    other = page.replace(".paginate", ".order('desc').paginate")
    with pytest.raises(FunctionError, match="different query") as raised:
        client.query("probe:read", {"code": other, "given": cursor})
    assert raised.value.data == {"isConvexSystemError": True, "paginationError": "InvalidCursor"}


def test_the_limit_of_rows_holds_where_they_are_taken(client: BackendClient) -> None:
    """A function may read as many rows as its limit, and fails with the next one."""
    client.insert("notes", [{"rank": float(n)} for n in range(40)])
    client.lower_limits({"documentsRead": 20})
    take = "return (await ctx.db.query('notes').take(given)).length"
    assert client.query("probe:read", {"code": take, "given": 20.0}) == 20
    with pytest.raises(FunctionError, match=r"Too many documents read .*limit: 20"):
        client.query("probe:read", {"code": take, "given": 21.0})
