"""The generated files in the view of the type checker."""

import subprocess
from pathlib import Path

import pytest

from runner.backends.codegen import read_children, write_generated
from runner.toolchain import Toolchain
from tests.runner.emulator.conftest import read_project
from tests.support.texts import read_cases, write_files

pytestmark = pytest.mark.integration

SETTINGS = """{ "compilerOptions": { "strict": true, "noEmit": true, "skipLibCheck": true,
  "module": "esnext", "moduleResolution": "bundler", "target": "esnext",
  "lib": ["esnext", "dom", "dom.iterable"], "types": ["node"] }, "include": ["convex", "src"] }"""


def check_types(root: Path, files: dict[str, str], toolchain: Toolchain) -> str:
    """Write a project with its generated files, and return the type checker's errors."""
    write_files(root, {**files, "tsconfig.json": SETTINGS})
    write_generated(root)
    (root / "node_modules").symlink_to(toolchain.node_modules)
    compiler = toolchain.node_modules / "typescript-native/bin/tsc"
    command = [str(toolchain.node), str(compiler), "-p", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    "project",
    ["contract", "components", "packages", pytest.param("agents", marks=pytest.mark.more)],
)
def test_a_whole_project_has_its_types(tmp_path: Path, toolchain: Toolchain, project: str) -> None:
    """References, documents, components and packages check under strict settings."""
    assert check_types(tmp_path, read_project(project), toolchain) == ""


def test_mistakes_are_seen_through_the_generated_types(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    """A call of a missing function and a use of a missing field are type errors."""
    files = read_project("contract")
    files["src/wrong.ts"] = (
        'import { api } from "../convex/_generated/api";\n'
        'import type { Doc } from "../convex/_generated/dataModel";\n'
        "export const reference = api.notes.missing;\n"
        "export const textOf = (note: Doc<'notes'>) => note.txet;\n"
    )
    errors = check_types(tmp_path, files, toolchain)
    assert "Property 'missing' does not exist" in errors
    assert "Property 'txet' does not exist" in errors


def test_generated_files_of_the_model_are_replaced(tmp_path: Path) -> None:
    """Files under _generated are ours."""
    (tmp_path / "convex/_generated").mkdir(parents=True)
    (tmp_path / "convex/_generated/api.js").write_text("export const api = 1;")
    write_generated(tmp_path)
    assert "anyApi" in (tmp_path / "convex/_generated/api.js").read_text()


COMPONENT_MISTAKES = {
    "missing.public.read": "Property 'missing' does not exist",
    "counter.public.missing": "Property 'missing' does not exist",
    "counter.public.addNow": "Property 'addNow' does not exist",
    "audit.log.list": "Property 'audit' does not exist",
}


def test_mistakes_are_seen_through_the_types_of_components(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    """Only public functions of children are there; their ids are text, variables have names."""
    files = read_project("components")
    files["src/wrong.ts"] = (
        'import type { FunctionArgs, FunctionReturnType } from "convex/server";\n'
        'import { components } from "../convex/_generated/api";\n'
        'import type { Id } from "../convex/_generated/dataModel";\n'
        'import { env } from "../convex/_generated/server";\n'
        + "".join(
            f"export const r{n} = components.{p};\n" for n, p in enumerate(COMPONENT_MISTAKES)
        )
        + "type Add = typeof components.counter.public.add;\n"
        "export const added: FunctionReturnType<Add> = {} as string;\n"
        "export const id: Id<'counts'> = {} as FunctionReturnType<Add>;\n"
        "export const args: FunctionArgs<Add> = { name: 1 };\n"
        "export const step: string | undefined = env.STEP;\n"
        "export const other = env.STEPS;\n"
    )
    errors = check_types(tmp_path, files, toolchain)
    for words in COMPONENT_MISTAKES.values():
        assert words in errors
    assert "Type 'string' is not assignable to type 'Id<\"counts\">'" in errors
    assert "Type 'number' is not assignable to type 'string'" in errors
    assert "Property 'STEPS' does not exist" in errors
    assert errors.count("error TS") == len(COMPONENT_MISTAKES) + 3


@pytest.mark.parametrize(
    ("declared", "members"),
    [
        (
            "{ env: { KEY: v.string(), 'LIMIT': v.optional(v.string()) } }",
            ["KEY: string;", "LIMIT: string | undefined;"],
        ),
        (
            "{ env: { MODE: v.optional(v.union(v.literal('a\\n'), v.literal(\"b\"))) } }",
            [r'MODE: "a\n" | "b" | undefined;'],
        ),
        (
            "{ httpPrefix: '/', env: { KEY: text, MODE: v.union(text, v.string()) } }",
            ["KEY: Declared['KEY'];", "MODE: Declared['MODE'];"],
        ),
    ],
    ids=["texts", "literals", "computed types"],
)
def test_variables_are_members_of_a_type(
    tmp_path: Path, toolchain: Toolchain, declared: str, members: list[str]
) -> None:
    """`Env` has a member for each variable, as Convex writes it, and no other name is accepted."""
    names = [member.partition(":")[0] for member in members]
    files = {
        "convex/convex.config.ts": (
            'import { defineApp } from "convex/server";\nimport { v } from "convex/values";\n'
            f"const text = v.string();\nexport const own = [v, text];\n"
            f"export default defineApp({declared});\n"
        ),
        "src/uses.ts": 'import { env } from "../convex/_generated/server";\n'
        f"export const all = [env.CONVEX_SITE_URL{''.join(f', env.{name}' for name in names)}];\n"
        "export const unknown = env.UNKNOWN;\n",
    }
    errors = check_types(tmp_path, files, toolchain)
    written = (tmp_path / "convex/_generated/server.d.ts").read_text("utf-8")
    expected = ["CONVEX_CLOUD_URL: string;", "CONVEX_SITE_URL: string;", *members]
    lines = "".join(f"  readonly {member}\n" for member in expected)
    assert f"type Env = {{\n{lines}}};\n" in written
    assert errors.count("error TS") == 1, errors
    assert "Property 'UNKNOWN' does not exist" in errors


@pytest.mark.parametrize(
    "declared",
    ["{ env: all }", "{ env: { ['KEY']: v.string() } }"],
)
def test_variables_with_computed_names_have_their_types(
    tmp_path: Path, toolchain: Toolchain, declared: str
) -> None:
    """The names are unknown before the file runs, so that `Env` follows the definition."""
    files = {
        "convex/convex.config.ts": (
            'import { defineApp } from "convex/server";\nimport { v } from "convex/values";\n'
            "const all = { KEY: v.string() };\nconst env = all;\nexport const own = env;\n"
            f"export default defineApp({declared});\n"
        ),
        "src/uses.ts": 'import { env } from "../convex/_generated/server";\n'
        "export const key: string = env.KEY + env.CONVEX_CLOUD_URL;\n"
        "export const unknown = env.UNKNOWN;\n",
    }
    errors = check_types(tmp_path, files, toolchain)
    assert errors.count("error TS") == 1, errors
    assert "Property 'UNKNOWN' does not exist" in errors


def test_components_under_computed_names_are_taken_as_they_are(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    """The files are never run, so that such a name is unknown: no answer fails for it."""
    files = read_project("components")
    files["convex/convex.config.ts"] = (
        'import { defineApp } from "convex/server";\n'
        'import counter from "./counter/convex.config";\nconst app = defineApp();\n'
        'for (const name of ["counter", "other"])\n'
        "  app.use(counter, { name, env: { LABEL: name } });\n"
        "export default app;\n"
    )
    assert check_types(tmp_path, files, toolchain) == ""


def test_comments_install_no_component(tmp_path: Path, toolchain: Toolchain) -> None:
    """Text in quotes may look like a comment, and a comment like text in quotes."""
    files = read_project("components")
    files["convex/convex.config.ts"] = (
        'import { defineApp } from "convex/server";\n'
        'import counter from "./counter/convex.config"; // app.use(counter)\n'
        "const app = defineApp();\n/* app.use(counter, { name: 'none' }); */\n"
        'app.use(counter, { env: { LABEL: "http://a" }, name: "counter" });\n'
        """app.use(counter, { env: { LABEL: "')" }, "name": 'other' });\nexport default app;\n"""
    )
    files["src/wrong.ts"] = (
        'import { components } from "../convex/_generated/api";\n'
        "export const none = components.none;\n"
    )
    errors = check_types(tmp_path, files, toolchain)
    assert "Property 'none' does not exist" in errors
    assert errors.count("error TS") == 1


@pytest.mark.parametrize(("options", "name"), read_cases(__file__)["names"])
def test_names_of_components_are_read(tmp_path: Path, options: str, name: str) -> None:
    """The name in the options of a call, else the definition's; None where it is computed."""
    config = 'import part from "./part/convex.config";\nconst app = defineApp();\n'
    files = {
        "convex.config.ts": f"{config}app.use(part{options}); app.use(part, {{ name: 'z' }});",
        "part/convex.config.ts": "export default defineComponent<any>('part');",
    }
    children = read_children(write_files(tmp_path, files))
    assert (children and list(children)) == ([name, "z"] if name else None)


def test_types_are_written_within_the_project_only(tmp_path: Path) -> None:
    """A definition that is imported from outside the project is not completed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "convex.config.ts").write_text("export default 1;")
    root = tmp_path / "project"
    config = 'import outside from "../../outside/convex.config";\n'
    (root / "convex").mkdir(parents=True)
    (root / "convex" / "convex.config.ts").write_text(config)
    write_generated(root)
    assert not (outside / "_generated").exists()
    assert (root / "convex/_generated/api.d.ts").is_file()
