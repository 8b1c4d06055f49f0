"""GitHub's API for artifacts, as the periodic workflow sees it: a server on loopback."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.request_handlers import SilentHandler, serve_handler
from tests.support.zips import pack_zip

BASE = "/repos/us/board/actions/"
REPOSITORY = "us/board"


@dataclass
class Storage:
    """The artifacts of a repository, and the runs of workflows that made them."""

    address: str = ""
    artifacts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    archives: dict[int, bytes] = field(default_factory=dict[int, bytes])
    runs: dict[int, dict[str, Any]] = field(default_factory=dict[int, dict[str, Any]])
    authorized: set[str] = field(default_factory=set[str])
    """The Authorization headers of requests for archives, after GitHub's redirect."""

    def begin_run(self, **other: object) -> int:
        """Add a run of the periodic workflow, or of ``other`` facts; return its id."""
        number = len(self.runs) + 1
        self.runs[number] = {
            "id": number,
            "path": ".github/workflows/periodic.yml",
            "event": "schedule",
            "head_branch": "main",
            "head_repository": {"full_name": REPOSITORY},
            **other,
        }
        return number

    def upload(self, run: int, name: str, folder: Path) -> None:
        """Store a folder's files, if any, as `actions/upload-artifact` does."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        if paths:
            members = ((str(path.relative_to(folder)), path.read_bytes()) for path in paths)
            self.add(run, name, pack_zip(*members))

    def add(self, run: int, name: str, archive: bytes) -> None:
        """Store an archive."""
        number = len(self.artifacts) + 1
        self.archives[number] = archive
        self.artifacts.append(
            {
                "id": number,
                "name": name,
                "expired": False,
                "created_at": f"2026-11-26T00:00:{number:02}Z",
                "workflow_run": {"id": run},
            }
        )

    def answer(self, path: str) -> object:
        """Return the answer to a question about artifacts and runs."""
        address = urlsplit(path)
        match address.path.removeprefix(BASE).split("/"):
            case ["artifacts"]:
                query = parse_qs(address.query)
                alike = [
                    artifact for artifact in self.artifacts if artifact["name"] == query["name"][0]
                ]
                begin = (int(query["page"][0]) - 1) * int(query["per_page"][0])
                return {"artifacts": alike[begin : begin + int(query["per_page"][0])]}
            case ["runs", number]:
                return self.runs[int(number)]
            case _:
                raise AssertionError(f"{path} was not expected")


@contextmanager
def serve_storage() -> Generator[Storage]:
    """Serve a repository's artifacts; an archive lies behind a redirect, as GitHub's do."""
    storage = Storage()

    class Handler(SilentHandler):
        def do_GET(self) -> None:  # noqa: N802 - as the base class calls it
            if self.path.startswith("/stored/"):
                storage.authorized.add(self.headers["Authorization"] or "")
                self.send_content(storage.archives[int(self.path.rpartition("/")[2])])
            elif self.path.endswith("/zip"):
                self.send_content(b"", 302, Location=f"/stored/{self.path.split('/')[-2]}")
            else:
                assert self.headers["Authorization"] == "Bearer secret"
                self.send_content(json.dumps(storage.answer(self.path)).encode())

    with serve_handler(Handler) as storage.address:
        yield storage
