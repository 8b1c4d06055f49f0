"""Components: tables, calls and variables between an app and its components."""

from typing import cast

import pytest

from runner.backends.client import BackendClient, Caller, FunctionError
from runner.grading.fixtures.convex import Convex

pytestmark = pytest.mark.integration

PROJECT = "components"
"""Two counters, each with a component ``audit`` of its own."""


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
    ada = Caller(user={"subject": "ada", "issuer": "https://test"})
    assert app.call("query", "app:identities", {}, ada) == ["ada", None]
    assert app.call("action", "app:identitiesInAction", {}, ada) == ["ada", None, None]


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
