"""Projects with one run, previews of them over real HTTP, and the events of a preview."""

import json
import shutil
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from generator.build import Builder, Sources
from generator.errors import AbandonedError
from generator.output_folder import Written
from leaderboard.preview.server import Preview
from records.files.data_folder import DataFolder
from tests.leaderboard.commanding import PATIENCE_S
from tests.support.applications import serve_on_loopback
from tests.support.warm_command import ROOT

REPORT = """\
---
schema_version: 2
run: jn7aaaaaaaaaaaaaaaaaaaaaaaaaaaaa
author: a maintainer
date: 2026-02-19
planned: 2
passed: 1
---

Text.
"""


def write_project(folder: Path) -> tuple[Path, Path]:
    """Write data of one run, templates, a method and no eval; return folders of data, templates."""
    copy = folder / "data"
    shutil.copytree(ROOT / "data" / "benchmarks", copy / "benchmarks")
    shutil.copytree(ROOT / "data" / "runs" / "minimax", copy / "runs" / "minimax")
    (folder / "docs").mkdir()
    (folder / "evals").mkdir()
    shutil.copy(ROOT / "docs" / "method.md", folder / "docs")
    ignored = shutil.ignore_patterns("__pycache__")
    templates = shutil.copytree(ROOT / "site_templates", folder / "templates", ignore=ignored)
    return copy, templates


def make_sources(data: Path, templates: Path) -> Sources:
    """Return the sources of the site of a project."""
    evals = data.parent / "evals"
    return Sources(DataFolder(data), templates, evals, local=True, steady_assets=True)


@contextmanager
def serve_preview(
    builder: Builder, watched: list[Path], folder: Path, terminal: list[str]
) -> Generator[str]:
    """Serve a preview on this machine."""
    preview = Preview(folder / "site", builder, watched, terminal.append)
    preview.build()
    assert preview.problem is None
    with serve_on_loopback(preview.build_app(), lifespan="on") as address:
        yield address


@dataclass(frozen=True)
class News:
    """An event."""

    problem: str | None
    notices: list[str]
    reload: bool
    style: bool
    building: bool


def read_news(lines: Iterator[str]) -> Iterator[News]:
    """Yield the events of a stream, for as long as any of them may take."""
    until = time.monotonic() + PATIENCE_S
    for line in lines:
        assert time.monotonic() < until  # a stream sends a sign of life from time to time
        if line.startswith("data: "):
            yield News(**json.loads(line.removeprefix("data: ")))


@contextmanager
def listen(address: str, page: str = "") -> Generator[Iterator[News]]:
    """Yield the events of a preview while a page of it is open; without a page, no page is."""
    events = f"{address}/__preview/events" + (f"?page={page}" if page else "")
    with httpx.stream("GET", events, timeout=PATIENCE_S) as stream:
        yield read_news(stream.iter_lines())


def wait_for_reload(messages: Iterator[News]) -> News:
    """Return the next event by which the open page is loaded again."""
    return next(message for message in messages if message.reload)


class HeldBuilder(Builder):
    """A builder whose builds wait until they may go on, or are abandoned."""

    def __init__(self, sources: Sources, out: Path) -> None:
        super().__init__(sources, out)
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.told_to_end = threading.Event()

    def build(self) -> Written:
        """Build the site when that may go on."""
        self.told_to_end.clear()
        until = time.monotonic() + PATIENCE_S
        while not self.goes_on.wait(0.02):
            assert time.monotonic() < until
            if self.told_to_end.is_set():
                raise AbandonedError
        return super().build()

    def abandon(self) -> None:
        """End a build that waits."""
        super().abandon()
        self.told_to_end.set()
