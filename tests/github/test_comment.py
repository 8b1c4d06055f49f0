"""The comment on a pull request, written through an HTTP server that answers as GitHub does."""

import io
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

SCRIPT: Final = Path(__file__).parents[2] / "scripts" / "pull_request_comment.py"
SHA: Final = "a" * 40
MARK: Final = "<!-- leaderboard:diff -->"
PREVIEW: Final = "https://deploy-preview-7--ours.netlify.app"
CHANGED: Final[Mapping[str, object]] = {
    "headline": "1 eval fixed",
    "new": ["a run"],
    "pairs": [{"conclusion": "noise"}],
}


@dataclass
class Repository:
    """What the server knows, and what it was told."""

    head: str = SHA
    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    files: dict[str, bytes] | None = None
    checks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: set[str] = field(default_factory=set[str])
    address: str = ""

    def answer(self, method: str, path: str, body: dict[str, Any]) -> object:
        """Answer a request for what is below the repository; None has no body."""
        place, _, query = path.partition("?")
        match method, place.split("/"):
            case "GET", ["pulls"]:
                assert "head=stranger%3Afix" in query
                heads = {6: "b" * 40, 7: self.head}
                return [{"number": one, "head": {"sha": sha}} for one, sha in heads.items()]
            case "GET", ["actions", "runs", "12", "artifacts"]:
                return {"artifacts": [] if self.files is None else [{"id": 3}]}
            case "GET", ["issues", "7", "comments"]:
                return self.comments if "page=1" in query else []
            case "POST", ["issues", "7", "comments"]:
                ours = {"login": "github-actions[bot]"}
                self.comments.append({"id": len(self.comments) + 1, "user": ours, **body})
            case "PATCH", ["issues", "comments", number]:
                self.comments[int(number) - 1] |= body
            case "DELETE", ["issues", "comments", number]:
                del self.comments[int(number) - 1]
            case "POST", ["check-runs"]:
                self.checks.append(body)
            case _:
                raise AssertionError(f"{method} {path} was not expected")
        return None

    def archive(self) -> bytes:
        """Return the artifact."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as members:
            for name, data in (self.files or {}).items():
                members.writestr(name, data)
        return packed.getvalue()


@pytest.fixture
def repository() -> Generator[Repository]:
    """Serve a repository with pull request 7, of a stranger's branch."""
    known = Repository()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
            """Say nothing."""

        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body: dict[str, Any] = json.loads(self.rfile.read(length) or b"{}")
            known.keys.add(self.headers["Authorization"] or "")
            path = self.path.removeprefix("/repos/us/board/")
            if path == "actions/artifacts/3/zip":
                data = known.archive()
            else:
                found = known.answer(self.command, path, body)
                data = b"" if found is None else json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - as the base class calls them

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield known
    server.shutdown()
    thread.join()
    server.server_close()


def comment(repository: Repository) -> subprocess.CompletedProcess[str]:
    """Run the script as comment.yml does."""
    return subprocess.run(
        [sys.executable, SCRIPT],
        env={
            "GITHUB_API_URL": repository.address,
            "GITHUB_REPOSITORY": "us/board",
            "GITHUB_TOKEN": "secret",
            "RUN_ID": "12",
            "HEAD_OWNER": "stranger",
            "HEAD_BRANCH": "fix",
            "HEAD_SHA": SHA,
            "NETLIFY_SITE": "ours",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def computed(markdown: str, found: Mapping[str, object] = CHANGED) -> dict[str, bytes]:
    """Return the files of a comparison."""
    return {
        "comparison.md": f"{MARK}\n{markdown}".encode(),
        "comparison.json": json.dumps(found).encode(),
    }


def test_one_comment_is_written_and_updated(repository: Repository) -> None:
    """The second run changes the first one's comment; a stranger's with the mark is let be."""
    foreign = {"id": 1, "user": {"login": "stranger"}, "body": f"{MARK}\nmine"}
    repository.comments.append(foreign)
    for text in ("first", "second"):
        repository.files = computed(text)
        done = comment(repository)
        assert done.returncode == 0, done.stderr
    assert [one["body"] for one in repository.comments] == [f"{MARK}\nmine", f"{MARK}\nsecond"]
    assert {check["conclusion"] for check in repository.checks} == {"neutral"}
    assert {check["head_sha"] for check in repository.checks} == {SHA}
    assert repository.keys == {"Bearer secret"}


def test_it_goes_when_nothing_changes_any_more(repository: Repository) -> None:
    """A comment that says what is not so any longer is worse than none."""
    repository.files = computed("something")
    comment(repository)
    repository.files = computed("nothing", {"headline": "", "pairs": [], "new": []})
    comment(repository)
    assert repository.comments == []
    assert repository.checks[-1]["conclusion"] == "success"


@pytest.mark.parametrize("what", ["head moved", "no artifact"])
def test_nothing_is_said_of_what_is_gone(repository: Repository, what: str) -> None:
    """The branch moved on, or pr.yml computed nothing."""
    if what == "head moved":
        repository.head, repository.files = "c" * 40, computed("old")
    done = comment(repository)
    assert (done.returncode, repository.comments, repository.checks) == (0, [], [])
    assert "nothing to say" in done.stdout


def test_nothing_in_a_strangers_text_acts(repository: Repository) -> None:
    """Mentions, HTML, images and links elsewhere are broken; links to the preview stay."""
    hostile = (
        "@team see [a](https://evil.example/x) ![p](https://evil.example/p.png) www.evil.example\n"
        "<img src=https://evil.example/q> <!-- x --> https://evil.example mailto:a@evil.example\n"
        f"[fine]({PREVIEW}/runs/a/) [not](https://deploy-preview-7--ours.netlify.app.evil.example/)"
    )
    repository.files = computed(hostile)
    comment(repository)
    (said,) = repository.comments
    body = said["body"].removeprefix(MARK)
    page = LexborHTMLParser(MarkdownIt("gfm-like", {"linkify": False}).render(body))
    assert [link.attributes["href"] for link in page.css("a")] == [f"{PREVIEW}/runs/a/"]
    assert page.css("img") == []
    assert "@team" not in body
    assert "https://evil" not in body
    assert "www.evil" not in body


def test_a_table_of_seventy_thousand_characters_is_cut(repository: Repository) -> None:
    """GitHub would refuse it whole."""
    repository.files = computed("first\n\n" + "| a |\n" * 12_000)
    assert comment(repository).returncode == 0
    (said,) = repository.comments
    assert len(said["body"]) < 65_536
    assert "first" in said["body"]
    assert said["body"].endswith("Cut here; see the artifact.")


@pytest.mark.parametrize("data", [b"[]", b"nonsense", b'{"pairs": 3, "new": "x"}', b"[" * 100_000])
def test_any_json_is_survived(repository: Repository, data: bytes) -> None:
    """A stranger's JSON ends no workflow with a traceback."""
    repository.files = computed("text") | {"comparison.json": data}
    done = comment(repository)
    assert done.returncode == 0, done.stderr


def test_an_archive_that_is_a_bomb_is_refused(repository: Repository) -> None:
    """Before it is unpacked."""
    repository.files = computed("text") | {"comparison.md": b"a" * (9 * 1024 * 1024)}
    done = comment(repository)
    assert done.returncode == 1
    assert "too large" in done.stderr
