"""The official clients work against the embedded backend without changes."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import convex
import pytest

from runner.jail import Bind, JailLimits, JailSpec, open_jail, paths
from tests.runner.served import ADMIN_KEY, Served, find_suite_toolchain, serve
from tests.support.tiers import leave_to_more

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
SCRIPTS = (
    "react_client.mjs",
    "hooks.mjs",
    "pages.mjs",
    "many.mjs",
    "http.mjs",
    "system.mjs",
    "components.mjs",
)


@pytest.fixture(scope="module")
def backend() -> Iterator[Served]:
    """Serve the project of this folder over TCP."""
    with serve(open_jail("none"), HERE / "project", tcp=True) as served:
        yield served


def run_client(script: str, origin: str) -> list[dict[str, Any]]:
    """Run a script of clients/ and return its report on each scenario."""
    finished = open_jail("none").run(
        JailSpec(
            command=(paths.NODE, f"{paths.HARNESS}/clients/{script}", origin, ADMIN_KEY),
            binds=(
                *find_suite_toolchain().list_binds(),
                Bind(HERE / "clients", f"{paths.HARNESS}/clients"),
            ),
            limits=JailLimits(wall_s=300),
        )
    )
    reports = [json.loads(line) for line in finished.stdout.decode().splitlines()]
    assert reports, finished.stderr.decode()
    assert finished.returncode == 0, f"ended after {reports[-1]}: {finished}"
    return reports


@pytest.mark.parametrize(
    "script",
    leave_to_more({name: name for name in SCRIPTS}, but=set(SCRIPTS) - {"many.mjs", "system.mjs"}),
)
def test_javascript_clients(backend: Served, script: str) -> None:
    """Each scenario of the scripts passes; a failure has the scenario's name."""
    failed = [scenario for scenario in run_client(script, backend.origin) if "error" in scenario]
    assert not failed, json.dumps(failed, indent=1).replace("\\n", "\n")


def test_the_python_client_calls_functions(backend: Served) -> None:
    """Values of every kind go to an action and come back."""
    client = convex.ConvexClient(backend.origin)
    value: convex.ConvexValue = {
        "big": convex.ConvexInt64(2**62),
        "bytes": b"\x00\xff",
        "float": 1.5,
        "none": None,
    }
    assert client.action("notes:echo", {"value": value}) == value
    assert client.mutation("notes:add", {"box": "py", "body": "one"}) == 3
    assert client.query("notes:list", {"box": "py"}) == ["one"]


def test_the_python_client_gets_errors_with_data(backend: Served) -> None:
    """An error that a function throws on purpose arrives as a ConvexError with its data."""
    client = convex.ConvexClient(backend.origin)
    with pytest.raises(convex.ConvexError) as refusal:
        client.mutation("notes:add", {"box": "py", "body": ""})
    assert refusal.value.data == {"code": "empty"}
    with pytest.raises(Exception, match="Could not find"):
        client.query("notes:nothing", {})


def test_the_python_client_subscribes(backend: Served) -> None:
    """A subscription gives the present result, and the next one after a mutation."""
    client = convex.ConvexClient(backend.origin)
    results = client.subscribe("notes:list", {"box": "followed"})
    assert next(results) == []
    convex.ConvexClient(backend.origin).mutation("notes:add", {"box": "followed", "body": "new"})
    assert next(results) == ["new"]
    results.unsubscribe()


@pytest.mark.more
def test_the_python_client_subscribes_a_hundred_times(backend: Served) -> None:
    """Each of a hundred subscriptions of one client follows its own query."""
    client = convex.ConvexClient(backend.origin)
    boxes = [f"py {number}" for number in range(100)]
    followed = [client.subscribe("notes:list", {"box": box}) for box in boxes]
    assert [next(results) for results in followed] == [[] for _ in boxes]
    for number in (5, 50, 99):
        client.mutation("notes:add", {"box": boxes[number], "body": "x"})
        assert read_next_result(followed[number], []) == ["x"]
    for results in followed:
        results.unsubscribe()


def test_the_python_client_comes_back_after_a_dropped_line(backend: Served) -> None:
    """Subscriptions and mutations continue over a new connection."""
    with run_relay(backend.origin) as (origin, drop):
        client = convex.ConvexClient(origin)
        results = client.subscribe("notes:list", {"box": "dropped"})
        assert next(results) == []
        drop()
        other = convex.ConvexClient(backend.origin)
        other.mutation("notes:add", {"box": "dropped", "body": "meanwhile"})
        assert read_next_result(results, []) == ["meanwhile"]
        assert client.mutation("notes:add", {"box": "dropped", "body": "after"}) == 5
        assert read_next_result(results, ["meanwhile"]) == ["meanwhile", "after"]
        results.unsubscribe()


def test_the_python_client_has_the_rights_of_the_key(backend: Served) -> None:
    """With the key, internal and system functions answer; without it, neither do."""
    client = convex.ConvexClient(backend.origin)
    note: dict[str, Any] = {"box": "py key", "body": "x"}
    with pytest.raises(Exception, match="Could not find public function"):
        client.mutation("notes:addScheduled", note)
    client.set_admin_auth(ADMIN_KEY)
    client.mutation("notes:addScheduled", note)
    rows = client.query("_system/frontend/listTableScan", {"table": "notes", "limit": 1})
    assert [row["box"] for row in rows] == ["py key"]


def read_next_result(
    results: Iterator[convex.ConvexValue], previous_result: convex.ConvexValue
) -> convex.ConvexValue:
    """Return the next different result: the client repeats a result when any query changes."""
    return next(result for result in results if result != previous_result)


@contextmanager
def run_relay(origin: str) -> Generator[tuple[str, Callable[[], None]]]:
    """Pass connections on to an origin; the second value drops all that are open."""
    command = [sys.executable, str(HERE / "relay.py"), str(urlsplit(origin).port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def drop() -> None:
            stdin.write("\n")
            stdin.flush()
            assert stdout.readline() == "dropped\n"

        try:
            yield f"http://127.0.0.1:{stdout.readline().strip()}", drop
        finally:
            process.kill()
