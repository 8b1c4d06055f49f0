"""Changes of a project: they reach the open page, and faults are shown over the last good page."""

import asyncio
import shutil
import time
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import httpx
import pytest

from generator.build import Builder
from generator.output_folder import Written
from leaderboard.api.keys import KeyStore
from leaderboard.commands.serve import list_paths_without_page
from leaderboard.preview.server import Preview
from records.files.data_folder import DataFolder
from records.writer import write_atomically
from tests.benchmarks.site_changes import flip
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.preview import previewing
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration


@pytest.mark.more
def test_a_folder_that_is_put_in_place_of_another_is_watched(
    address: str, data: Path, tmp_path: Path
) -> None:
    """The missing folder is named, and changes in the new folder are seen."""
    copy = Path(shutil.copytree(data, tmp_path / "copy"))
    with previewing.listen(address) as messages:
        shutil.rmtree(data)
        assert (
            "there is no such folder"
            in next(message.problem for message in messages if message.problem)
            or ""
        )
        shutil.copytree(copy, data)
        assert previewing.wait_for_reload(messages).problem is None
        (record,) = (data / "runs").rglob("*.json")
        record.write_text(record.read_text().replace('"name": "minimax', '"name": "Minimax'))
        previewing.wait_for_reload(messages)
        assert "Minimax" in httpx.get(f"{address}/").text


def test_a_change_reloads_and_a_broken_record_is_named(address: str, data: Path) -> None:
    """A broken record is named by file and field while its page stays; mending it reloads."""
    (record,) = (data / "runs").rglob("*.json")
    good = record.read_text()
    with previewing.listen(address) as messages:
        record.write_text(good.replace('"status": "completed"', '"status": "finished"', 1))
        problem = next(message.problem for message in messages if message.problem)
        assert record.name in problem
        assert "status" in problem
        assert httpx.get(f"{address}/").status_code == 200
        # The first message to an open page is the current state.
        with previewing.listen(address) as later:
            assert next(later).problem == problem
        record.write_text(good.replace('"name": "minimax', '"name": "Minimax'))
        assert previewing.wait_for_reload(messages).problem is None


def test_a_record_that_comes_back_comes_back_in_its_open_page(address: str, data: Path) -> None:
    """Its page is there as soon as the browser is told to load it again."""
    (record,) = (data / "runs").rglob("*.json")
    page, good = f"/runs/{record.stem}/", record.read_text()
    assert httpx.get(f"{address}{page}").status_code == 200
    with previewing.listen(address, page) as messages:
        record.unlink()
        previewing.wait_for_reload(messages)
        assert httpx.get(f"{address}{page}").status_code == 404
    with previewing.listen(address, page) as messages:
        next(messages)  # the page is open
        record.write_text(good)
        previewing.wait_for_reload(messages)
        assert httpx.get(f"{address}{page}").status_code == 200


def test_a_broken_template_is_named_and_mending_it_reloads(
    address: str, templates: Path, terminal: list[str]
) -> None:
    """File and line stand over the last good page and in the terminal; watching goes on."""
    page = templates / "pages/run.html"
    good = page.read_text()
    (heading,) = (number for number, line in enumerate(good.splitlines()) if "<h1>" in line)
    before = httpx.get(f"{address}/").content
    with previewing.listen(address) as messages:
        for wrong, expected in (("{% fi %}", "unknown tag 'fi'"), ("{{ nobody }}", "'nobody' is")):
            page.write_text(good.replace("<h1>", f"<h1>{wrong}"))
            problem = next(
                message.problem
                for message in messages
                if message.problem and expected in message.problem
            )
            assert problem.startswith(f"{page}:{heading + 1}: ")
            marked = [line for line in problem.splitlines() if line.startswith("> ")]
            broken = page.read_text().splitlines()[heading]
            assert marked == [f"> {heading + 1:>4} {broken}"]
            assert len(problem.splitlines()) == 5
            assert terminal[-1] == problem
            assert httpx.get(f"{address}/").content == before
        page.write_text(good.replace("<h1>", "<h1>Mended: "))
        assert previewing.wait_for_reload(messages).problem is None


def test_a_style_sheet_is_exchanged_without_a_reload(address: str, templates: Path) -> None:
    """The address of a style sheet stays the same while serving, so no page changes with it."""
    with previewing.listen(address, "/") as messages:
        page = httpx.get(f"{address}/").text
        assert 'href="assets/site.css"' in page
        sheet = templates / "assets" / "site.css"
        sheet.write_text(sheet.read_text() + "\nh1 { color: red; }\n")
        changed = next(message for message in messages if message.style)
        assert not changed.reload
        assert "h1 { color: red; }" in httpx.get(f"{address}/assets/site.css").text
        assert httpx.get(f"{address}/").text == page


@pytest.mark.more
def test_a_page_with_a_notice_over_it_reloads_once_for_each_change(
    address: str, data: Path, templates: Path
) -> None:
    """A fault that stays is no news."""
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7aaaaa_2026-02-19.md"
    page = templates / "pages" / "missing.html"
    good = page.read_text()
    with previewing.listen(address) as messages:
        report.parent.mkdir(parents=True)
        report.write_text(previewing.REPORT)
        next(message for message in messages if message.notices)
        page.write_text(good.replace("Nothing here", "Nothing at all"))
        previewing.wait_for_reload(messages)
        page.write_text("{% fi %}")
        meanwhile = takewhile(lambda message: message.problem is None, messages)
        assert not any(message.reload for message in meanwhile)


class IdleBuilder(Builder):
    """A builder without sources that writes nothing; its first build may fail."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault
        self.builds = 0

    def build(self) -> Written:
        """Count the build; raise the fault once."""
        self.builds += 1
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return Written(0, (), (), ())

    def render_ahead(self, wanted: Collection[str]) -> Mapping[str, bytes]:
        """Return empty pages."""
        return dict.fromkeys(wanted, b"")

    def abandon(self) -> None:
        """Abandon nothing."""


def test_a_fault_of_the_program_is_reported_and_ends_nothing(tmp_path: Path) -> None:
    """The error of a build is the problem until a build ends well."""
    terminal: list[str] = []
    builder = IdleBuilder(ZeroDivisionError("a fault"))
    preview = Preview(tmp_path, builder, [], terminal.append)
    assert preview.build()
    assert "ZeroDivisionError: a fault" in terminal[0]
    assert preview.build()
    assert preview.problem is None
    assert not preview.build()


@pytest.mark.more
def test_changes_that_the_watcher_missed_are_found_later(
    address: str, templates: Path, tmp_path: Path
) -> None:
    """A change of a file that is not watched is found with the next change that is seen."""
    page, method = templates / "pages" / "missing.html", tmp_path / "docs" / "method.md"
    good = page.read_text()
    with previewing.listen(address) as messages:
        page.write_text(good.replace("Nothing", "Nothing at all"))
        previewing.wait_for_reload(messages)
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        method.write_text("# Method\n\nNobody watches this file.\n")
        page.write_text(good)
        about, text = f"{address}/about/", "Nobody watches this file."
        wait_until(lambda: text in httpx.get(about).text, PATIENCE_S)


def test_a_broken_link_and_a_report_without_its_run_are_listed(
    address: str, data: Path, templates: Path
) -> None:
    """Both faults are listed with page or file while the site is served, until they are mended."""
    parts = templates / "blocks/page_frame.html"
    good = parts.read_text()
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7aaaaa_2026-02-19.md"
    with previewing.listen(address) as messages:
        parts.write_text(good.replace("about/", "abuot/"))
        listed = next(message.notices for message in messages if message.notices)
        assert listed[0].startswith("404.html: ")
        assert all("abuot/" in line and "no such page" in line for line in listed[:-1])
        parts.write_text(good)
        next(message for message in messages if not message.notices and not message.reload)
        report.parent.mkdir(parents=True)
        report.write_text(previewing.REPORT)
        (notice,) = next(message.notices for message in messages if message.notices)
        assert report.name in notice
        assert "there is no run" in notice


def test_a_file_of_no_page_rebuilds_nothing(tmp_path: Path) -> None:
    """Labels, received and sent files, and keys are on no page; models are."""
    data = tmp_path / "data"
    folder = DataFolder(data)
    folder.local.root.mkdir(parents=True)
    keys = KeyStore(folder.keys_file)
    builder = IdleBuilder()
    preview = Preview(tmp_path, builder, [data], ignored=list_paths_without_page(folder))

    async def make_changes() -> None:
        app = preview.build_app()
        async with app.router.lifespan_context(app):
            await wait_for_builds(1)  # for changes from before watching began
            for name in ("sessions/a.json", "comparisons/a.json", "local/comparisons/a.json"):
                write_atomically(data / name, b"{}")
            for name in ("inbox/a/run.json", "outbox/a.json", "cache/a", "locks/a", "desk.token"):
                write_atomically(data / "local" / name, b"{}")
            keys.create("runner", ("runs:write",), None)
            await asyncio.sleep(1.5)
            assert builder.builds == 1
            write_atomically(data / "models.toml", b"# changed\n")
            await wait_for_builds(2)

    async def wait_for_builds(count: int) -> None:
        ends = time.monotonic() + PATIENCE_S
        while builder.builds < count:
            assert time.monotonic() < ends
            await asyncio.sleep(0.05)

    asyncio.run(make_changes())


@contextmanager
def open_page(
    builder: previewing.HeldBuilder, watched: Path, site: Path, terminal: list[str], page: str
) -> Generator[tuple[str, Iterator[previewing.News]]]:
    """Open a page of a preview whose next build is held; yield the address and the messages."""
    with (
        previewing.serve_preview(builder, [watched], site, terminal) as address,
        previewing.listen(address, f"/{page}") as messages,
    ):
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        builder.goes_on.clear()
        yield address, messages


@pytest.mark.parametrize(
    ("path", "edits"),
    [
        ("", ("first", "second")),
        pytest.param("models/minimax/minimax-m2.5/", ("first",), marks=pytest.mark.night),
        ("runs/jn7cecy64b9apjqn99ecq2993h81e9t7/", ("first",)),
    ],
)
def test_the_open_page_is_new_before_the_build_has_ended(  # noqa: PLR0913 - page, edits and folders
    *,
    path: str,
    edits: tuple[str, ...],
    data: Path,
    templates: Path,
    terminal: list[str],
    tmp_path: Path,
) -> None:
    """A change of the layout makes every page anew; an author waits for the open page only.

    A build of a template that was edited again meanwhile is abandoned, and nothing is lost.
    """
    builder = previewing.HeldBuilder(previewing.make_sources(data, templates), tmp_path / "site")
    layout = templates / "layout.html"
    with open_page(builder, templates, tmp_path, terminal, path) as (address, messages):
        good = layout.read_text()
        for name in edits:
            layout.write_text(good.replace("<body>", f'<body class="{name}">'))
            previewing.wait_for_reload(messages)
            assert f'<body class="{name}">' in httpx.get(f"{address}/{path}").text
            assert "<body>" in httpx.get(f"{address}/about/").text
            next(message for message in messages if message.building)
        builder.goes_on.set()
        last = next(message for message in messages if not message.building)
        assert not last.reload  # the page shows the files written by now
        assert f'<body class="{edits[-1]}">' in httpx.get(f"{address}/about/").text
    assert terminal == []


@pytest.mark.more
@pytest.mark.parametrize(
    "path", ["models/minimax/minimax-m2.5/", "runs/jn7cecy64b9apjqn99ecq2993h81e9t7/"]
)
def test_a_record_is_read_anew_before_the_build_has_ended(
    path: str, data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """The pages of a run and its model show a record first, and two records in a row."""
    folder = DataFolder(data)
    (record,) = data.rglob("jn7cecy64b9apjqn99ecq2993h81e9t7.json")
    builder = previewing.HeldBuilder(previewing.make_sources(data, templates), tmp_path / "site")
    file = tmp_path / "site" / path / "index.html"
    with open_page(builder, data, tmp_path, terminal, path) as (address, messages):
        text = file.read_text()
        for _ in range(2):
            page = httpx.get(f"{address}/{path}").text
            flip(folder, record)
            previewing.wait_for_reload(messages)
            assert httpx.get(f"{address}/{path}").text != page
            next(message for message in messages if message.building)
        assert file.read_text() == text  # no build has ended
        builder.goes_on.set()


@pytest.mark.more
def test_a_report_is_read_anew_before_the_build_has_ended(
    data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """An author sees each save at once; a save that changes nothing reloads nothing."""
    report = data / "reports" / "minimax" / "minimax-m2.5" / "jn7cecy6_2026-02-19.md"
    report.parent.mkdir(parents=True)
    text = previewing.REPORT.replace(
        "jn7aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "jn7cecy64b9apjqn99ecq2993h81e9t7"
    )
    report.write_text(text)
    builder = previewing.HeldBuilder(previewing.make_sources(data, templates), tmp_path / "site")
    path = f"reports/minimax/minimax-m2.5/{report.stem}/"
    with open_page(builder, data, tmp_path, terminal, path) as (address, messages):
        for more in ("A sentence more.", "And another."):
            report.write_text(report.read_text() + f"\n{more}\n")
            previewing.wait_for_reload(messages)
            assert more in httpx.get(f"{address}/{path}").text
            next(message for message in messages if message.building)
        report.write_text(report.read_text())
        # The build that went on is abandoned, and the next is announced behind the page.
        meanwhile = takewhile(lambda message: not message.building, messages)
        assert not any(message.reload for message in meanwhile)
        builder.goes_on.set()
