"""The preview: a change reaches the open page; a broken record is named over the last good one."""

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import uvicorn

from generator.build import Sources, build
from leaderboard.preview import Preview
from records.folder import DataFolder

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one benchmark version and its runs."""
    copy = tmp_path / "data"
    shutil.copytree(ROOT / "data" / "benchmarks", copy / "benchmarks")
    shutil.copytree(ROOT / "data" / "runs" / "minimax", copy / "runs" / "minimax")
    return copy


@pytest.fixture
def address(data: Path, tmp_path: Path) -> Iterator[str]:
    """A preview that serves and watches, over real HTTP."""
    sources = Sources(DataFolder(data), ROOT / "site_templates", ROOT / "evals", local=True)
    preview = Preview(tmp_path / "site", lambda: build(sources, tmp_path / "site"), [data])
    assert preview.build() is None
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        config = uvicorn.Config(preview.app(), log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        serving.join()


def next_problem(lines: Iterator[str]) -> str | None:
    """Return what the next event says is wrong; None for a plain reload."""
    data = next(line for line in lines if line.startswith("data: "))
    return json.loads(data.removeprefix("data: "))["problem"]


def test_pages_are_served_with_the_reload_script(address: str) -> None:
    """The script is added while serving; files on the disk do not have it."""
    page = httpx.get(f"{address}/")
    assert page.status_code == 200
    assert "/__preview/client.js" in page.text
    assert httpx.get(f"{address}/__preview/client.js").status_code == 200
    assert httpx.get(f"{address}/nowhere/").status_code == 404


def test_nothing_outside_the_site_is_served(address: str) -> None:
    """A path that climbs out of the site is not found."""
    with socket.create_connection(_place(address)) as raw:
        raw.sendall(b"GET /../data/models.toml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = raw.recv(1 << 16)
    assert b" 404 " in answer.split(b"\r\n")[0]


def test_a_change_reloads_and_a_broken_record_is_named(address: str, data: Path) -> None:
    """A broken record is named by file and field while its page stays; mending it reloads."""
    (record,) = (data / "runs").rglob("*.json")
    good = record.read_text()
    with httpx.stream("GET", f"{address}/__preview/events", timeout=20) as events:
        lines = events.iter_lines()
        record.write_text(good.replace('"status": "completed"', '"status": "finished"', 1))
        problem = next_problem(lines)
        assert problem is not None
        assert record.name in problem
        assert "status" in problem
        assert httpx.get(f"{address}/").status_code == 200
        record.write_text(good)
        assert next_problem(lines) is None


def _place(address: str) -> tuple[str, int]:
    url = httpx.URL(address)
    assert url.port is not None
    return url.host, url.port
