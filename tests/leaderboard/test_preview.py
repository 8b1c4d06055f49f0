"""The preview: a change reaches the open page; a broken record is named over the last good one."""

import asyncio
import json
import shutil
import socket
import threading
import time
import tomllib
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

import httpx
import pytest
import uvicorn
from selectolax.lexbor import LexborHTMLParser

from generator.build import Builder, Sources
from generator.errors import AbandonedError
from generator.output import Written
from leaderboard.api.keys import KeyStore
from leaderboard.commands.serve import on_no_page
from leaderboard.preview import POLICY, Preview
from records.folder import DataFolder
from records.writer import write_atomically
from tests.leaderboard.commanding import PATIENCE_S

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]


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


@pytest.fixture
def project(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of data and templates, which a test may change."""
    return write_project(tmp_path)


@pytest.fixture
def data(project: tuple[Path, Path]) -> Path:
    """A data folder with one run."""
    return project[0]


@pytest.fixture
def templates(project: tuple[Path, Path]) -> Path:
    """Templates that can be changed, beside the method, to whose paragraphs pages lead."""
    return project[1]


@pytest.fixture
def terminal() -> list[str]:
    """What was told in the terminal."""
    return []


@pytest.fixture
def address(data: Path, templates: Path, terminal: list[str], tmp_path: Path) -> Iterator[str]:
    """A preview that serves and watches, over real HTTP."""
    builder = Builder(sources_of(data, templates), tmp_path / "site")
    with previewing(builder, [data, templates], tmp_path, terminal) as address:
        yield address


@pytest.fixture(scope="module")
def unchanged_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A preview of a project that no test changes."""
    folder = tmp_path_factory.mktemp("unchanged")
    data, templates = write_project(folder)
    builder = Builder(sources_of(data, templates), folder / "site")
    with previewing(builder, [data, templates], folder, []) as address:
        yield address


def sources_of(data: Path, templates: Path) -> Sources:
    """Return what the site of a project is made from."""
    evals = data.parent / "evals"
    return Sources(DataFolder(data), templates, evals, local=True, steady_assets=True)


@contextmanager
def previewing(
    builder: Builder, watched: list[Path], place: Path, terminal: list[str]
) -> Generator[str]:
    """Serve a preview on this machine."""
    preview = Preview(place / "site", builder, watched, terminal.append)
    preview.build()
    assert preview.problem is None
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


@dataclass(frozen=True)
class News:
    """An event."""

    problem: str | None
    notices: list[str]
    reload: bool
    style: bool
    building: bool


def news(lines: Iterator[str]) -> Iterator[News]:
    """Yield the events of a stream, for as long as any of them may take."""
    until = time.monotonic() + PATIENCE_S
    for line in lines:
        assert time.monotonic() < until  # a stream tells every while that it is still there
        if line.startswith("data: "):
            yield News(**json.loads(line.removeprefix("data: ")))


def test_pages_are_served_with_the_reload_script(unchanged_address: str) -> None:
    """The script is added while serving; files on the disk do not have it."""
    page = httpx.get(f"{unchanged_address}/")
    assert page.status_code == 200
    assert "/__preview/client.js" in page.text
    assert httpx.get(f"{unchanged_address}/__preview/client.js").status_code == 200


def test_an_address_without_a_page_leads_back_to_the_site(unchanged_address: str) -> None:
    """It is the page that visitors of the published site see, and reloads when there is a page."""
    missing = httpx.get(f"{unchanged_address}/models/nobody/nothing/")
    assert missing.status_code == 404
    page = LexborHTMLParser(missing.text)
    assert page.css_matches('main a[href="/"]')
    assert page.css_matches('script[src="/__preview/client.js"]')


def test_nothing_outside_the_site_is_served(unchanged_address: str) -> None:
    """A path that climbs out of the site is not found."""
    with socket.create_connection(_place(unchanged_address)) as raw:
        raw.sendall(
            b"GET /../data/models.toml HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        answer = raw.recv(1 << 16)
    assert b" 404 " in answer.split(b"\r\n")[0]


@pytest.mark.parametrize("path", ["%00", "a" * 5000])
def test_what_can_be_no_file_is_not_found(unchanged_address: str, path: str) -> None:
    """An odd address is the visitor's mistake, not the preview's."""
    assert httpx.get(f"{unchanged_address}/{path}").status_code == 404


def test_a_folder_that_is_put_in_place_of_another_is_watched(
    address: str, data: Path, tmp_path: Path
) -> None:
    """While it is away that is told, and what changes in the new one is seen."""
    copy = Path(shutil.copytree(data, tmp_path / "copy"))
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        shutil.rmtree(data)
        assert "there is no such folder" in next(one.problem for one in told if one.problem) or ""
        shutil.copytree(copy, data)
        assert next(one for one in told if one.reload).problem is None
        (record,) = (data / "runs").rglob("*.json")
        record.write_text(record.read_text().replace('"name": "minimax', '"name": "Minimax'))
        next(one for one in told if one.reload)
        assert "Minimax" in httpx.get(f"{address}/").text


def test_a_change_reloads_and_a_broken_record_is_named(address: str, data: Path) -> None:
    """A broken record is named by file and field while its page stays; mending it reloads."""
    (record,) = (data / "runs").rglob("*.json")
    good = record.read_text()
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        record.write_text(good.replace('"status": "completed"', '"status": "finished"', 1))
        problem = next(one.problem for one in told if one.problem)
        assert record.name in problem
        assert "status" in problem
        assert httpx.get(f"{address}/").status_code == 200
        # What an open page is told first is how things are now.
        with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as later:
            assert next(news(later.iter_lines())).problem == problem
        record.write_text(good.replace('"name": "minimax', '"name": "Minimax'))
        assert next(one for one in told if one.reload).problem is None


def test_a_broken_template_is_named_and_mending_it_reloads(
    address: str, templates: Path, terminal: list[str]
) -> None:
    """File and line stand over the last good page and in the terminal; watching goes on."""
    page = templates / "run.html"
    good = page.read_text()
    (heading,) = (number for number, line in enumerate(good.splitlines()) if "<h1>" in line)
    before = httpx.get(f"{address}/").content
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        for wrong, said in (("{% fi %}", "unknown tag 'fi'"), ("{{ nobody }}", "'nobody' is")):
            page.write_text(good.replace("<h1>", f"<h1>{wrong}"))
            problem = next(one.problem for one in told if one.problem and said in one.problem)
            assert problem.startswith(f"{page}:{heading + 1}: ")
            marked = [line for line in problem.splitlines() if line.startswith("> ")]
            broken = page.read_text().splitlines()[heading]
            assert marked == [f"> {heading + 1:>4} {broken}"]
            assert len(problem.splitlines()) == 5
            assert terminal[-1] == problem
            assert httpx.get(f"{address}/").content == before
        page.write_text(good.replace("<h1>", "<h1>Mended: "))
        assert next(one for one in told if one.reload).problem is None


def test_a_style_sheet_is_exchanged_without_a_reload(address: str, templates: Path) -> None:
    """Its address stays the same while serving, so no page is another one for it."""
    with httpx.stream("GET", f"{address}/__preview/events?page=%2F", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        page = httpx.get(f"{address}/").text
        assert 'href="assets/site.css"' in page
        sheet = templates / "assets" / "site.css"
        sheet.write_text(sheet.read_text() + "\nh1 { color: red; }\n")
        changed = next(one for one in told if one.style)
        assert not changed.reload
        assert "h1 { color: red; }" in httpx.get(f"{address}/assets/site.css").text
        assert httpx.get(f"{address}/").text == page


class _HeldBuilder(Builder):
    """A builder whose builds wait until they may go on, or are abandoned."""

    def __init__(self, sources: Sources, out: Path) -> None:
        super().__init__(sources, out)
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.told_to_end = threading.Event()

    def build(self) -> Written:
        self.told_to_end.clear()
        until = time.monotonic() + PATIENCE_S
        while not self.goes_on.wait(0.02):
            assert time.monotonic() < until
            if self.told_to_end.is_set():
                raise AbandonedError
        return super().build()

    def abandon(self) -> None:
        super().abandon()
        self.told_to_end.set()


@pytest.mark.parametrize(
    "path", ["", "models/minimax/minimax-m2.5/", "runs/jn7cecy64b9apjqn99ecq2993h81e9t7/"]
)
def test_the_open_page_is_new_before_the_build_has_ended(
    path: str, data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """A change of the layout makes every page anew; an author waits for the open one only."""
    builder = _HeldBuilder(sources_of(data, templates), tmp_path / "site")
    with previewing(builder, [templates], tmp_path, terminal) as address:
        events_of = f"{address}/__preview/events?page=/{path}"
        with httpx.stream("GET", events_of, timeout=PATIENCE_S) as events:
            told = news(events.iter_lines())
            time.sleep(1)  # by now the preview has caught up, and waits for the watcher
            builder.goes_on.clear()
            layout = templates / "layout.html"
            layout.write_text(layout.read_text().replace("<body>", '<body class="other">'))
            next(one for one in told if one.reload)
            assert '<body class="other">' in httpx.get(f"{address}/{path}").text
            assert '<body class="other">' not in httpx.get(f"{address}/about/").text
            next(one for one in told if one.building)
            builder.goes_on.set()
            last = next(one for one in told if not one.building)
            assert not last.reload  # it shows what is written by now
            assert '<body class="other">' in httpx.get(f"{address}/about/").text


def test_a_report_is_read_anew_before_the_build_has_ended(
    data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """Whoever writes a report sees each save at once; one that changes nothing reloads nothing."""
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7cecy6_2026-02-19.md"
    report.parent.mkdir(parents=True)
    text = REPORT.replace("jn7aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "jn7cecy64b9apjqn99ecq2993h81e9t7")
    report.write_text(text)
    builder = _HeldBuilder(sources_of(data, templates), tmp_path / "site")
    with previewing(builder, [data], tmp_path, terminal) as address:
        page = f"{address}/reports/minimax/minimax-m2.5/{report.stem}/"
        events_of = f"{address}/__preview/events?page={page.removeprefix(address)}"
        with httpx.stream("GET", events_of, timeout=PATIENCE_S) as events:
            told = news(events.iter_lines())
            time.sleep(1)  # by now the preview has caught up, and waits for the watcher
            builder.goes_on.clear()
            for more in ("A sentence more.", "And another."):
                report.write_text(report.read_text() + f"\n{more}\n")
                next(one for one in told if one.reload)
                assert more in httpx.get(page).text
                next(one for one in told if one.building)
            report.write_text(report.read_text())
            # The build that went on is abandoned, and the next is announced behind the page.
            meanwhile = takewhile(lambda one: not one.building, told)
            assert not any(one.reload for one in meanwhile)
            builder.goes_on.set()


def test_an_edit_does_not_wait_for_the_build_of_the_one_before(
    data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """The build of a template that was edited again meanwhile is abandoned, and nothing is lost."""
    builder = _HeldBuilder(sources_of(data, templates), tmp_path / "site")
    layout = templates / "layout.html"
    with (
        previewing(builder, [templates], tmp_path, terminal) as address,
        httpx.stream("GET", f"{address}/__preview/events?page=/", timeout=PATIENCE_S) as events,
    ):
        told = news(events.iter_lines())
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        builder.goes_on.clear()
        good = layout.read_text()
        for name in ("first", "second"):
            layout.write_text(good.replace("<body>", f'<body class="{name}">'))
            next(one for one in told if one.reload)
            assert f'<body class="{name}">' in httpx.get(f"{address}/").text
            next(one for one in told if one.building)
            assert "<body>" in httpx.get(f"{address}/about/").text
        builder.goes_on.set()
        last = next(one for one in told if not one.building)
        assert not last.reload
        assert '<body class="second">' in httpx.get(f"{address}/about/").text
    assert terminal == []


def test_a_page_with_a_notice_over_it_reloads_once_for_each_change(
    address: str, data: Path, templates: Path
) -> None:
    """That something is still wrong is no news."""
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7aaaaa_2026-02-19.md"
    page = templates / "404.html"
    good = page.read_text()
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        report.parent.mkdir(parents=True)
        report.write_text(REPORT)
        next(one for one in told if one.notices)
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        page.write_text(good.replace("Nothing here", "Nothing at all"))
        time.sleep(1)
        page.write_text("{% fi %}")
        meanwhile = takewhile(lambda one: one.problem is None, told)
        assert [one.reload for one in meanwhile] == [True]


def test_a_fault_of_the_program_is_told_and_ends_nothing(tmp_path: Path) -> None:
    """Whatever a build raises is the problem until one ends well."""
    terminal: list[str] = []

    class Faulty:
        """A builder that fails once."""

        faults: ClassVar = [ZeroDivisionError("a fault")]

        def build(self) -> Written:
            if self.faults:
                raise self.faults.pop()
            return Written(0, (), (), ())

        def ahead(self, wanted: Collection[str]) -> Mapping[str, bytes]:
            return dict.fromkeys(wanted, b"")

        def abandon(self) -> None:
            """Nothing goes on."""

    preview = Preview(tmp_path, Faulty(), [], terminal.append)
    assert preview.build()
    assert "ZeroDivisionError: a fault" in terminal[0]
    assert preview.build()
    assert preview.problem is None
    assert not preview.build()


def test_what_the_watcher_left_out_is_found_behind_what_it_told(
    address: str, templates: Path, tmp_path: Path
) -> None:
    """A change of a file that nobody watches comes to light with the next that is told of."""
    page, method = templates / "404.html", tmp_path / "docs" / "method.md"
    good = page.read_text()
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        page.write_text(good.replace("Nothing", "Nothing at all"))
        next(one for one in news(events.iter_lines()) if one.reload)
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        method.write_text("# Method\n\nNobody watches this file.\n")
        page.write_text(good)
        until = time.monotonic() + PATIENCE_S
        while "Nobody watches this file." not in httpx.get(f"{address}/about/").text:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_a_broken_link_and_a_report_without_its_run_are_listed(
    address: str, data: Path, templates: Path
) -> None:
    """Both are told by page or file while the site is served, and no longer once mended."""
    parts = templates / "parts.html"
    good = parts.read_text()
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7aaaaa_2026-02-19.md"
    with httpx.stream("GET", f"{address}/__preview/events", timeout=PATIENCE_S) as events:
        told = news(events.iter_lines())
        parts.write_text(good.replace("about/", "abuot/"))
        listed = next(one.notices for one in told if one.notices)
        assert listed[0].startswith("404.html: ")
        assert all("abuot/" in line and "no such page" in line for line in listed[:-1])
        parts.write_text(good)
        next(one for one in told if not one.notices and not one.reload)
        report.parent.mkdir(parents=True)
        report.write_text(REPORT)
        (notice,) = next(one.notices for one in told if one.notices)
        assert report.name in notice
        assert "there is no run" in notice


REPORT = """\
+++
schema_version = 1
run = "jn7aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
author = "a maintainer"
date = 2026-02-19
planned = 2
passed = 1
+++

Text.
"""


def _place(address: str) -> tuple[str, int]:
    url = httpx.URL(address)
    assert url.port is not None
    return url.host, url.port


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:8000", 200),
        ("192.168.1.7:8000", 200),
        ("leaderboard.example", 421),
        ("127.0.0.1.leaderboard.example:8000", 421),
    ],
)
def test_only_requests_for_this_machine_are_answered(
    host: str, status: int, unchanged_address: str
) -> None:
    """Another site can point a name at this machine, and would read what only it may show."""
    answer = httpx.get(f"{unchanged_address}/", headers={"Host": host})
    assert answer.status_code == status
    assert ("<title>" in answer.text) is (status == 200)


def test_pages_come_with_the_policy_of_the_published_site(unchanged_address: str) -> None:
    """What the policy forbids is seen before it is published."""
    published = tomllib.loads((ROOT / "netlify.toml").read_text())["headers"][0]["values"]
    assert published["Content-Security-Policy"] == POLICY
    for path in ("/", "/nowhere", "/__preview/client.js"):
        assert httpx.get(f"{unchanged_address}{path}").headers["Content-Security-Policy"] == POLICY


def test_what_is_on_no_page_rebuilds_nothing(tmp_path: Path) -> None:
    """Labels, what is received or sent, and keys are none of the site's; models are."""
    data = tmp_path / "data"
    folder = DataFolder(data)
    folder.local.root.mkdir(parents=True)
    keys = KeyStore(folder.keys_file)
    built: list[float] = []

    class Counting:
        """Builds nothing, and counts how often."""

        def build(self) -> Written:
            """Count."""
            built.append(time.monotonic())
            return Written(0, (), (), ())

        def ahead(self, wanted: Collection[str]) -> Mapping[str, bytes]:
            """Render nothing."""
            del wanted
            return {}

        def abandon(self) -> None:
            """Nothing goes on."""

    preview = Preview(tmp_path, Counting(), [data], ignored=on_no_page(folder))

    async def changes() -> None:
        app = preview.app()
        async with app.router.lifespan_context(app):
            await until(1)  # for what changed before watching began
            for name in ("sessions/a.json", "comparisons/a.json", "local/comparisons/a.json"):
                write_atomically(data / name, b"{}")
            for name in ("inbox/a/run.json", "outbox/a.json", "cache/a", "locks/a", "desk.token"):
                write_atomically(data / "local" / name, b"{}")
            keys.create("runner", ("runs:write",), None)
            await asyncio.sleep(1.5)
            assert len(built) == 1
            write_atomically(data / "models.toml", b"# changed\n")
            await until(2)

    async def until(count: int) -> None:
        ends = time.monotonic() + PATIENCE_S
        while len(built) < count:
            assert time.monotonic() < ends
            await asyncio.sleep(0.05)

    asyncio.run(changes())
