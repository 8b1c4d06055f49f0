"""The process of `leaderboard serve`: the watched files, its start and its end."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from leaderboard.preview.server import POLICY
from records.sessions.session import EvalStatus
from records.writer import write_record
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.preview.previewing import listen, wait_for_reload
from tests.records.sessions.audits import make_audit, make_audit_item
from tests.review.corpus import store_of
from tests.review.desking import make_attempt_session, make_talk, read_form_fields
from tests.review.labelling import give_labels
from tests.support import warm_command

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Project:
    """A project without any run."""

    root: Path

    @property
    def places(self) -> list[str]:
        """The options for the folders of the project."""
        return [
            *("--data", str(self.root / "data")),
            *("--templates", str(self.root / "templates")),
            *("--evals", str(self.root / "evals")),
            *("--out", str(self.root / "site")),
        ]


def make_bare_project(root: Path) -> Project:
    """Make a project of templates and a method, without suite and records."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(warm_command.ROOT / "site_templates", root / "templates", ignore=ignored)
    for name in ("data", "evals", "docs"):
        (root / name).mkdir()
    (root / "docs" / "method.md").write_text("# Method\n\nWritten before.\n")
    return Project(root)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project that can be changed."""
    return make_bare_project(tmp_path)


@contextmanager
def serve_project(
    project: Project, *, true_process: str | None = None
) -> Generator[tuple[str, list[str]]]:
    """Yield the address of a server, and its output before; end it as Ctrl-C does.

    ``true_process`` is the reason why the server must be a true process.
    """
    arguments = ["serve", "--port", "0", *project.places]
    with (
        warm_command.WarmCommand(arguments, stdout=subprocess.PIPE)
        if true_process is None
        else subprocess.Popen(
            [warm_command.get_installed_program(true_process), *arguments],
            cwd=warm_command.ROOT,
            env=warm_command.make_command_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
    ) as process:
        assert process.stdout is not None
        lines: list[str] = []
        try:
            for line in process.stdout:
                if line.startswith("http://"):
                    yield line.split("/ ")[0], lines
                    break
                lines.append(line)
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 0


def test_the_api_stands_beside_the_site(project: Project) -> None:
    """The API's document and page are open, its runs need a key, and the site's files stay."""
    why = "what a true process imports, beside the API, is what must be installed to serve"
    with (
        serve_project(project, true_process=why) as (address, _),
        httpx.Client(base_url=address) as client,
    ):
        assert "/api/runs" in client.get("/openapi.json").json()["paths"]
        assert client.get("/api/docs").status_code == 200
        assert client.get("/api/runs").status_code == 401
        assert client.get("/api/runs/x").json()["parameter"] == "run_id"
        assert client.get("/api/v1/").status_code == 404
        assert client.get("/api/v1/index.json").is_success
        foreign = {"Host": "elsewhere.example"}
        assert client.get("/openapi.json", headers=foreign).status_code == 421


def test_the_desk_stands_beside_the_site(project: Project) -> None:
    """The desk's pages have the site's policy; its forms write, and other sites are refused."""
    store = store_of(project.root / "data", [make_talk(100)])
    path = "sessions/session-0100"
    with (
        serve_project(project) as (address, _),
        httpx.Client(base_url=f"{address}/review/", headers={"Origin": address}) as client,
    ):
        assert httpx.get(f"{address}/review").headers["location"] == "/review/"
        answer = client.get("").raise_for_status()
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        fields = {**read_form_fields(client, path), "evalStatus": "golden"}
        for foreign, status in (
            ({"Host": "elsewhere.example"}, 421),
            ({"Origin": "https://elsewhere.example"}, 403),
        ):
            assert client.post(path, data=fields, headers=foreign).status_code == status
        assert store.read("session-0100").events == []
        assert client.post(path, data=fields).status_code == 303
    assert store.read("session-0100").session.eval_status is EvalStatus.GOLDEN


def test_a_label_at_the_desk_reaches_the_method_page(project: Project) -> None:
    """A label changes the rates of an audit on the method page."""
    store = store_of(project.root / "data", [make_attempt_session(1), make_talk(100)])
    write_record(
        store.folder.audits, make_audit(make_audit_item(1, session=make_attempt_session(1).id))
    )
    with (
        serve_project(project) as (address, _),
        listen(address) as messages,
    ):
        assert "100.0" not in read_method_words(address)
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        give_labels(
            store, make_attempt_session(1).id, {"evalStatus": "correct"}, via="desk", blind=True
        )
        wait_for_reload(messages)
        assert "Failed attempts that are right 100.0" in read_method_words(address)


def read_method_words(address: str) -> str:
    """Return the words of the method page."""
    main = LexborHTMLParser(httpx.get(f"{address}/about/").text).css_first("main")
    return "" if main is None else " ".join(main.text().split())


def test_a_change_of_the_method_reaches_the_open_page(project: Project) -> None:
    """The source of the method page is watched like records and templates."""
    method = project.root / "docs" / "method.md"
    with (
        serve_project(project) as (address, output),
        listen(address) as messages,
    ):
        assert len(output) == 1, "nothing but that the site is built"
        assert "Written before." in httpx.get(f"{address}/about/").text
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        # As editors save: a new file in place of the old file.
        new = method.with_suffix(".new")
        new.write_text("# Method\n\nWritten after.\n")
        new.replace(method)
        wait_for_reload(messages)
        assert "Written after." in httpx.get(f"{address}/about/").text


def test_a_site_that_was_never_built_comes_once_it_can_be(project: Project) -> None:
    """A broken template is reported at the start; the missing page reloads after its repair."""
    template = project.root / "templates" / "pages" / "missing.html"
    good = template.read_text()
    template.write_text("{% fi %}")
    with (
        serve_project(project) as (address, output),
        listen(address) as messages,
    ):
        building, line = output[:2]
        assert building == f"building the site; {address}/ opens it after the build\n"
        assert line.startswith(f"{template}:1: ")
        missing = httpx.get(f"{address}/about/")
        assert (missing.status_code, "/__preview/client.js" in missing.text) == (404, True)
        template.write_text(good)
        wait_for_reload(messages)
        assert httpx.get(f"{address}/about/").status_code == 200


def test_a_port_that_is_taken_is_named_at_once(project: Project) -> None:
    """A taken port is named before the build, without a message of the server itself."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        ended = warm_command.run_command("serve", "--port", port, *project.places, code=2)
    assert f"--port {port}: Address already in use" in ended.stderr.splitlines()[-1]
    assert not (project.root / "site").exists()


def test_serve_refuses_a_folder_that_no_build_made(project: Project) -> None:
    """Foreign files are neither removed nor served."""
    (project.root / "site").mkdir()
    (project.root / "site" / "mine.txt").write_text("keep me")
    ended = warm_command.run_command("serve", "--port", "0", *project.places, code=2)
    assert "choose another --out" in ended.stderr
