"""A project deployed once to each backend, and a client that finds it empty."""

import json
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from runner.backends.backend import Backend, BackendKind, Deployment
from runner.backends.client import ANYBODY, BackendClient, Caller, Response
from runner.backends.values import Value, encode
from runner.errors import DeployFailedError, ToolchainMissingError
from runner.grading.convex_steps import make_backend
from runner.grading.fixtures.convex import Convex
from runner.jail import open_jail
from runner.toolchain import Toolchain, find_node
from runner.workspace import create_workspace

if TYPE_CHECKING:
    from types import ModuleType

PROJECTS = Path(__file__).parent / "projects"


def make_or_skip(kind: BackendKind, toolchain: Toolchain) -> Backend:
    """Return a backend, or skip where this machine does not have it."""
    try:
        return make_backend(kind, open_jail("bwrap"), toolchain)
    except ToolchainMissingError as missing:
        pytest.skip(str(missing))


def read_project(name: str) -> dict[str, str]:
    """Read the files of a project of these tests."""
    root = PROJECTS / name
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in files}


@contextmanager
def deploy_files(backend: Backend, files: Mapping[str, str]) -> Generator[Deployment]:
    """Deploy the files of a project."""
    with create_workspace() as workspace:
        workspace.write(files)
        with backend.deploy(workspace, 60) as deployment:
            yield deployment


@contextmanager
def deploy_project(backend: Backend, name: str) -> Generator[Deployment]:
    """Deploy a project of these tests."""
    with deploy_files(backend, read_project(name)) as deployment:
        yield deployment


def find_refusal(backend: Backend, files: Mapping[str, str]) -> str:
    """Return the reason for which a deploy fails as the model's failure."""
    with pytest.raises(DeployFailedError) as refusal, deploy_files(backend, files):
        pass
    return str(refusal.value)


@contextmanager
def reset_deployment(deployment: Deployment) -> Generator[BackendClient]:
    """Reset a deployment, and make a client of it."""
    with BackendClient(deployment.address) as client:
        client.call_control("reset")
        yield client


@contextmanager
def open_client(backend: Backend, files: Mapping[str, str]) -> Generator[BackendClient]:
    """Deploy the files of a project, and make a client of the deployment."""
    with deploy_files(backend, files) as deployment, BackendClient(deployment.address) as client:
        yield client


def post_json(
    deployment: Deployment,
    path: str,
    value: object,
    caller: Caller = ANYBODY,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Post JSON to a path of the API of a deployment, with more headers."""
    url = f"{deployment.address.origin}/api/{path}"
    body, sent = json.dumps(value).encode(), {"content-type": "application/json", **(headers or {})}
    with BackendClient(deployment.address) as client:
        return client.send_http("POST", url, body=body, headers=sent, caller=caller)


def read_logs(deployment: Deployment, kind: str, path: str, args: Mapping[str, Value]) -> list[str]:
    """Call a function of a deployment, and return the log lines of the answer."""
    call = {"path": path, "args": encode(args), "format": "convex_encoded_json"}
    return cast("list[str]", post_json(deployment, kind, call).json()["logLines"])


def run_in_node(script: str, *arguments: Path, longest_s: float = 60) -> str:
    """Run a script as a module of Node for at most ``longest_s`` seconds; return its output."""
    command = [find_node(), "--input-type=module", "-e", script, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=longest_s, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def list_tables(client: BackendClient) -> list[str]:
    """Return the names of the tables."""
    return [table["name"] for table in client.list_items("cli/tables", {})]


@pytest.fixture(scope="module", params=["embedded", "local"])
def contract(request: pytest.FixtureRequest, toolchain: Toolchain) -> Iterator[Deployment]:
    """The project ``contract``, deployed for the tests of a module to the backend of the test.

    The scope is no longer, because a deployment may live for ten minutes, which all tests take on a
    busy machine.
    """
    with deploy_project(make_or_skip(request.param, toolchain), "contract") as deployment:
        yield deployment


@pytest.fixture
def client(contract: Deployment) -> Iterator[BackendClient]:
    """A client of an empty deployment."""
    with BackendClient(contract.address) as client:
        if contract.address.socket is not None:
            client.call_control("reset")
        else:
            for table in list_tables(client):
                for row in client.list_documents(table):
                    Convex(client).delete(table, row["_id"])
        yield client


@pytest.fixture(scope="session")
def embedded(toolchain: Toolchain) -> Backend:
    """The embedded backend alone."""
    return make_or_skip("embedded", toolchain)


@pytest.fixture(scope="module")
def deployment(request: pytest.FixtureRequest, embedded: Backend) -> Iterator[Deployment]:
    """The project that the module's ``PROJECT`` names, deployed to the embedded backend."""
    module = cast("ModuleType", request.module)  # pyright: ignore[reportUnknownMemberType]
    with deploy_project(embedded, vars(module)["PROJECT"]) as deployment:
        yield deployment


@pytest.fixture
def app(deployment: Deployment) -> Iterator[BackendClient]:
    """A client of the empty deployment."""
    with reset_deployment(deployment) as client:
        yield client


@pytest.fixture
def controlled(client: BackendClient, contract: Deployment) -> BackendClient:
    """A client whose deployment has test controls."""
    if contract.address.socket is None:
        pytest.skip("the real backend has no test controls")
    return client
