"""The projects that cannot be deployed, and the reasons."""

from contextlib import suppress
from pathlib import Path

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient, FunctionError
from runner.errors import DeployFailedError
from runner.workspace import create_workspace
from tests.runner.emulator.conftest import deploy_files, find_refusal
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

SERVER = 'import { action, mutation, query } from "./_generated/server";\n'
TABLE = (
    'import { defineSchema, defineTable } from "convex/server";\n'
    'import { v } from "convex/values";\n'
)
CRONS = 'import { cronJobs } from "convex/server";\nimport { api } from "./_generated/api";\n'
ROUTER = (
    'import { httpRouter } from "convex/server";\n'
    'import { httpAction } from "./_generated/server";\n'
    "const http = httpRouter();\nconst handler = httpAction(async () => new Response());\n"
)
LIST = f"{SERVER}export const list = query({{ args: {{}}, handler: () => [] }});\n"
AWAITING = "export const one = await Promise.resolve(1);\n"

SEARCHED = (
    f"{TABLE}export default defineSchema({{ t: defineTable({{ a: v.string(), FIELDS }})"
    '.searchIndex("found", { searchField: "a", filterFields: [NAMES] }) });'
)
SEVENTEEN = [f"f{n}" for n in range(17)]
VECTORS = (
    f"{TABLE}export default defineSchema({{ t: defineTable({{ a: v.array(v.float64()) }})"
    '.vectorIndex("near", { vectorField: "a", dimensions: SIZE }) });'
)
VALIDATED = (
    f"{SERVER}import {{ v }} from 'convex/values';\n"
    "export const a = query({ args: { ARGS }, handler: () => 1 });"
)

BROKEN = {
    "hyphen_in_a_module": (
        {"convex/my-module.ts": LIST},
        "my-module.js is not a valid path to a Convex module. Path component my-module.js can only",
    ),
    "hyphen_in_a_folder": (
        {"convex/my-folder/a.ts": LIST},
        "my-folder/a.js is not a valid path to a Convex module. Path component my-folder can only",
    ),
    "long_module_name": (
        {f"convex/{'m' * 62}.ts": LIST},
        "Path component is too long (65 > maximum 64).",
    ),
    "module_of_underscores": (
        {"convex/__/a.ts": LIST},
        "Path component __ must have at least one alphanumeric character.",
    ),
    "argument_that_is_no_identifier": (
        {"convex/a.ts": VALIDATED.replace("ARGS", "'my-key': v.string()")},
        "Invalid JSON returned from a.js:a.exportArgs(): Identifier my-key has invalid character",
    ),
    "record_of_numbers": (
        {"convex/a.ts": VALIDATED.replace("ARGS", "r: v.record(v.number() as any, v.string())")},
        "Records can only have string keys.",
    ),
    "field_that_is_no_identifier": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema("
            "{ t: defineTable({ 'my-key': v.string() }) });"
        },
        "Identifier my-key has invalid character",
    ),
    "seventeen_filter_fields": (
        {
            "convex/schema.ts": SEARCHED.replace(
                "FIELDS", ", ".join(f"{name}: v.string()" for name in SEVENTEEN)
            ).replace("NAMES", ", ".join(f'"{name}"' for name in SEVENTEEN))
        },
        "Search indexes may have up to 16 filter fields.",
    ),
    "vector_of_one_dimension": (
        {"convex/schema.ts": VECTORS.replace("SIZE", "1")},
        "Dimensions 1 must be between 2 and 4096.",
    ),
    "vector_of_too_many_dimensions": (
        {"convex/schema.ts": VECTORS.replace("SIZE", "4097")},
        "Dimensions 4097 must be between 2 and 4096.",
    ),
    "unset_variable_in_auth_config": (
        {
            "convex/a.ts": LIST,
            "convex/auth.config.ts": "export default { providers: [{ domain: "
            "process.env.NOT_SET, applicationID: 'a' }] };",
        },
        "Environment variable NOT_SET is used in auth config file but its value was not set",
    ),
    "timer_at_import": (
        {"convex/a.ts": f"setTimeout(() => {{}}, 1);\n{LIST}"},
        "setTimeout unsupported at import time",
    ),
    "keys_at_import": (
        {"convex/a.ts": f"crypto.subtle.generateKey('Ed25519', true, ['sign']);\n{LIST}"},
        "Cannot use cryptographic randomness at import time",
    ),
    "syntax": ({"convex/a.ts": "export const = 1;"}, "convex/a.ts:1:13:"),
    "node_without_directive": (
        {"convex/a.ts": 'import fs from "node:fs";\nexport const a = fs;'},
        'without the "use node" directive',
    ),
    "not_in_the_library": (
        {"convex/a.ts": 'import { nothing } from "convex/server";\nexport const a = nothing;'},
        'No matching export in "node_modules/convex/dist/esm/server/index.js" for import "nothing"',
    ),
    "query_in_node": (
        {"convex/a.ts": f'"use node";\n{LIST}'},
        "`list` defined in `a.js` is a Query function. Only actions can be defined in Node.js.",
    ),
    "comments_and_no_directive": (
        {"convex/a.ts": f'{"/*;*/" * 60}(1);\nimport fs from "node:fs";\nexport const a = fs;'},
        'without the "use node" directive',
    ),
    "comments_and_a_directive": (
        {"convex/a.ts": f'{"/*;*/" * 60}// b\n"use strict";\n"use node";\n{LIST}'},
        "`list` defined in `a.js` is a Query function. Only actions can be defined in Node.js.",
    ),
    "schema_in_node": (
        {"convex/schema.ts": f'"use node";\n{TABLE}export default defineSchema({{}});'},
        '"use node" directive is not allowed for schema.ts.',
    ),
    "throws_at_import": (
        {"convex/a.ts": 'throw new Error("early");\nexport const a = 1;'},
        "Failed to analyze a.js: Uncaught Error: early",
    ),
    "throws_no_error_at_import": (
        {"convex/a.ts": "throw null;\nexport const a = 1;"},
        "Failed to analyze a.js: Uncaught null",
    ),
    "throws_what_cannot_be_read": (
        {"convex/a.ts": "throw new Proxy({}, { get() { throw 1; } });\nexport const a = 1;"},
        "Failed to analyze a.js: Uncaught Error: what was thrown cannot be told",
    ),
    "ends_its_process_at_import": (
        {
            "convex/a.ts": '"use node";\nimport process from "node:process";\n'
            "process.exit(0);\nexport const a = 1;"
        },
        "the deploy ended with exit code 0",
    ),
    "await_at_the_top": (
        {"convex/a.ts": f"{AWAITING}{LIST}"},
        "Failed to analyze a.js: Top-level awaits in source files are unsupported",
    ),
    "await_at_the_top_of_a_helper": (
        {"convex/a.ts": f'import "./lib/once";\n{LIST}', "convex/lib/once.ts": AWAITING},
        "Failed to analyze lib/once.js: Top-level awaits in source files are unsupported",
    ),
    "await_at_the_top_of_the_schema": (
        {"convex/schema.ts": f"{AWAITING}{TABLE}export default defineSchema({{}});"},
        "Failed to analyze schema.js: Top-level awaits in source files are unsupported",
    ),
    "await_at_the_top_of_a_component": (
        {
            "convex/convex.config.ts": f'{AWAITING}import {{ defineApp }} from "convex/server";\n'
            "export default defineApp();"
        },
        "Failed to analyze convex.config.js: Top-level awaits in source files are unsupported",
    ),
    "await_at_the_top_of_what_an_action_imports": (
        {
            "convex/a.ts": f"{SERVER}export const a = action({{ args: {{}}, "
            'handler: async () => void (await import("../src/late")) });',
            "src/late.ts": AWAITING,
        },
        "Failed to analyze src/late.js: Top-level awaits in source files are unsupported",
    ),
    "await_beside_another_fault": (
        {"convex/a.ts": f'{AWAITING}import "nowhere";\n'},
        'Could not resolve "nowhere"',
    ),
    "words_about_await_in_a_comment": (
        {
            "convex/a.ts": '"use node";\n'
            "// [ERROR] Top-level await is currently not supported\nexport const = 1;\n"
        },
        "convex/a.ts:3:13:",
    ),
    "rejected_await_in_node": (
        {"convex/a.ts": '"use node";\nawait Promise.reject(new Error("no"));\nexport {};\n'},
        "Failed to analyze a.js: Uncaught Error: no\n    at convex/a.ts (../convex/a.ts:2:22)",
    ),
    "index_without_field": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema({{ t: defineTable("
            '{ a: v.string() }).index("by_b", ["b"]) });'
        },
        'the index "by_b" is invalid because it references the field "b" that does not exist',
    ),
    "index_on_creation_time": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema({{ t: defineTable("
            '{ a: v.string() }).index("by_a", ["a", "_creationTime"]) });'
        },
        "`_creationTime` is automatically added to the end of each index",
    ),
    "index_twice": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema({{ t: defineTable("
            '{ a: v.string() }).index("one", ["a"]).index("two", ["a"]) });'
        },
        'index "one" and index "two" have the same fields',
    ),
    "vector_of_text": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema({{ t: defineTable("
            '{ a: v.string() }).vectorIndex("v", { vectorField: "a", dimensions: 2 }) });'
        },
        "neither an array of float64 or optional array of float64",
    ),
    "reserved_table": (
        {
            "convex/schema.ts": f"{TABLE}export default defineSchema({{ _t: defineTable("
            "{ a: v.string() }) });"
        },
        "_t is a reserved table name",
    ),
    "cron_of_nothing": (
        {
            "convex/crons.ts": f"{CRONS}const c = cronJobs();\n"
            'c.interval("x", { hours: 1 }, api.a.missing);\nexport default c;'
        },
        "The cron job 'x' schedules a function that does not exist: a.js:missing",
    ),
    "cron_of_a_query": (
        {
            "convex/a.ts": LIST,
            "convex/crons.ts": f"{CRONS}const c = cronJobs();\n"
            'c.interval("x", { hours: 1 }, (api as any).a.list);\nexport default c;',
        },
        "schedules a query function, only actions and mutations can be scheduled: a.js:list",
    ),
    "cron_that_never_comes": (
        {
            "convex/a.ts": f"{SERVER}export const m = mutation({{ handler: async () => null }});",
            "convex/crons.ts": f"{CRONS}const c = cronJobs();\n"
            'c.cron("x", "0 0 31 2 *", (api as any).a.m);\nexport default c;',
        },
        "will never match any time",
    ),
    "route_twice": (
        {
            "convex/http.ts": f'{ROUTER}const r: any = {{ path: "/a", method: "GET", handler }};\n'
            "http.route(r);\nhttp.route(r);\nexport default http;"
        },
        "Path '/a' for method GET already in use",
    ),
    "no_router": (
        {"convex/http.ts": "export default 5;"},
        "The default export of http.js is not a Router",
    ),
}


@pytest.mark.parametrize(
    ("files", "reason"),
    leave_to_more(
        BROKEN,
        but=(
            *("hyphen_in_a_folder", "module_of_underscores", "query_in_node", "cron_of_a_query"),
            *("cron_that_never_comes", "route_twice", "no_router", "comments_and_a_directive"),
        ),
    ),
)
def test_a_broken_project_is_refused_with_the_reason(
    embedded: Backend, files: dict[str, str], reason: str
) -> None:
    """The deploy fails as the model's failure, in the real backend's words."""
    assert reason in find_refusal(embedded, files)


@pytest.mark.parametrize(
    "code",
    leave_to_more(
        {"loop": "for (;;) {}", "await": '"use node";\nawait new Promise(() => {});'},
        but=["await"],
    ),
)
def test_an_endless_module_ends_with_the_time_limit(embedded: Backend, code: str) -> None:
    """A module that never finishes loading is the model's failure."""
    with create_workspace() as workspace:
        workspace.write({"convex/a.ts": f"{code}\nexport const a = 1;"})
        with pytest.raises(DeployFailedError, match="did not end within"):
            embedded.deploy(workspace, 3)


def test_a_module_of_the_nodejs_runtime_awaits_at_its_top(embedded: Backend) -> None:
    """Its functions have the awaited values, and errors in them name the lines of the files."""
    files = {
        "convex/a.ts": '"use node";\n'
        'import os, { EOL } from "node:os";\n'
        'import { two } from "./lib/two";\n'
        f"{SERVER}"
        "const one = await Promise.resolve(1);\n"
        "export const sum = action({ args: {}, handler: () => one + two + EOL + os.EOL });\n"
        "export const fails = action({ args: {}, handler: () => { throw new Error('no'); } });\n",
        "convex/lib/two.ts": '"use node";\nexport const two = await (async () => 2)();\n',
        "convex/b.ts": LIST,
    }
    with deploy_files(embedded, files) as deployment, BackendClient(deployment.address) as client:
        assert client.run_action("a:sum") == "3\n\n"
        assert client.run_query("b:list", {}) == []
        with pytest.raises(FunctionError, match=r"no\n    at handler \(\.\./convex/a\.ts:7:64\)"):
            client.run_action("a:fails")


def test_the_end_of_the_backend_has_its_cause(embedded: Backend) -> None:
    """A function that takes the process down counts as the deployment's end."""
    dies = f"{SERVER}export const a = action({{ handler: async () => {{ for (;;) {{}} }} }});\n"
    with create_workspace() as workspace:
        workspace.write({"convex/a.ts": dies})
        with embedded.deploy(workspace, 30) as deployment:
            assert deployment.describe_end() is None
            deployment.close()
            assert deployment.describe_end() is not None


def test_the_admin_key_is_in_no_command_line(embedded: Backend) -> None:
    """No process has a deployment's key in its command line, which every local user can read."""
    with create_workspace() as workspace:
        workspace.write({"convex/a.ts": LIST})
        with embedded.deploy(workspace, 60) as deployment:
            lines: list[bytes] = []
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    lines.append((process / "cmdline").read_bytes())
    assert any(b"server.cjs" in line for line in lines)
    assert not [line for line in lines if deployment.address.admin_key.encode() in line]
