"""Components seen from outside: with the key, and by system functions."""

import json
from typing import Any

import pytest

from runner.backends.backend import Deployment
from runner.backends.client import ADMIN, ANYBODY, BackendClient, Caller, FunctionError
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import list_tables

pytestmark = pytest.mark.integration

PROJECT = "components"
"""Two counters, each with a component ``audit`` of its own."""
ADA = Caller(user={"subject": "ada", "issuer": "https://test"})


def call_function(
    deployment: Deployment, path: str, caller: Caller = ADMIN, **asked: object
) -> tuple[int, dict[str, Any]]:
    """Call ``/api/function``, as the command line calls functions of components."""
    body = json.dumps({"args": {}, "format": "json", "path": path, **asked}).encode()
    with BackendClient(deployment.address) as client:
        url = f"{deployment.address.origin}/api/function"
        headers = {"content-type": "application/json"}
        answer = client.send_http("POST", url, body=body, headers=headers, caller=caller)
    return answer.status, json.loads(answer.body)


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
    body = json.dumps({"args": {"name": "a"}, "componentPath": "counter"}).encode()
    with BackendClient(deployment.address) as client:
        answers = [
            client.send_http(
                "POST",
                f"{deployment.address.origin}/api/run/{path}",
                body=body,
                headers={"content-type": "application/json"},
                caller=caller,
            )
            for path, caller in (("app/read", ANYBODY), ("public/read", ADMIN))
        ]
    own, of_component = (json.loads(answer.body) for answer in answers)
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
