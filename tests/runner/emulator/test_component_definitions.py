"""Definitions of components: the refused definitions, and the places of valid definitions."""

import pytest

from runner.backends.backend import Backend
from runner.backends.client import BackendClient
from tests.runner.emulator.component_texts import APP, LOCAL, OF_ANY_NAME, PART
from tests.runner.emulator.conftest import deploy_files, find_refusal
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

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
            "convex/convex.config.ts": f"{APP}const app = defineApp();\napp.use("
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
    "variable_with_a_wrong_value": (
        {
            "convex/convex.config.ts": f"{LOCAL}const env = "
            '{ SIZE: "huge" } as any;\napp.use(part, { env });\nexport default app;',
            "convex/part/convex.config.ts": f'{PART}import {{ v }} from "convex/values";\n'
            'const SIZE = v.union(v.literal("small"), v.literal("large"));\n'
            'export default defineComponent("part", { env: { SIZE } });',
        },
        'the component "part" has a wrong value for its variable SIZE',
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


@pytest.mark.parametrize(
    ("files", "reason"),
    leave_to_more(BROKEN, but=("of_itself", "no_definition", "variable_without_a_value")),
)
def test_a_broken_tree_of_components_is_refused_with_the_reason(
    embedded: Backend, files: dict[str, str], reason: str
) -> None:
    """The deploy fails as the model's failure."""
    assert reason in find_refusal(embedded, files)


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
        assert client.run_query("a:a") == 1
