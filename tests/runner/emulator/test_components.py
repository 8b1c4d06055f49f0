"""Components: tables, calls, HTTP actions and files of their own, from the app and from outside."""

import json
from typing import Any, cast

import pytest

from runner.backends.backend import Backend, Deployment
from runner.backends.client import ADMIN, ANYBODY, BackendClient, Caller, FunctionError
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import (
    deploy_files,
    list_tables,
    open_client,
    post_json,
    read_project,
)

pytestmark = pytest.mark.integration
PROJECT = "components"
"""Two counters, each with a component ``audit`` of its own."""
ADA = Caller(user={"subject": "ada", "issuer": "https://test"})


def test_instances_of_a_component_have_tables_of_their_own(app: BackendClient) -> None:
    """No other instance sees a write, nor does the app's table of the same name."""
    app.call("mutation", "app:add", {"name": "a"})
    assert app.call("query", "app:read", {"name": "a"}) == [1, 0]
    assert app.call("query", "app:own", {}) == []


def test_a_failed_mutation_of_a_component_is_taken_back_alone(app: BackendClient) -> None:
    """The caller keeps its own writes and those of earlier calls, and continues."""
    assert "the counter failed" in app.call("mutation", "app:addAndCatch", {})
    assert app.call("query", "app:own", {}) == ["before", "after"]
    assert app.call("query", "app:read", {"name": "a"}) == [1, 0]
    assert app.call("query", "app:history", {}) == ["a+1"]


def test_a_failed_mutation_of_the_app_takes_its_components_with_it(app: BackendClient) -> None:
    """A call into a component is a part of the caller's transaction."""
    with pytest.raises(FunctionError, match="the app failed"):
        app.call("mutation", "app:addAndFail", {})
    assert app.call("query", "app:read", {"name": "a"}) == [0, 0]
    assert app.call("query", "app:history", {}) == []


def test_ids_of_a_component_mean_nothing_to_the_app(app: BackendClient) -> None:
    """The app's table of the same name has no document with such an id."""
    assert app.call("mutation", "app:foreignId", {}) is None


def test_components_have_the_variables_that_they_are_passed(app: BackendClient) -> None:
    """A component has values or variables that the app passes, and the addresses, but no others."""
    app.call_control("env", {"name": "STEP", "value": "two"})
    app.call_control("env", {"name": "SECRET", "value": "hidden"})
    first, second = cast("list[dict[str, object]]", app.call("query", "app:environments", {}))
    assert (first["label"], first["step"], first["secret"]) == ("first", "two", None)
    assert (second["label"], second["step"], second["secret"]) == ("second", None, None)
    assert str(first["site"]).startswith("http://")


def test_components_do_not_know_who_calls(app: BackendClient) -> None:
    """The app passes the identity on as an argument."""
    assert app.call("query", "app:identities", {}, ADA) == ["ada", None]
    assert app.call("action", "app:identitiesInAction", {}, ADA) == ["ada", None, None]


def test_a_component_calls_back_by_a_handle(app: BackendClient) -> None:
    """A handle of an internal function of the app runs it among the app's tables."""
    app.call("mutation", "app:passHandle", {"text": "called back"})
    assert app.call("query", "app:own", {}) == ["called back"]


def test_a_handle_names_its_function(app: BackendClient) -> None:
    """A handle has the path of its function; handles of the real backend are random."""
    assert app.call("mutation", "app:handles", {}) == [
        "function://;app:note",
        "function://counter;public:add",
    ]


def test_scheduled_calls_run_in_their_component(app: BackendClient) -> None:
    """A job is listed by the component that scheduled it, and runs where its function belongs."""
    app.call("mutation", "app:schedule", {"name": "b", "ms": 1000})
    own, of_counter = cast("list[list[object]]", app.call("query", "app:jobs", {}))
    assert own == ["public.js:add"]
    assert of_counter == [{"name": "public.js:addNow", "state": "pending"}]
    assert app.call("query", "app:read", {"name": "b"}) == [0, 0]
    app.advance_to(app.read_time() + 2)
    assert app.call("query", "app:read", {"name": "b"}) == [100, 1]
    jobs = cast("list[list[object]]", app.call("query", "app:jobs", {}))
    assert jobs[1] == [{"name": "public.js:addNow", "state": "success"}]


def test_crons_of_a_component_run_in_each_instance(app: BackendClient) -> None:
    """The app has no cron of its own."""
    assert Convex(app).crons == {}
    app.advance_to(app.read_time() + 3700)
    assert app.call("query", "app:read", {"name": "cron"}) == [100, 100]


def test_a_component_has_files_of_its_own(app: BackendClient) -> None:
    """Any client can read the file at its address, but the app does not list it."""
    url = app.call("action", "app:keep", {"text": "kept"})
    assert app.send_http("GET", str(url)).body == b"kept"
    assert app.call("query", "app:files", {}) == [0, 1]


def test_a_file_that_a_failed_mutation_deleted_is_still_there(app: BackendClient) -> None:
    """The file's bytes are deleted when the whole transaction is through."""
    url = app.call("action", "app:keep", {"text": "kept"})
    assert "the deletion failed" in str(app.call("mutation", "app:dropAndCatch", {}))
    assert app.call("query", "app:files", {}) == [0, 1]
    assert app.send_http("GET", str(url)).body == b"kept"


def test_a_reset_empties_components(app: BackendClient) -> None:
    """No data of a test is left for the next test."""
    app.call("mutation", "app:add", {"name": "a"})
    app.call_control("reset")
    assert app.call("query", "app:read", {"name": "a"}) == [0, 0]


def test_clients_reach_functions_of_the_app_only(app: BackendClient) -> None:
    """A component's folder holds no modules of the app."""
    names = {
        spec["identifier"]
        for spec in app.call_system("query", "cli/modules:apiSpec")
        if "identifier" in spec
    }
    assert names
    assert all(name.startswith("app.js:") for name in names)
    for path in ("counter/public:read", "public:read"):
        with pytest.raises(FunctionError, match="Could not find public function"):
            app.call("query", path, {"name": "a"})


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing.public.read", 'Child component "missing" not found'),
        (
            "counter.public.missing",
            'Child component "counter" does not export ["public","missing"]',
        ),
        (
            "counter.public.addNow",
            'Child component "counter" does not export ["public","addNow"]',
        ),
        ("audit.log.list", 'Child component "audit" not found'),
    ],
)
def test_only_public_functions_of_children_are_reached(
    app: BackendClient, path: str, words: str
) -> None:
    """Missing and internal functions, and children of children, are out of reach."""
    with pytest.raises(FunctionError) as failure:
        app.call("query", "app:wrong", {"path": path})
    assert words in str(failure.value)


def test_a_component_checks_its_arguments(app: BackendClient) -> None:
    """The caller gets the callee's error."""
    with pytest.raises(FunctionError, match="ArgumentValidationError"):
        app.call("mutation", "app:wrongArguments", {})


def test_queries_of_components_cannot_paginate(app: BackendClient) -> None:
    """The real backend has no journal for them."""
    with pytest.raises(FunctionError, match=r"paginate\(\) is only supported in the app\."):
        app.call("query", "app:page", {})


def test_mutations_of_components_can_paginate(app: BackendClient) -> None:
    """Packages of components need such pages, though the real backend's source refuses them."""
    app.call("mutation", "app:add", {"name": "a"})
    page = app.call("mutation", "app:pageInMutation", {})
    assert [row["name"] for row in page["page"]] == ["a"]


MOUNTED = read_project("routes")


def test_components_answer_http_below_their_prefix(embedded: Backend) -> None:
    """The router gets the rest of the path, the handler the whole address."""
    with (
        deploy_files(embedded, MOUNTED) as deployment,
        BackendClient(deployment.address) as client,
    ):
        site = deployment.address.site_origin
        expected = {
            "/hello": ["app", "/hello", site, None],
            "/under/a": ["app", "/under/a", site, None],
            "/partial": None,
            "/part/hello": ["part", "/part/hello", f"{site}/part", None],
            "/part/under/a": ["part", "/part/under/a", f"{site}/part", None],
            "/part/missing": None,
            "/part": None,
            "/part/inner/hello": ["inner", "/part/inner/hello", f"{site}/part/inner", None],
            "/inner/hello": None,
            "/mute/hello": None,
        }
        answers = {path: client.send_http("GET", path) for path in expected}
        assert {
            path: answer.json() if answer.status == 200 else None
            for path, answer in answers.items()
        } == expected
        assert {answer.status for answer in answers.values()} == {200, 404}


def test_the_prefix_of_an_app_moves_its_own_routes(embedded: Backend) -> None:
    """Routes of the app's http.ts lie below it; prefixes of components stay where they are."""
    files = MOUNTED | {
        "convex/convex.config.ts": MOUNTED["convex/convex.config.ts"].replace(
            "defineApp()", 'defineApp({ httpPrefix: "/api/own" })'
        )
    }
    with open_client(embedded, files) as client:
        paths = ("/hello", "/api/own", "/api/own/hello", "/api/own/under/a", "/part/hello")
        answers = {path: client.send_http("GET", path) for path in paths}
        assert [answer.status for answer in answers.values()] == [404, 404, 200, 200, 200]
        owner, path, *_ = answers["/api/own/hello"].json()
        assert (owner, path) == ("app", "/api/own/hello")
        assert answers["/part/hello"].json()[0] == "part"


def test_an_exact_route_or_a_longer_prefix_comes_before_a_component(embedded: Backend) -> None:
    """The most specific of the app's routes and the components' prefixes answers."""
    more = """
http.route({ path: "/part/hello", method: "GET", handler });
http.route({ pathPrefix: "/part/under/deep/", method: "GET", handler });
http.route({ pathPrefix: "/par/", method: "GET", handler });
http.route({ path: "/part/posted", method: "POST", handler });
"""
    ending = "export default http;"
    routes = MOUNTED["convex/http.ts"].replace(ending, more + ending)
    with open_client(embedded, MOUNTED | {"convex/http.ts": routes}) as client:
        owners = {
            path: client.send_http("GET", path).json()[0]
            for path in ("/part/hello", "/part/under/a", "/part/under/deep/a", "/par/a")
        }
        assert owners == {
            "/part/hello": "app",
            "/part/under/a": "part",
            "/part/under/deep/a": "app",
            "/par/a": "app",
        }
        assert client.send_http("GET", "/part/posted").status == 404


def test_a_component_may_lie_beside_the_functions(embedded: Backend) -> None:
    """The folder is found by the import of its definition, with any file ending."""
    files = {
        "convex/convex.config.ts": 'import { defineApp } from "convex/server";\n'
        'import part from "../parts/part/convex.config";\n\n'
        "const app = defineApp();\napp.use(part);\nexport default app;",
        "convex/a.ts": 'import { components } from "./_generated/api";\n'
        'import { query } from "./_generated/server";\nexport const a = query({ args: {}, '
        "handler: (ctx): Promise<number> => ctx.runQuery(components.part.index.one, {}) });",
        "parts/part/convex.config.js": 'import { defineComponent } from "convex/server";\n'
        'export default defineComponent("part");\n',
        "parts/part/index.ts": 'import { query } from "./_generated/server";\n'
        "export const one = query({ args: {}, handler: () => 1 });",
    }
    with open_client(embedded, files) as client:
        assert client.call("query", "a:a") == 1


def call_function(
    deployment: Deployment, path: str, caller: Caller = ADMIN, **asked: object
) -> tuple[int, dict[str, Any]]:
    """Call ``/api/function``, as the command line calls functions of components."""
    answer = post_json(
        deployment, "function", {"args": {}, "format": "json", "path": path, **asked}, caller
    )
    return answer.status, answer.json()


def test_the_key_reaches_functions_of_components(
    deployment: Deployment, app: BackendClient
) -> None:
    """With a `componentPath` public and internal functions of any component answer."""
    name = {"name": "cron"}
    call_function(deployment, "public:addNow", args=name, componentPath="other")
    assert app.call("query", "app:read", name) == [0, 100]
    status, answer = call_function(deployment, "public:read", args=name, componentPath="other")
    assert (status, answer["status"], answer["value"]) == (200, "success", 100)
    app.call("mutation", "app:add", {"name": "a"})
    _, answer = call_function(deployment, "log:list", componentPath="counter/audit")
    assert answer["value"] == ["a+1"]
    _, answer = call_function(deployment, "app:read", args=name, componentPath="")
    assert answer["value"] == [0, 100]


@pytest.mark.parametrize(
    ("caller", "component", "words"),
    [
        (ADA, "counter", "You don't have permission"),
        (ADMIN, "counter/missing", 'Component "counter/missing" not found'),
        (ADMIN, "audit", 'Component "audit" not found'),
    ],
)
def test_nobody_else_reaches_functions_of_components(
    deployment: Deployment, caller: Caller, component: str, words: str
) -> None:
    """The call of a user, or with a path without a component, fails."""
    fields = {"args": {"name": "a"}, "componentPath": component}
    _, answer = call_function(deployment, "public:read", caller, **fields)
    assert answer["status"] == "error"
    assert words in answer["errorMessage"]


@pytest.mark.parametrize(
    "asked", [{}, {"componentPath": ""}, {"componentPath": "counter"}, {"componentPath": "none"}]
)
def test_functions_of_any_kind_need_the_key(
    deployment: Deployment, asked: dict[str, object]
) -> None:
    """Without the key every request is refused, also for the app; acting as a user includes it."""
    status, answer = call_function(deployment, "app:own", ANYBODY, **asked)
    assert (status, answer["code"]) == (403, "BadDeployKey")
    assert answer["message"].startswith("The provided deploy key was invalid for this deployment.")
    assert call_function(deployment, "app:own", ADA)[0] == 200


def test_a_function_by_its_path_is_the_apps(deployment: Deployment) -> None:
    """`/api/run` needs no key, and leads into no component."""
    call = {"args": {"name": "a"}, "componentPath": "counter"}
    own = post_json(deployment, "run/app/read", call).json()
    of_component = post_json(deployment, "run/public/read", call, ADMIN).json()
    assert own["status"] == "success"
    assert "Could not find function for 'public:read'" in of_component["errorMessage"]


def test_system_functions_read_tables_of_components(
    deployment: Deployment, app: BackendClient
) -> None:
    """A component is named by its path, or by its id among the arguments."""
    app.call("mutation", "app:add", {"name": "a"})
    _, answer = call_function(deployment, "_system/frontend/components:list")
    paths = {component["path"]: component["id"] for component in answer["value"]}
    assert set(paths) == {"", "counter", "counter/audit", "other", "other/audit"}
    # The real backend has a document of a system table for each.
    by_id: dict[str, object] = {"id": paths["counter"]}
    _, document = call_function(deployment, "_system/frontend/getById", args=by_id)
    assert document["value"] is None
    names = {component["path"]: component["name"] for component in answer["value"]}
    assert (names[""], names["counter/audit"]) == (None, "audit")
    _, answer = call_function(deployment, "_system/frontend/modules:listForAllComponents")
    modules = {component: dict(listed).keys() for component, listed in answer["value"]}
    assert modules.keys() == {None, *paths.values()} - {paths[""]}
    assert "log.js" in modules[paths["counter/audit"]]
    scan = "_system/frontend/listTableScan"
    counts: dict[str, object] = {"table": "counts", "limit": 5}
    _, answer = call_function(deployment, scan, args=counts, componentPath="counter")
    assert [row["value"] for row in answer["value"]] == [1]
    _, answer = call_function(deployment, scan, args={**counts, "componentId": paths["other"]})
    assert answer["value"] == []
    _, answer = call_function(deployment, scan, args={**counts, "componentId": None})
    assert answer["value"] == []
    _, answer = call_function(deployment, "_system/cli/modules:apiSpec", componentPath="counter")
    names = {spec["identifier"] for spec in answer["value"]}
    assert "public.js:read" in names
    _, answer = call_function(
        deployment, "_system/frontend/getSchemas", args={"componentId": paths["counter"]}
    )
    (table,) = json.loads(answer["value"]["active"])["tables"]
    assert (table["tableName"], table["indexes"][0]["fields"]) == (
        "counts",
        ["name", "_creationTime"],
    )
    _, answer = call_function(
        deployment, scan, args={**counts, "componentId": "00000000000000000000000000none"}
    )
    assert answer["status"] == "error"


def test_system_functions_change_a_component_alone(
    deployment: Deployment, app: BackendClient
) -> None:
    """Documents, crons and jobs of a component are its own."""
    documents = [{"name": "a", "value": 5.0}]
    _, answer = call_function(
        deployment,
        "_system/frontend/addDocument",
        args={"table": "counts", "documents": documents},
        componentPath="other",
    )
    assert answer["value"]["success"] is True
    assert app.call("query", "app:read", {"name": "a"}) == [0, 5]
    crons = "_system/frontend/listCronJobs"
    _, answer = call_function(deployment, crons, componentPath="other")
    assert [job["name"] for job in answer["value"]] == ["count on"]
    _, answer = call_function(deployment, crons)
    assert answer["value"] == []


def test_a_client_looks_into_a_component(app: BackendClient) -> None:
    """The component's tables, functions and jobs are read and written beside the app's."""
    inside = app.in_component("other")
    (row,) = inside.insert("counts", [{"name": "a", "value": 3.0}])
    assert app.call("query", "app:read", {"name": "a"}) == [0, 3]
    assert [document["_id"] for document in inside.list_documents("counts")] == [row]
    assert app.in_component("counter").list_documents("counts") == []
    assert app.list_documents("counts") == []
    assert list_tables(inside) == ["counts"]
    assert list_tables(app.in_component("counter/audit")) == []
    app.insert("counts", [{"text": "of the app"}])
    app.call("mutation", "app:add", {"name": "d"})
    assert list_tables(app.in_component("counter/audit")) == ["lines"]
    assert inside.call("query", "public:read", {"name": "a"}, ADMIN) == 3
    inside.call("mutation", "public:addNow", {"name": "b"}, ADMIN)
    assert app.call("query", "app:read", {"name": "b"}) == [0, 100]
    assert list(Convex(inside).crons) == ["count on"]
    app.call("mutation", "app:schedule", {"name": "c", "ms": 5000})
    assert [
        job["name"] for job in app.in_component("counter").list_documents("_scheduled_functions")
    ] == ["public.js:addNow"]
    with pytest.raises(FunctionError, match='Component "none" not found'):
        app.in_component("none").list_documents("counts")
