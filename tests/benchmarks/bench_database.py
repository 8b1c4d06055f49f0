"""Speed of the database of the embedded backend, beside `convex-test` over the same functions.

Run with ``python -m tests.benchmarks.bench_database [--rounds N] [--json FILE]``. In each round
both take the same steps in turn. The embedded backend is asked over its socket, with the functions
in a jailed process of their own. `convex-test` runs in one Node process together with the
functions, so its times include no request and no message between processes. A document of 50,000
by an index is measured in the embedded backend alone.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from runner.backends.client import BackendClient, FunctionKind
from runner.grading.backend_choice import open_backend
from runner.jail import open_jail
from runner.toolchain import Toolchain, find_toolchain
from runner.workspace import create_workspace

EVALS: Final = Path(__file__).parents[2] / "evals"
FOLDER: Final = Path(__file__).parent / "database"
MOST_MS: Final = 5.0
"""Limit for one document of 50,000 by an index, without the time of an empty request."""
MANY: Final = 50_000
AT_ONCE: Final = 1000

Ask = Callable[[FunctionKind, str, Mapping[str, float]], float]
"""Function that calls a function by kind, name and arguments, and returns milliseconds."""


def main() -> int:
    """Measure rounds in turn; the exit code states whether the index of many rows is quick."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    toolchain = find_toolchain(EVALS)
    ours: dict[str, list[float]] = {}
    peers: dict[str, list[float]] = {}
    with _deploy_functions(toolchain) as client, _start_peer(toolchain) as peer:
        for _ in range(options.rounds):
            _measure(client.reset, _make_ask(client), ours)
            _measure(peer.reset, peer.ask, peers)
        quick_ms = _time_index_read(client)
    _print(ours, peers, quick_ms)
    if options.json:
        figures = {"embedded": ours, "convex_test": peers, "by_index_of_50000": quick_ms}
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return int(quick_ms > MOST_MS)


class Peer:
    """`convex-test` in a Node process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Speak to a process of ``database/peer.mjs``."""
        self._process = process

    def reset(self) -> None:
        """Begin with an empty database."""
        self._send({"reset": True})

    def ask(self, kind: FunctionKind, name: str, args: Mapping[str, float]) -> float:
        """Call a function; return the milliseconds that it took in the process."""
        return self._send({"kind": kind, "name": name, "args": args})

    def _send(self, step: Mapping[str, Any]) -> float:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(step) + "\n")
        stdin.flush()
        return float(json.loads(stdout.readline())["ms"])


@contextmanager
def _start_peer(toolchain: Toolchain) -> Generator[Peer]:
    """Start `convex-test` over a copy of the functions, beside the packages that they import."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(FOLDER, Path(folder) / "database"))
        (copy / "node_modules").symlink_to(toolchain.node_modules)
        (copy / "package.json").write_text('{ "type": "module" }')
        command = [str(toolchain.node), "peer.mjs"]
        with subprocess.Popen(
            command, cwd=copy, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            yield Peer(process)
            process.kill()


@contextmanager
def _deploy_functions(toolchain: Toolchain) -> Generator[BackendClient]:
    """Deploy the functions to the embedded backend."""
    files = {
        f"convex/{path.name}": path.read_text("utf-8") for path in (FOLDER / "convex").iterdir()
    }
    with (
        open_backend("embedded", open_jail("bwrap"), toolchain) as backend,
        create_workspace() as workspace,
    ):
        workspace.write(files)
        with (
            backend.deploy(workspace, 60) as deployment,
            BackendClient(deployment.address) as client,
        ):
            yield client


def _make_ask(client: BackendClient) -> Ask:
    def ask(kind: FunctionKind, name: str, args: Mapping[str, float]) -> float:
        began = time.perf_counter()
        client.call(kind, f"rows:{name}", args)
        return (time.perf_counter() - began) * 1000

    return ask


def _measure(reset: Callable[[], None], ask: Ask, times: dict[str, list[float]]) -> None:
    """Take each step once, and note its time."""

    def note(step: str, kind: FunctionKind, name: str, **args: float) -> None:
        times.setdefault(step, []).append(ask(kind, name, args))

    reset()
    note("one query that reads nothing", "query", "nothing")
    note("1,000 inserts in one mutation", "mutation", "add", **_make_thousand_args(0))
    note("1,000 indexed `first()`, one by one", "query", "firsts", count=1000.0)
    for thousand in (1, 2):
        ask("mutation", "add", _make_thousand_args(thousand))
    note("`collect()` of 3,000 documents", "query", "all")


def _time_index_read(client: BackendClient) -> float:
    """Return the milliseconds of one document of many by an index, without those of a request."""
    client.reset()
    for thousand in range(MANY // AT_ONCE):
        client.run_mutation("rows:add", _make_thousand_args(thousand))
    ask = _make_ask(client)
    args = {"n": float(MANY // 2)}
    rounds = range(20)
    reading = statistics.median(ask("query", "one", args) for _ in rounds)
    asking = statistics.median(ask("query", "nothing", {}) for _ in rounds)
    return max(reading - asking, 0.0)


def _make_thousand_args(number: int) -> dict[str, float]:
    return {"from": float(number * AT_ONCE), "count": float(AT_ONCE)}


def _print(
    ours: Mapping[str, list[float]], peers: Mapping[str, list[float]], quick_ms: float
) -> None:
    sys.stdout.write(f"{'medians':<38} {'embedded':>11} {'convex-test':>11} {'ratio':>6}\n")
    for step, times in ours.items():
        own, other = statistics.median(times), statistics.median(peers[step])
        sys.stdout.write(f"{step:<38} {own:8.1f} ms {other:8.1f} ms {own / other:6.2f}\n")
    sys.stdout.write(
        f"one document of {MANY:,} by an index: {quick_ms:.1f} ms (at most {MOST_MS:g})\n"
    )


if __name__ == "__main__":
    sys.exit(main())
