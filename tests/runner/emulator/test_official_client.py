"""Convex's own HTTP client, unchanged, against a deployment on TCP."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from runner.backends.backend import Address
from runner.backends.codegen import write_generated
from runner.jail import JailLimits, JailSpec, open_jail, paths
from runner.toolchain import Toolchain
from runner.workspace import create_workspace
from tests.runner.emulator.conftest import read_project
from tests.runner.served import run_code

pytestmark = pytest.mark.integration

CLIENTS = Path(__file__).parent / "clients"


@pytest.fixture
def on_tcp(toolchain: Toolchain) -> Iterator[Address]:
    """The embedded backend on ports of this machine, unlike in grading."""
    port, site_port = _find_free_ports()
    address = Address(f"http://127.0.0.1:{port}", f"http://127.0.0.1:{site_port}", None, "key")
    with create_workspace() as workspace:
        workspace.write(read_project("contract"))
        write_generated(workspace.project)
        command = (
            *(
                paths.NODE,
                f"{paths.HARNESS}/emulator/server.mjs",
                "--project",
                paths.PROJECT,
                "--scratch",
                paths.SCRATCH,
            ),
            *("--port", str(port), "--site-port", str(site_port)),
            *("--origin", address.origin, "--site-origin", address.site_origin),
            *("--link", f"{paths.SCRATCH}/link.sock"),
        )
        binds = (
            *toolchain.list_binds(),
            toolchain.make_harness_bind("emulator"),
            *workspace.list_binds(),
        )
        limits = JailLimits(wall_s=120)
        jail = open_jail("none")
        process = jail.start(JailSpec(command, binds, limits=limits), stdin=True)
        process.send(f"\n{address.admin_key}\n".encode())
        process.stdin.close()
        code = run_code(jail, toolchain, workspace.scratch)
        try:
            assert b"ready" in process.read_line(60)
            yield address
        finally:
            process.kill()
            code.kill()


def test_the_http_client_works_unchanged(
    on_tcp: Address, toolchain: Toolchain, tmp_path: Path
) -> None:
    """Calls, types, errors with their data, admin and acting-as all work as with Convex's own."""
    # The imports of the script are resolved from its own folder.
    script = shutil.copy(CLIENTS / "http_client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(toolchain.node_modules)
    ran = subprocess.run(
        [str(toolchain.node), script, on_tcp.origin, on_tcp.admin_key],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "inserted": True,
        "bytes": [1, 2],
        "whole": "42",
        "counted": 2,
        "consistent": 2,
        "refused": {"isConvexError": True, "code": "7"},
        "crashed": True,
        "hidden": True,
        "secret": "secret",
        "identity": "https://users.test|ada",
        "unauthorized": True,
    }


def _find_free_ports() -> tuple[int, int]:
    with closing(socket.socket()) as first, closing(socket.socket()) as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]
