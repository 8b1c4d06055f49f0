"""Deploys: modules that end late or never, programs and secrets of ours, and a process beside."""

from contextlib import suppress
from pathlib import Path

import pytest

from runner.backends.backend import Backend
from runner.backends.client import FunctionError
from runner.emulator import embedded
from runner.emulator.embedded import prepare_programs
from runner.errors import DeployFailedError, ToolchainBrokenError
from runner.grading.convex_steps import make_backend
from runner.jail import Jail
from runner.toolchain import Toolchain
from runner.workspace import create_workspace
from tests.runner.emulator.conftest import deploy_files, open_client, run_in_node
from tests.support.texts import read_texts
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration
SERVER = 'import { action, mutation, query } from "./_generated/server";\n'
LIST = f"{SERVER}export const list = query({{ args: {{}}, handler: () => [] }});\n"


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
    with open_client(embedded, files) as client:
        assert client.call("action", "a:sum") == "3\n\n"
        assert client.call("query", "b:list", {}) == []
        with pytest.raises(FunctionError, match=r"no\n    at handler \(\.\./convex/a\.ts:7:64\)"):
            client.call("action", "a:fails")


def test_the_end_of_the_backend_has_its_cause(embedded: Backend) -> None:
    """A function that takes the process down counts as the deployment's end."""
    dies = f"{SERVER}export const a = action({{ handler: async () => {{ for (;;) {{}} }} }});\n"
    with deploy_files(embedded, {"convex/a.ts": dies}) as deployment:
        assert deployment.describe_end() is None
        deployment.close()
        assert deployment.describe_end() is not None


def test_the_admin_key_is_in_no_command_line(embedded: Backend) -> None:
    """No process has a deployment's key in its command line, which every local user can read."""
    with deploy_files(embedded, {"convex/a.ts": LIST}) as deployment:
        lines: list[bytes] = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                lines.append((process / "cmdline").read_bytes())
    assert any(b"server.cjs" in line for line in lines)
    assert not [line for line in lines if deployment.address.admin_key.encode() in line]


@pytest.mark.more
def test_programs_are_packed_once(
    jail: Jail, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second user of the programs finds them in the cache, with no other file there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = prepare_programs(jail, toolchain).source
    packed = (folder / "server.cjs").stat()
    assert prepare_programs(jail, toolchain).source == folder
    assert (folder / "server.cjs").stat() == packed
    assert list(folder.parent.iterdir()) == [folder]
    assert {path.name for path in folder.iterdir()} == {
        *("server.cjs", "inside.cjs", "renderer.cjs", "window.cjs", "vendor.js")
    }


@pytest.mark.more
def test_a_backend_that_does_not_run_is_not_the_models_failure(
    jail: Jail, toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no backend: otherwise, every answer would fail at its deploy."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (prepare_programs(jail, toolchain).source / "server.cjs").write_text("process.exit(1);")
    with pytest.raises(ToolchainBrokenError, match="deploys no empty project"):
        make_backend("embedded", jail, toolchain)


TEXTS = read_texts(__file__)


def run_beside_backend(name: str, tmp_path: Path) -> str:
    """Run the text of this name after the text "begin"; return its output."""
    isolate = Path(embedded.__file__).parent / "functions" / "isolate.mjs"
    script = TEXTS["begin"].replace("ISOLATE", isolate.as_uri()) + TEXTS[name]
    return run_in_node(script, tmp_path / "code.sock")


def test_a_process_that_begins_anew_may_be_heard_before_the_old_one_ends(tmp_path: Path) -> None:
    """On a busy machine the backend may see both at once: the new process is not refused."""
    assert run_beside_backend("swapped", tmp_path) == "renewed\n"


def test_an_answer_may_cross_the_end_of_its_mutation(tmp_path: Path) -> None:
    """A mutation that ended before the last answer arrived may still ask for more."""
    answered = run_beside_backend("crossed", tmp_path)
    assert answered == "insert 1, insert 2, insert 3, insert 4\n"
