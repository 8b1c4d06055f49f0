"""A project served by the embedded backend, for tests of its clients' view."""

import json
import math
import shutil
import socket
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runner.jail import Bind, Jail, JailedProcess, JailLimits, JailSpec, paths
from runner.toolchain import Toolchain, find_toolchain

ROOT = Path(__file__).parents[2]
ADMIN_KEY = "the-admin-key"
_GENERATED = {
    "server.js": """
import * as server from "convex/server";
export const query = server.queryGeneric, mutation = server.mutationGeneric;
export const action = server.actionGeneric, internalMutation = server.internalMutationGeneric;
""",
    "api.js": """
import { anyApi } from "convex/server";
export const api = anyApi, internal = anyApi;
""",
}


@dataclass(frozen=True)
class Served:
    """The address of a served project, and its folders."""

    project: Path
    socket: Path
    origin: str
    process: JailedProcess


def find_suite_toolchain() -> Toolchain:
    """Find the toolchain of the suite."""
    return find_toolchain(ROOT / "evals")


@contextmanager
def serve(jail: Jail, project: Path, *, tcp: bool = False) -> Generator[Served]:
    """Serve a copy of a project, over a Unix socket or over TCP on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        copy, scratch = Path(folder) / "project", Path(folder) / "scratch"
        shutil.copytree(project, copy)
        scratch.mkdir()
        # The user of a jail, as the kernel maps it, must be able to write.
        scratch.chmod(0o777)
        if jail.name == "none":
            (copy / "node_modules").symlink_to(find_suite_toolchain().node_modules)
        generated = copy / "convex" / "_generated"
        generated.mkdir()
        for name, text in _GENERATED.items():
            (generated / name).write_text(text)
        port, site_port = find_free_port(), find_free_port()
        origin = f"http://127.0.0.1:{port}" if tcp else "http://backend.test"
        site = f"http://127.0.0.1:{site_port}" if tcp else "http://site.test"
        where = ("--port", f"{port}", "--site-port", f"{site_port}")
        process = jail.start(
            JailSpec(
                command=(
                    *(paths.NODE, f"{paths.HARNESS}/emulator/server.mjs"),
                    *("--project", paths.PROJECT, "--scratch", paths.SCRATCH),
                    *("--link", f"{paths.SCRATCH}/link.sock"),
                    *("--origin", origin, "--site-origin", site),
                    *(where if tcp else ("--socket", f"{paths.SCRATCH}/backend.sock")),
                ),
                binds=(
                    *find_suite_toolchain().list_binds(),
                    find_suite_toolchain().make_harness_bind("emulator"),
                    Bind(copy, paths.PROJECT),
                    Bind(scratch, paths.SCRATCH, writable=True),
                ),
                limits=JailLimits(wall_s=math.inf),  # it serves until its tests are over
            ),
            stdin=True,
        )
        process.send(f"\n{ADMIN_KEY}\n".encode())
        process.stdin.close()
        code = run_code(jail, find_suite_toolchain(), scratch)
        try:
            started = json.loads(process.read_line(30))
            assert "ready" in started, started
            yield Served(copy, scratch / "backend.sock", origin, process)
        finally:
            process.kill()
            code.kill()


def run_code(jail: Jail, toolchain: Toolchain, scratch: Path) -> JailedProcess:
    """Start the process that runs model code for the backend at ``link.sock`` in a folder."""
    return jail.start(
        JailSpec(
            command=(
                paths.NODE,
                f"{paths.HARNESS}/emulator/inside/main.mjs",
                "--link",
                "/link/link.sock",
            ),
            binds=(
                *toolchain.list_binds(),
                toolchain.make_harness_bind("emulator"),
                Bind(scratch, "/link"),
            ),
            limits=JailLimits(wall_s=math.inf),  # it serves until its tests are over
        )
    )


def find_free_port() -> int:
    """Return a free port."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
