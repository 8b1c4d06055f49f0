"""The embedded backend against the documents and the source of the real backend.

``probes.json`` has four tables. A probe of a function is a function body, run with ``ctx``,
``given`` and ``internal``, or the path of a function of the project or of the system; the source
beside it states its value, log lines or failure. A probe of the HTTP API is a request, a probe of a
deploy is files that are refused. The last table has differences that remain.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runner.backends.backend import Backend, Deployment
from runner.backends.client import ADMIN, ANYBODY, BackendClient, Caller, FunctionError
from tests.runner.emulator.conftest import find_refusal, read_logs
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "probes.json").read_text("utf-8"))
DOCUMENT = Path(__file__).parents[3] / "docs" / "backend.md"
PATHS = {"query": "probe:read", "mutation": "probe:write", "action": "probe:act"}


PROJECT = "probes"
"""The project whose functions run the code of a probe."""


def choose_caller(probe: dict[str, Any]) -> Caller:
    """Return the caller: an anonymous app, the holder of the key, or a user."""
    if "user" in probe:
        return Caller(admin=True, user=probe["user"])
    return ADMIN if probe.get("key") else ANYBODY


def test_each_probe_has_a_name_of_its_own_and_a_source() -> None:
    """No probe replaces another probe of the same name, and each is of a listed source."""
    probes = [*TABLE["probes"], *TABLE["requests"], *TABLE["deploys"]]
    assert len({probe["name"] for probe in probes}) == len(probes)
    assert {probe["source"] for probe in probes} <= set(TABLE["sources"])


@pytest.mark.parametrize("probe", TABLE["probes"], ids=lambda probe: probe["name"])
def test_a_function_gets_the_values_of_the_real_backend(
    app: BackendClient, deployment: Deployment, probe: dict[str, Any]
) -> None:
    """A probe returns its value, logs its lines, or fails with its words and data."""
    check(app, deployment, probe)


def check(app: BackendClient, deployment: Deployment, probe: dict[str, Any]) -> None:
    """Run the probe of a function, and compare the result with the probe's own."""
    kind, caller = probe["kind"], choose_caller(probe)
    path = probe.get("path", PATHS[kind])
    args = {"code": probe["code"], "given": probe.get("given")} if "code" in probe else {}
    args = probe.get("args", args)
    if "fails" in probe:
        with pytest.raises(FunctionError) as raised:
            app.call(kind, path, args, caller)
        assert probe["fails"] in raised.value.message
        assert raised.value.data == probe.get("data")
        return
    value = app.call(kind, path, args, caller)
    if "then" in probe:
        app.advance_to(app.read_time() + probe.get("seconds", 0.0))
        value = app.call("query", "probe:read", {"code": probe["then"], "given": value})
    assert value == probe["value"]
    if "logs" in probe:
        assert read_logs(deployment, kind, path, args) == probe["logs"]


SOME_DEPLOYS = (
    *("an_interval_of_two_units", "a_cron_expression_that_is_none", "a_route_with_neither"),
    *("a_table_of_objects_and_text", "an_index_into_a_record", "two_vector_indexes_of_one_field"),
    *("sixty_five_indexes", "a_filter_field_that_is_not_there", "a_mutation_in_node"),
    *("a_missing_package", "a_request_while_a_module_loads", "a_provider_of_an_unknown_type"),
    *("an_issuer_of_many_applications", "a_function_with_a_hyphen", "an_empty_schema"),
    *("hyphen_in_a_folder", "cron_of_a_query", "cron_that_never_comes", "no_router"),
    *("comments_and_a_directive", "component_of_itself", "component_no_definition"),
    *("component_variable_without_a_value", "keys_at_import", "ends_its_process_at_import"),
    *("providers_that_are_no_list", "crons_without_an_export"),
)
"""A refused deploy of each kind."""


@pytest.mark.parametrize("probe", TABLE["requests"], ids=lambda probe: probe["name"])
def test_the_http_api_answers_as_the_real_one(
    app: BackendClient, deployment: Deployment, probe: dict[str, Any]
) -> None:
    """A request gets its status, its headers and its body."""
    if "before" in probe:
        app.call("mutation", "probe:write", {"code": probe["before"], "given": None})
    path, body = probe["path"], probe.get("body")
    origin = (
        deployment.address.origin if path.startswith("/api") else deployment.address.site_origin
    )
    content = body if isinstance(body, str | None) else json.dumps(body)
    answer = app.send_http(
        probe["method"],
        origin + path,
        body=None if content is None else content.encode(),
        headers={"content-type": "application/json", **probe.get("headers", {})},
        caller=choose_caller(probe),
    )
    assert answer.status == probe["status"], answer.body
    if "json" in probe:
        assert json.loads(answer.body) == probe["json"]
    if "text" in probe:
        assert answer.body.decode() == probe["text"]
    for part in probe.get("contains", ()):
        assert part in answer.body.decode()
    for name, value in probe.get("answered", {}).items():
        assert answer.headers[name] == value


@pytest.mark.parametrize(
    "probe", leave_to_more({each["name"]: each for each in TABLE["deploys"]}, but=SOME_DEPLOYS)
)
def test_a_deploy_is_refused_as_by_the_real_one(embedded: Backend, probe: dict[str, Any]) -> None:
    """Files are refused with the words of the real deploy, or of Convex's own package."""
    assert probe["fails"] in find_refusal(embedded, probe["files"])


@pytest.mark.more
@pytest.mark.parametrize("probe", TABLE["differences"], ids=lambda probe: probe["row"])
def test_a_difference_is_the_documented_one(
    app: BackendClient, deployment: Deployment, probe: dict[str, Any]
) -> None:
    """The embedded backend still differs as a row of docs/backend.md states."""
    assert f"\n| {probe['row']} | " in DOCUMENT.read_text("utf-8")
    check(app, deployment, probe)


def test_a_query_is_run_again_without_a_change(app: BackendClient) -> None:
    """The real backend would answer from its cache, with the time of the first call."""
    first = app.call("query", "runtime:clock")
    app.advance_to(app.read_time() + 1)
    assert app.call("query", "runtime:clock") != first


def test_mutations_run_once_one_after_the_other(app: BackendClient) -> None:
    """The real backend would run some mutations again, since they read rows of the others."""
    code = (
        "console.log('ran'); const n = (await ctx.db.query('things').collect()).length;"
        "await ctx.db.insert('things', { n }); return n;"
    )
    app.take_log()  # the lines of earlier tests
    with ThreadPoolExecutor(8) as threads:
        calls = [
            threads.submit(app.call, "mutation", "probe:write", {"code": code, "given": None})
            for _ in range(8)
        ]
        numbers = [call.result() for call in calls]
    assert sorted(numbers) == list(range(8))
    assert app.take_log() == ("mutation probe:write: [LOG] 'ran'",) * 8


def test_a_time_formatted_without_a_date_is_that_of_the_machine(app: BackendClient) -> None:
    """`Intl.DateTimeFormat` does not follow a clock that was moved; `Date` does."""
    app.advance_to(app.read_time() + 400 * 24 * 3600)
    code = (
        "const year = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: 'UTC' });"
        "return [Number(year.format()), Number(year.format(new Date()))];"
    )
    bare, dated = app.call("query", "probe:read", {"code": code, "given": None})
    assert dated > bare


def test_code_that_takes_over_its_process_may_understate_its_reads(app: BackendClient) -> None:
    """Rows that a function took are counted by its own process."""
    app.insert("notes", [{"rank": float(n)} for n in range(60)])
    app.call_control("limits", {"documentsRead": 20})
    take = (
        "let rows = 0; for (let n = 0; n < 5; n++)"
        "rows += (await ctx.db.query('notes').take(10)).length; return rows;"
    )
    with pytest.raises(FunctionError, match="Too many documents read"):
        app.call("query", "probe:read", {"code": take, "given": None})
    deceive = (
        "const stringify = JSON.stringify;"
        "JSON.stringify = (value, ...rest) => stringify("
        "Array.isArray(value?.taken) ? { ...value, taken: [] } : value, ...rest);"
    )
    assert app.call("query", "probe:read", {"code": deceive + take, "given": None}) == 50


def test_arguments_of_an_action_of_the_nodejs_runtime_are_smaller(app: BackendClient) -> None:
    """They have at most 5 MiB, from a client and from a function, and others 16 MiB."""
    large = "x" * (5 * 2**20)
    assert app.call("action", "nodes:measure", {"text": large[:-100]}) == len(large) - 100
    refusal = r"^\[Request ID: \w+\] Server Error\nNode actions arguments size is too large"
    with pytest.raises(FunctionError, match=refusal):
        app.call("action", "nodes:measure", {"text": large})
    code = "await ctx.runAction(api.nodes.measure, { text: 'ä'.repeat(3 * 2 ** 20) })"
    with pytest.raises(FunctionError, match="Node actions arguments size is too large"):
        app.call("action", "probe:act", {"code": code, "given": None})
    assert app.call("action", "probe:act", {"code": "return given[0]", "given": large}) == "x"


def test_a_body_goes_on_after_its_head(app: BackendClient) -> None:
    """An HTTP action writes, waits and runs mutations until its body has ended."""
    answer = app.send_http("GET", "/pieces")
    assert (answer.status, answer.body) == (200, b"piece 1;piece 2;piece 3;")
    assert [row["n"] for row in app.list_documents("things")] == [1, 2, 3]


@pytest.mark.more
def test_a_query_or_mutation_may_not_compute_for_long(app: BackendClient) -> None:
    """A call that computes for longer than the limit of processor time fails."""
    app.call_control("limits", {"computingMs": 50})
    loop = "for (let i = 0, sum = 0; i < 1e9; i++) sum += Math.sqrt(i);"
    with pytest.raises(FunctionError, match=r"timed out \(maximum duration: 1s\)"):
        app.call("mutation", "probe:write", {"code": loop, "given": None})
    insert = "await ctx.db.insert('things', {}); return true;"
    assert app.call("mutation", "probe:write", {"code": insert, "given": None}) is True


def test_a_long_line_is_cut(deployment: Deployment) -> None:
    """A line has a limit of bytes after its level, and a mark of the cut."""
    code = "console.log('é'.repeat(30_000)); console.log('x'.repeat(100))"
    long, short = read_logs(deployment, "query", "probe:read", {"code": code, "given": None})
    line = long.removeprefix("[LOG] ").removesuffix(" (truncated due to length)")
    assert len(line.encode()) in {32_767, 32_768}
    assert short == f"[LOG] '{'x' * 100}'"


def test_pages_join_over_a_cursor(app: BackendClient) -> None:
    """Pages of a query have each row once, in both directions, with any writes between."""
    for order in ("asc", "desc"):
        app.call_control("reset")
        app.insert("notes", [{"rank": float(n)} for n in range(7)])
        code = (
            f"return ctx.db.query('notes').withIndex('by_rank').order('{order}')"
            ".paginate({ numItems: 3, cursor: given });"
        )
        ranks: list[float] = []
        cursor, is_done = None, False
        while not is_done:
            page = app.call("query", "probe:read", {"code": code, "given": cursor})
            ranks += [row["rank"] for row in page["page"]]
            cursor, is_done = page["continueCursor"], page["isDone"]
        assert ranks == sorted(map(float, range(7)), reverse=order == "desc")


def test_a_cursor_of_another_query_begins_pagination_anew(app: BackendClient) -> None:
    """The error has the data by which `usePaginatedQuery` starts again."""
    page = "return (await ctx.db.query('notes').paginate({ numItems: 1, cursor: given }))"
    app.insert("notes", [{"rank": 1.0}, {"rank": 2.0}])
    cursor = app.call("query", "probe:read", {"code": f"{page}.continueCursor", "given": None})
    other = page.replace(".paginate", ".order('desc').paginate")
    with pytest.raises(FunctionError, match="different query") as raised:
        app.call("query", "probe:read", {"code": other, "given": cursor})
    assert raised.value.data == {"isConvexSystemError": True, "paginationError": "InvalidCursor"}


def test_the_limit_of_rows_holds_where_they_are_taken(app: BackendClient) -> None:
    """A function may read as many rows as its limit, and fails with the next row."""
    app.insert("notes", [{"rank": float(n)} for n in range(40)])
    app.call_control("limits", {"documentsRead": 20})
    take = "return (await ctx.db.query('notes').take(given)).length"
    assert app.call("query", "probe:read", {"code": take, "given": 20.0}) == 20
    with pytest.raises(FunctionError, match=r"Too many documents read .*limit: 20"):
        app.call("query", "probe:read", {"code": take, "given": 21.0})
