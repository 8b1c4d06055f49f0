"""The official clients work against the embedded backend as they are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import convex
import pytest

from runner.jail import HARNESS, NODE, Bind, JailSpec, open_jail
from tests.runner.served import ADMIN_KEY, Served, serve, toolchain

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def backend() -> Iterator[Served]:
    """Serve the project of this folder over TCP."""
    with serve(open_jail("none"), HERE / "project", tcp=True) as served:
        yield served


def run_client(script: str, origin: str) -> list[dict[str, Any]]:
    """Run a script of clients/ and return what it says of each scenario."""
    finished = open_jail("none").run(
        JailSpec(
            command=(NODE, f"{HARNESS}/clients/{script}", origin, ADMIN_KEY),
            binds=(*toolchain().binds(), Bind(HERE / "clients", f"{HARNESS}/clients")),
            network=True,
        )
    )
    said = [json.loads(line) for line in finished.stdout.decode().splitlines()]
    assert said, finished.stderr.decode()
    return said


@pytest.mark.parametrize("script", ["react_client.mjs", "pages.mjs", "system.mjs"])
def test_javascript_clients(backend: Served, script: str) -> None:
    """Each scenario of the scripts, told by its name, holds."""
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
    """What a function throws on purpose arrives as a ConvexError with its data."""
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
