"""The generated files, as the type checker sees them."""

import subprocess
from pathlib import Path

import pytest

from runner.grading.backends.codegen import write_generated
from runner.grading.toolchain import Toolchain
from tests.runner.grading.backends.conftest import project

pytestmark = pytest.mark.integration

SETTINGS = """{ "compilerOptions": { "strict": true, "noEmit": true, "skipLibCheck": true,
  "module": "esnext", "moduleResolution": "bundler", "target": "esnext",
  "lib": ["esnext", "dom", "dom.iterable"], "types": ["node"] }, "include": ["convex", "src"] }"""


def _write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    write_generated(root)


def _check(root: Path, toolchain: Toolchain) -> str:
    (root / "tsconfig.json").write_text(SETTINGS)
    (root / "node_modules").symlink_to(toolchain.node_modules)
    compiler = toolchain.node_modules / "typescript-native/bin/tsc"
    command = [str(toolchain.node), str(compiler), "-p", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.integration
def test_a_whole_project_has_its_types(tmp_path: Path, toolchain: Toolchain) -> None:
    """References, documents and contexts of a project check under strict settings."""
    _write(tmp_path, project("contract"))
    assert _check(tmp_path, toolchain) == ""


@pytest.mark.integration
def test_mistakes_are_seen_through_the_generated_types(
    tmp_path: Path, toolchain: Toolchain
) -> None:
    """A call of a function that is not there, and a field that is not, are type errors."""
    files = project("contract")
    files["src/wrong.ts"] = (
        'import { api } from "../convex/_generated/api";\n'
        'import type { Doc } from "../convex/_generated/dataModel";\n'
        "export const reference = api.notes.missing;\n"
        "export const textOf = (note: Doc<'notes'>) => note.txet;\n"
    )
    _write(tmp_path, files)
    said = _check(tmp_path, toolchain)
    assert "Property 'missing' does not exist" in said
    assert "Property 'txet' does not exist" in said


def test_what_the_model_generated_itself_is_replaced(tmp_path: Path) -> None:
    """Files under _generated are ours."""
    (tmp_path / "convex/_generated").mkdir(parents=True)
    (tmp_path / "convex/_generated/api.js").write_text("export const api = 1;")
    write_generated(tmp_path)
    assert "anyApi" in (tmp_path / "convex/_generated/api.js").read_text()
