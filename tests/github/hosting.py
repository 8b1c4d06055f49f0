"""A server that answers as GitHub does, for the script that writes comments."""

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from tests.support.request_handlers import SilentHandler, serve_handler
from tests.support.zips import pack_zip

SCRIPT = Path(__file__).parents[2] / "scripts" / "pull_request_comment.py"
SHA = "a" * 40
PREVIEW = "https://deploy-preview-7--ours.netlify.app"


@dataclass
class Repository:
    """The state of the server, and the requests that it received."""

    head: str = SHA
    base: str = "d" * 40
    event_sha: str = SHA
    """The head that the event names."""
    comments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    files: dict[str, bytes] | None = None
    checks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: set[str] = field(default_factory=set[str])
    address: str = ""
    source: str | None = "stranger/board"
    """Repository that the pull request comes from; null if it was deleted."""

    def answer(self, method: str, path: str, body: dict[str, Any]) -> object:
        """Answer a request for an address below the repository; None has no body."""
        route, _, query = path.partition("?")
        match method, route.split("/"):
            case "GET", ["pulls"]:
                assert "%3Afix" in query
                repo = self.source and {"full_name": self.source}
                heads = {6: "b" * 40, 7: self.head}
                return [
                    {
                        "number": pull_number,
                        "head": {"sha": sha, "repo": repo},
                        "base": {"sha": self.base},
                    }
                    for pull_number, sha in heads.items()
                ]
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


@contextmanager
def serve_repository() -> Generator[Repository]:
    """Serve a repository with pull request 7, of a stranger's branch."""
    repository = Repository()

    class Handler(SilentHandler):
        def _handle(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body: dict[str, Any] = json.loads(self.rfile.read(length) or b"{}")
            repository.keys.add(self.headers["Authorization"] or "")
            path = self.path.removeprefix("/repos/us/board/")
            if path == "actions/artifacts/3/zip":
                data = pack_zip(*(repository.files or {}).items())
            else:
                answer = repository.answer(self.command, path, body)
                data = b"" if answer is None else json.dumps(answer).encode()
            self.send_content(data)

        do_GET = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815 - as the base class calls them

    with serve_handler(Handler) as repository.address:
        yield repository


def load_comment_script() -> Any:  # noqa: ANN401 - a module
    """Return the script as a module."""
    spec = spec_from_file_location("pull_request_comment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    return script


def build_comment_environment(repository: Repository, owner: str = "stranger") -> dict[str, str]:
    """Return the environment that comment.yml gives its scripts."""
    return {
        "GITHUB_API_URL": repository.address,
        "GITHUB_REPOSITORY": "us/board",
        "GITHUB_TOKEN": "secret",
        "RUN_ID": "12",
        "HEAD_OWNER": owner,
        "HEAD_BRANCH": "fix",
        "HEAD_SHA": repository.event_sha,
        "NETLIFY_SITE": "ours",
    }


def run_comment_script(
    repository: Repository, owner: str = "stranger", described: str = "success"
) -> subprocess.CompletedProcess[str]:
    """Run the script as comment.yml does."""
    return subprocess.run(
        [sys.executable, SCRIPT],
        env=build_comment_environment(repository, owner) | {"DESCRIBED": described},
        capture_output=True,
        text=True,
        check=False,
    )
