"""Components: tables, calls and variables between an app and its components."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from runner.errors import DeployFailedError
from runner.grading.backends import Backend
from runner.grading.backends.base import Deployment
from runner.grading.backends.client import ADMIN, ANYBODY, BackendClient, Caller, FunctionError
from runner.grading.workspace import create_workspace
from tests.runner.grading.backends.conftest import deployed_project, emptied

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """The project ``components``: two counters, each with a component ``audit`` of its own."""
    with deployed_project(embedded, "components") as deployment:
        yield deployment


@pytest.fixture
def app(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of the empty app."""
    with emptied(deployment) as client:
        yield client


def test_instances_of_a_component_have_tables_of_their_own(app: BackendClient) -> None:
    """No other instance sees a write, nor does the app's table of the same name."""
    app.mutation("app:add", {"name": "a"})
    assert app.query("app:read", {"name": "a"}) == [1, 0]
    assert app.query("app:own", {}) == []


def test_a_failed_mutation_of_a_component_is_taken_back_alone(app: BackendClient) -> None:
    """The caller goes on with its own writes and those of calls before."""
    assert "the counter failed" in app.mutation("app:addAndCatch", {})
    assert app.query("app:own", {}) == ["before", "after"]
    assert app.query("app:read", {"name": "a"}) == [1, 0]
    assert app.query("app:history", {}) == ["a+1"]


def test_a_failed_mutation_of_the_app_takes_its_components_with_it(app: BackendClient) -> None:
    """A call into a component is a part of the caller's transaction."""
    with pytest.raises(FunctionError, match="the app failed"):
        app.mutation("app:addAndFail", {})
    assert app.query("app:read", {"name": "a"}) == [0, 0]
    assert app.query("app:history", {}) == []


def test_ids_of_a_component_mean_nothing_to_the_app(app: BackendClient) -> None:
    """The app has a table of the same name, in which there is no such document."""
    assert app.mutation("app:foreignId", {}) is None


def test_components_have_the_variables_that_they_are_passed(app: BackendClient) -> None:
    """A value or a variable of the app; nothing else of the app's, and the addresses."""
    app.set_env("STEP", "two")
    app.set_env("SECRET", "hidden")
    first, second = cast("list[dict[str, object]]", app.query("app:environments", {}))
    assert (first["label"], first["step"], first["secret"]) == ("first", "two", None)
    assert (second["label"], second["step"], second["secret"]) == ("second", None, None)
    assert str(first["site"]).startswith("http://")


def test_components_do_not_know_who_calls(app: BackendClient) -> None:
    """The app passes the identity on as an argument."""
    ada = Caller(user={"subject": "ada", "issuer": "https://test"})
    assert app.query("app:identities", {}, ada) == ["ada", None]
    assert app.action("app:identitiesInAction", {}, ada) == ["ada", None, None]


def test_a_component_calls_back_by_a_handle(app: BackendClient) -> None:
    """A handle of an internal function of the app runs it among the app's tables."""
    app.mutation("app:passHandle", {"text": "called back"})
    assert app.query("app:own", {}) == ["called back"]


def test_a_handle_names_its_function(app: BackendClient) -> None:
    """The real backend's are random."""
    assert app.mutation("app:handles", {}) == [
        "function://;app:note",
        "function://counter;public:add",
    ]


def test_scheduled_calls_run_in_their_component(app: BackendClient) -> None:
    """A job is listed by the component that scheduled it, and runs where its function belongs."""
    app.mutation("app:schedule", {"name": "b", "ms": 1000})
    own, of_counter = cast("list[list[object]]", app.query("app:jobs", {}))
    assert own == ["public.js:add"]
    assert of_counter == [{"name": "public.js:addNow", "state": "pending"}]
    assert app.query("app:read", {"name": "b"}) == [0, 0]
    app.advance_to(app.now() + 2)
    assert app.query("app:read", {"name": "b"}) == [100, 1]
    jobs = cast("list[list[object]]", app.query("app:jobs", {}))
    assert jobs[1] == [{"name": "public.js:addNow", "state": "success"}]


def test_crons_of_a_component_run_in_each_instance(app: BackendClient) -> None:
    """The app has none of its own."""
    assert app.crons() == []
    app.advance_to(app.now() + 3700)
    assert app.query("app:read", {"name": "cron"}) == [100, 100]


def test_a_component_has_files_of_its_own(app: BackendClient) -> None:
    """Its file has an address that anybody reads; the app does not list it."""
    url = app.action("app:keep", {"text": "kept"})
    assert app.http("GET", str(url)).body == b"kept"
    assert app.query("app:files", {}) == [0, 1]


def test_a_file_that_a_failed_mutation_deleted_is_still_there(app: BackendClient) -> None:
    """The file's bytes go when the whole transaction is through."""
    url = app.action("app:keep", {"text": "kept"})
    assert "the deletion failed" in str(app.mutation("app:dropAndCatch", {}))
    assert app.query("app:files", {}) == [0, 1]
    assert app.http("GET", str(url)).body == b"kept"


def test_a_reset_empties_components(app: BackendClient) -> None:
    """Nothing of a test is left to the next one."""
    app.mutation("app:add", {"name": "a"})
    app.reset()
    assert app.query("app:read", {"name": "a"}) == [0, 0]


def test_clients_reach_functions_of_the_app_only(app: BackendClient) -> None:
    """A component's folder holds no modules of the app."""
    names = {spec["identifier"] for spec in app.function_spec() if "identifier" in spec}
    assert names
    assert all(name.startswith("app.js:") for name in names)
    for path in ("counter/public:read", "public:read"):
        with pytest.raises(FunctionError, match="Could not find public function"):
            app.query(path, {"name": "a"})


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
        app.query("app:wrong", {"path": path})
    assert words in str(failure.value)


def test_a_component_checks_its_arguments(app: BackendClient) -> None:
    """The caller gets the callee's error."""
    with pytest.raises(FunctionError, match="ArgumentValidationError"):
        app.mutation("app:wrongArguments", {})


def test_queries_of_components_cannot_paginate(app: BackendClient) -> None:
    """The real backend has no journal for them."""
    with pytest.raises(FunctionError, match=r"paginate\(\) is only supported in the app\."):
        app.query("app:page", {})


def test_mutations_of_components_can_paginate(app: BackendClient) -> None:
    """The real backend's source refuses them; packages of components count on it all the same."""
    app.mutation("app:add", {"name": "a"})
    page = app.mutation("app:pageInMutation", {})
    assert [row["name"] for row in page["page"]] == ["a"]


CONFIG = 'import { defineApp } from "convex/server";\n'
LOCAL = f'{CONFIG}import part from "./part/convex.config";\nconst app = defineApp();\n'
PART = 'import { defineComponent } from "convex/server";\n'
OF_ANY_NAME = f'{PART}export default defineComponent("part");\n'

BROKEN = {
    "two_of_a_name": (
        {
            "convex/convex.config.ts": f"{LOCAL}app.use(part);\napp.use(part);\n"
            "export default app;",
            "convex/part/convex.config.ts": OF_ANY_NAME,
        },
        'there are two components named "part"',
    ),
    "of_itself": (
        {
            "convex/convex.config.ts": f"{LOCAL}app.use(part);\nexport default app;",
            "convex/part/convex.config.ts": f'{PART}const part = defineComponent("part");\n'
            "part.use(part);\nexport default part;",
        },
        'the component "part" uses itself',
    ),
    "no_definition": (
        {
            "convex/convex.config.ts": f"{CONFIG}const app = defineApp();\napp.use("
            '{ componentDefinitionPath: "x", defaultName: "x" } as any);\nexport default app;'
        },
        'the definition of the component "x" is not the default export of a convex.config file',
    ),
    "variable_without_a_value": (
        {
            "convex/convex.config.ts": f"{LOCAL}app.use(part as any);\nexport default app;",
            "convex/part/convex.config.ts": f'{PART}import {{ v }} from "convex/values";\n'
            'export default defineComponent("part", { env: { KEY: v.string() } });',
        },
        'the component "part" needs a value for its variable KEY',
    ),
    "node": (
        {
            "convex/convex.config.ts": f"{LOCAL}app.use(part);\nexport default app;",
            "convex/part/convex.config.ts": OF_ANY_NAME,
            "convex/part/a.ts": '"use node";\nexport const a = 1;',
        },
        '"use node" directive is not supported in components. Remove it from the component at:',
    ),
    "no_app": (
        {"convex/convex.config.ts": "export default {};"},
        "the default export is neither defineApp() nor defineComponent()",
    ),
    "prefix_below_another": (
        {
            "convex/convex.config.ts": f'{LOCAL}app.use(part, {{ httpPrefix: "/a" }});\n'
            'app.use(part, { httpPrefix: "/a/b", name: "other" });\nexport default app;',
            "convex/part/convex.config.ts": OF_ANY_NAME,
        },
        "the httpPrefix /a/b/ lies below the httpPrefix /a/",
    ),
    "too_many": (
        {
            "convex/convex.config.ts": LOCAL.replace("./part", "./c0")
            + "app.use(part);\nexport default app;",
            **{
                f"convex/c{n}/convex.config.ts": PART
                + f'import part from "../c{n + 1}/convex.config";\n'
                + f'const own = defineComponent("c{n}");\nown.use(part);\n'
                + 'own.use(part, { name: "other" });\nexport default own;'
                for n in range(12)
            },
            "convex/c12/convex.config.ts": OF_ANY_NAME,
        },
        "There are more than 500 components.",
    ),
    "forged_mount": (
        {
            "convex/convex.config.ts": "export default { export: () => ({ childComponents: [], "
            'httpMounts: { "/a/": "_reference/childComponent/none" } }) };'
        },
        "/a/ is no httpPrefix of a component.",
    ),
    "name_that_is_no_identifier": (
        {
            "convex/convex.config.ts": f'{LOCAL}app.use(part, {{ name: "a-b" }});\n'
            "export default app;",
            "convex/part/convex.config.ts": OF_ANY_NAME,
        },
        '"a-b" is not a valid name of a component',
    ),
}


@pytest.mark.parametrize(("files", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_tree_of_components_is_refused_with_the_reason(
    embedded: Backend, files: dict[str, str], reason: str
) -> None:
    """The deploy fails as the model's failure."""
    with create_workspace() as workspace:
        workspace.write(files)
        with pytest.raises(DeployFailedError) as refusal:
            embedded.deploy(workspace, 30)
        assert reason in str(refusal.value)


def test_a_component_may_lie_beside_the_functions(embedded: Backend) -> None:
    """The folder is found by the import of its definition, whatever its files end with."""
    files = {
        "convex/convex.config.ts": LOCAL.replace("./part", "../parts/part")
        + "app.use(part);\nexport default app;",
        "convex/a.ts": 'import { components } from "./_generated/api";\n'
        'import { query } from "./_generated/server";\nexport const a = query({ args: {}, '
        "handler: (ctx): Promise<number> => ctx.runQuery(components.part.index.one, {}) });",
        "parts/part/convex.config.js": OF_ANY_NAME,
        "parts/part/index.ts": 'import { query } from "./_generated/server";\n'
        "export const one = query({ args: {}, handler: () => 1 });",
    }
    with create_workspace() as workspace:
        workspace.write(files)
        with (
            embedded.deploy(workspace, 30) as deployment,
            BackendClient(deployment.address) as client,
        ):
            assert client.query("a:a") == 1


ROUTES = """
import { httpRouter } from "convex/server";
import { httpAction } from "./_generated/server";
const http = httpRouter();
const handler = httpAction(async (ctx, request) => Response.json([
  "NAME", new URL(request.url).pathname, process.env.CONVEX_SITE_URL,
  await ctx.auth.getUserIdentity(),
]));
http.route({ path: "/hello", method: "GET", handler });
http.route({ pathPrefix: "/under/", method: "GET", handler });
export default http;
"""
MOUNTED = {
    "convex/convex.config.ts": LOCAL.replace(
        "const app", 'import mute from "./mute/convex.config";\nconst app'
    )
    + 'app.use(part, { httpPrefix: "/part" });\napp.use(mute, { httpPrefix: "/mute/" });\n'
    "export default app;",
    "convex/http.ts": ROUTES.replace("NAME", "app"),
    "convex/part/convex.config.ts": f'{PART}import inner from "../inner/convex.config";\n'
    'const part = defineComponent("part");\npart.use(inner, { httpPrefix: "/inner" });\n'
    "export default part;",
    "convex/part/http.ts": ROUTES.replace("NAME", "part"),
    "convex/inner/convex.config.ts": OF_ANY_NAME.replace('"part"', '"inner"'),
    "convex/inner/http.ts": ROUTES.replace("NAME", "inner"),
    "convex/mute/convex.config.ts": OF_ANY_NAME.replace('"part"', '"mute"'),
}


def test_components_answer_http_below_their_prefix(embedded: Backend) -> None:
    """The router sees the rest of the path, the handler the whole address."""
    with create_workspace() as workspace:
        workspace.write(MOUNTED)
        with (
            embedded.deploy(workspace, 30) as deployment,
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
            answers = {path: client.http("GET", path) for path in expected}
            assert {
                path: json.loads(answer.body) if answer.status == 200 else None
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
    with create_workspace() as workspace:
        workspace.write(files)
        with (
            embedded.deploy(workspace, 30) as deployment,
            BackendClient(deployment.address) as client,
        ):
            paths = ("/hello", "/api/own", "/api/own/hello", "/api/own/under/a", "/part/hello")
            answers = {path: client.http("GET", path) for path in paths}
            assert [answer.status for answer in answers.values()] == [404, 404, 200, 200, 200]
            owner, path, *_ = json.loads(answers["/api/own/hello"].body)
            assert (owner, path) == ("app", "/api/own/hello")
            assert json.loads(answers["/part/hello"].body)[0] == "part"


def test_an_exact_route_or_a_longer_prefix_comes_before_a_component(embedded: Backend) -> None:
    """Of the app's routes and the prefixes of components the most specific one answers."""
    more = """
http.route({ path: "/part/hello", method: "GET", handler });
http.route({ pathPrefix: "/part/under/deep/", method: "GET", handler });
http.route({ pathPrefix: "/par/", method: "GET", handler });
http.route({ path: "/part/posted", method: "POST", handler });
"""
    ending = "export default http;"
    routes = MOUNTED["convex/http.ts"].replace(ending, more + ending)
    with create_workspace() as workspace:
        workspace.write(MOUNTED | {"convex/http.ts": routes})
        with (
            embedded.deploy(workspace, 30) as deployment,
            BackendClient(deployment.address) as client,
        ):
            owners = {
                path: json.loads(client.http("GET", path).body)[0]
                for path in ("/part/hello", "/part/under/a", "/part/under/deep/a", "/par/a")
            }
            assert owners == {
                "/part/hello": "app",
                "/part/under/a": "part",
                "/part/under/deep/a": "app",
                "/par/a": "app",
            }
            assert client.http("GET", "/part/posted").status == 404


def test_variables_of_a_component_are_checked(embedded: Backend) -> None:
    """A value that the validator of the component refuses is a failure of the deploy."""
    files = {
        "convex/convex.config.ts": f'{LOCAL}app.use(part, {{ env: {{ SIZE: "huge" }} }} as any);\n'
        "export default app;",
        "convex/part/convex.config.ts": f'{PART}import {{ v }} from "convex/values";\n'
        'const SIZE = v.union(v.literal("small"), v.literal("large"));\n'
        'export default defineComponent("part", { env: { SIZE } });',
    }
    with create_workspace() as workspace:
        workspace.write(files)
        with pytest.raises(DeployFailedError, match="wrong value for its variable SIZE"):
            embedded.deploy(workspace, 30)


def call_function(
    deployment: Deployment, path: str, caller: Caller = ADMIN, **asked: object
) -> tuple[int, dict[str, Any]]:
    """Call ``/api/function``, as the command line calls functions of components."""
    body = json.dumps({"args": {}, "format": "json", "path": path, **asked}).encode()
    with BackendClient(deployment.address) as client:
        url = f"{deployment.address.origin}/api/function"
        headers = {"content-type": "application/json"}
        answer = client.http("POST", url, body=body, headers=headers, caller=caller)
    return answer.status, json.loads(answer.body)


def test_the_key_reaches_functions_of_components(
    deployment: Deployment, app: BackendClient
) -> None:
    """With a `componentPath` public and internal functions of any component answer."""
    name = {"name": "cron"}
    call_function(deployment, "public:addNow", args=name, componentPath="other")
    assert app.query("app:read", name) == [0, 100]
    status, answer = call_function(deployment, "public:read", args=name, componentPath="other")
    assert (status, answer["status"], answer["value"]) == (200, "success", 100)
    app.mutation("app:add", {"name": "a"})
    _, answer = call_function(deployment, "log:list", componentPath="counter/audit")
    assert answer["value"] == ["a+1"]
    _, answer = call_function(deployment, "app:read", args=name, componentPath="")
    assert answer["value"] == [0, 100]


@pytest.mark.parametrize(
    ("caller", "component", "words"),
    [
        (Caller(user={"subject": "ada", "issuer": "https://test"}), "counter", "permission"),
        (ADMIN, "counter/missing", 'Component "counter/missing" not found'),
        (ADMIN, "audit", 'Component "audit" not found'),
    ],
)
def test_nobody_else_reaches_functions_of_components(
    deployment: Deployment, caller: Caller, component: str, words: str
) -> None:
    """Without the key, or at a path without a component, the call fails."""
    asked = {"args": {"name": "a"}, "componentPath": component}
    _, answer = call_function(deployment, "public:read", caller, **asked)
    assert answer["status"] == "error"
    assert words in answer["errorMessage"]


@pytest.mark.parametrize("component", ["", "counter", "counter/missing"])
def test_the_key_is_asked_for_before_the_component(deployment: Deployment, component: str) -> None:
    """Without the key nobody learns which components there are."""
    asked = {"args": {"name": "a"}, "componentPath": component}
    status, answer = call_function(deployment, "public:read", ANYBODY, **asked)
    assert (status, answer["code"]) == (403, "BadDeployKey")


def test_system_functions_read_tables_of_components(
    deployment: Deployment, app: BackendClient
) -> None:
    """A component is named by its path, or by its id among the arguments."""
    app.mutation("app:add", {"name": "a"})
    _, answer = call_function(deployment, "_system/frontend/components:list")
    paths = {component["path"]: component["id"] for component in answer["value"]}
    assert set(paths) == {"", "counter", "counter/audit", "other", "other/audit"}
    # The real backend has a document of a system table for each.
    by_id: dict[str, object] = {"id": paths["counter"]}
    _, found = call_function(deployment, "_system/frontend/getById", args=by_id)
    assert found["value"] is None
    names = {component["path"]: component["name"] for component in answer["value"]}
    assert (names[""], names["counter/audit"]) == (None, "audit")
    _, answer = call_function(deployment, "_system/frontend/modules:listForAllComponents")
    modules = {component: dict(found).keys() for component, found in answer["value"]}
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


def test_tables_are_listed_by_component(deployment: Deployment, app: BackendClient) -> None:
    """Also those that no schema names; tables of the app are none of a component."""

    def tables(component: str) -> list[str]:
        options: dict[str, object] = {"paginationOpts": {"numItems": 100, "cursor": None}}
        path = "_system/cli/tables"
        _, answer = call_function(deployment, path, args=options, componentPath=component)
        return [table["name"] for table in answer["value"]["page"]]

    assert tables("counter/audit") == []
    app.insert("counts", [{"text": "of the app"}])
    app.mutation("app:add", {"name": "a"})
    assert tables("counter/audit") == ["lines"]
    assert tables("other/audit") == []
    assert tables("counter") == ["counts"]


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
    assert app.query("app:read", {"name": "a"}) == [0, 5]
    crons = "_system/frontend/listCronJobs"
    _, answer = call_function(deployment, crons, componentPath="other")
    assert [job["name"] for job in answer["value"]] == ["count on"]
    _, answer = call_function(deployment, crons)
    assert answer["value"] == []


def test_a_client_looks_into_a_component(app: BackendClient) -> None:
    """Its tables, functions and jobs are read and written beside those of the app."""
    inside = app.in_component("other")
    (row,) = inside.insert("counts", [{"name": "a", "value": 3.0}])
    assert app.query("app:read", {"name": "a"}) == [0, 3]
    assert [document["_id"] for document in inside.documents("counts")] == [row]
    assert app.in_component("counter").documents("counts") == []
    assert app.documents("counts") == []
    assert inside.query("public:read", {"name": "a"}, ADMIN) == 3
    inside.mutation("public:addNow", {"name": "b"}, ADMIN)
    assert app.query("app:read", {"name": "b"}) == [0, 100]
    assert [cron["name"] for cron in inside.crons()] == ["count on"]
    app.mutation("app:schedule", {"name": "c", "ms": 5000})
    assert [job["name"] for job in app.in_component("counter").scheduled()] == ["public.js:addNow"]
    with pytest.raises(FunctionError, match='Component "none" not found'):
        app.in_component("none").documents("counts")
