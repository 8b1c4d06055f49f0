"""Folders of components, and their HTTP actions below their prefixes."""

import json

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient
from tests.runner.emulator.conftest import deploy_files, read_project

pytestmark = pytest.mark.integration

LOCAL = """\
import { defineApp } from "convex/server";
import part from "./part/convex.config";
const app = defineApp();
"""
PART = 'import { defineComponent } from "convex/server";\n'
OF_ANY_NAME = f'{PART}export default defineComponent("part");\n'
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
    with (
        deploy_files(embedded, files) as deployment,
        BackendClient(deployment.address) as client,
    ):
        paths = ("/hello", "/api/own", "/api/own/hello", "/api/own/under/a", "/part/hello")
        answers = {path: client.send_http("GET", path) for path in paths}
        assert [answer.status for answer in answers.values()] == [404, 404, 200, 200, 200]
        owner, path, *_ = json.loads(answers["/api/own/hello"].body)
        assert (owner, path) == ("app", "/api/own/hello")
        assert json.loads(answers["/part/hello"].body)[0] == "part"


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
    with (
        deploy_files(embedded, MOUNTED | {"convex/http.ts": routes}) as deployment,
        BackendClient(deployment.address) as client,
    ):
        owners = {
            path: json.loads(client.send_http("GET", path).body)[0]
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
        "convex/convex.config.ts": LOCAL.replace("./part", "../parts/part")
        + "app.use(part);\nexport default app;",
        "convex/a.ts": 'import { components } from "./_generated/api";\n'
        'import { query } from "./_generated/server";\nexport const a = query({ args: {}, '
        "handler: (ctx): Promise<number> => ctx.runQuery(components.part.index.one, {}) });",
        "parts/part/convex.config.js": OF_ANY_NAME,
        "parts/part/index.ts": 'import { query } from "./_generated/server";\n'
        "export const one = query({ args: {}, handler: () => 1 });",
    }
    with (
        deploy_files(embedded, files) as deployment,
        BackendClient(deployment.address) as client,
    ):
        assert client.call("query", "a:a") == 1
