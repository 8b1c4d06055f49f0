"""Bodies of 100 MB at every address of `leaderboard serve` that takes a body: desk and API."""

import re
import subprocess
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from starlette.routing import Route

from generator.scores.intervals import compute_session_interval
from leaderboard.api.app import build_api_app
from leaderboard.api.guarded_routes import GuardedRoute
from leaderboard.api.keys import SCOPES, KeyStore
from records.files.data_folder import DataFolder
from review.desk.app import build_desk_app
from review.desk.desk import Desk
from review.store import SessionStore
from tests.leaderboard.commands.test_serve import make_bare_project
from tests.support.warm_command import get_installed_program

pytestmark = pytest.mark.integration


MEGABYTE = 1_000_000
PARTS = {
    "run_id": "a" * 32,
    "category": "001-queries",
    "name": "001-list",
    "sample": "1",
    "version": "0123456789ab",
    "run": "a" * 32,
    "eval": "001-queries/001-list",
    "id": "a" * 32,
    "comparison": "a" * 32,
    "session_id": "a" * 32,
    "turn": "1",
    "alias": "a" * 24,
    "number": "1",
}
"""Value of each named part of an address."""


@dataclass(frozen=True)
class RunningServer:
    """A running server, and the most memory that it has held."""

    address: str
    key: str
    process: int
    data: Path

    def read_peak_kib(self) -> int:
        """Return the largest resident set so far, in KiB."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0])

    def read_written_files(self) -> dict[str, bytes]:
        """Return the files in the folders of sessions, comparisons and received runs."""
        folders = ("sessions", "local/sessions", "local/comparisons", "local/inbox", "local/runs")
        files = [
            path for folder in folders for path in (self.data / folder).rglob("*") if path.is_file()
        ]
        return {str(path): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RunningServer]:
    """Serve an empty project as a process, with a key that may do everything."""
    project = make_bare_project(tmp_path_factory.mktemp("project"))
    data = DataFolder(project.root / "data")
    key = KeyStore(data.keys_file).create("runner", SCOPES, None)
    program = get_installed_program("the memory of a true process is measured")
    command = [program, "serve", "--port", "0", *project.places]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if listening := re.match(r"(http://127\.0\.0\.1:\d+)/", line):
                break
        else:
            raise AssertionError("the server ended before it listened")
        yield RunningServer(listening[1], key, process.pid, project.root / "data")
        process.kill()


def list_operations(data: DataFolder) -> Iterator[tuple[str, str, int]]:
    """Yield method, address and most bytes of every operation that takes a body."""
    for route in build_api_app(data).routes:
        if isinstance(route, GuardedRoute) and route.body_field:
            yield route.method, route.path.format(**PARTS), route.guard.largest_body


def list_writes(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield method, address and type of body of every operation and form that there is."""
    data = DataFolder(root)
    for method, path, _ in list_operations(data):
        yield method, path, "application/json"
    desk = Desk(SessionStore(data), root, compute_session_interval)
    for route in build_desk_app(desk).routes:
        if isinstance(route, Route) and "POST" in (route.methods or ()):
            path = re.sub(r"\{(\w+)(:\w+)?\}", lambda match: PARTS[match[1]], route.path)
            yield "POST", f"/review{path}", "application/x-www-form-urlencoded"


@pytest.mark.night
def test_100_megabytes_are_refused_at_every_address(server: RunningServer, tmp_path: Path) -> None:
    """The answer is 413, with a length or in chunks; memory stays small, and nothing is written."""
    writes = list(list_writes(tmp_path))
    assert len(writes) >= 11, writes
    before, peak = server.read_written_files(), server.read_peak_kib()
    piece = b"a" * MEGABYTE
    with httpx.Client(base_url=server.address, timeout=600) as client:
        client.headers["Authorization"] = f"Bearer {server.key}"
        for method, path, kind in writes:
            for announced in (True, False):
                headers = {"Content-Type": kind}
                if announced:
                    headers["Content-Length"] = str(100 * MEGABYTE)
                pieces = (piece for _ in range(100))
                answer = client.request(method, path, content=pieces, headers=headers)
                assert answer.status_code == 413, (path, announced, answer.text)
    assert server.read_written_files() == before
    # The API keeps the parts of a body until they are more than the 32 MiB that it takes.
    assert server.read_peak_kib() - peak < 64 * 1024


@pytest.mark.more
@pytest.mark.parametrize(
    "body",
    [
        b"{" + b",".join(b'"x%07d":1' % number for number in range(500_000)) + b"}",
        b'{"planned":[' + b",".join([b"1"] * 3_000_000) + b"]}",
        b'{"planned":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
        b'{"samples":' + b"1" * 10_000_000 + b"}",
        b'{"model":' + b'{"name":' * 20_000 + b"1" + b"}" * 20_000 + b"}",
    ],
    ids=["names", "items", "lists", "digits", "objects"],
)
def test_many_values_cost_little(server: RunningServer, body: bytes) -> None:
    """Six megabytes of names would take a gigabyte of memory, while nothing else is answered.

    Where an operation takes less, the body is refused by its size, else by what is in it.
    """
    with httpx.Client(base_url=server.address, timeout=600) as client:
        client.headers["Authorization"] = f"Bearer {server.key}"
        peak = server.read_peak_kib()
        for method, path, largest_body in list_operations(DataFolder(server.data)):
            headers = {"Content-Type": "application/json"}
            answer = client.request(method, path, content=body, headers=headers)
            status = 413 if len(body) > largest_body else 400
            assert answer.status_code == status, answer.text
            assert len(answer.content) < 1_000
        # Ten megabytes are held in parts, as a whole, as text and in an error: about 80 MiB.
        assert server.read_peak_kib() - peak < 128 * 1024
