"""The open page of a preview: new before the build of the whole site has ended."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

import httpx
import pytest

from records.files.data_folder import DataFolder
from tests.benchmarks.site_changes import flip
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.preview.previewing import (
    REPORT,
    HeldBuilder,
    News,
    make_sources,
    read_news,
    serve_preview,
)

pytestmark = pytest.mark.integration


@contextmanager
def open_page(
    builder: HeldBuilder, watched: Path, site: Path, terminal: list[str], page: str
) -> Generator[tuple[str, Iterator[News]]]:
    """Open a page of a preview whose next build is held; yield the address and the messages."""
    with (
        serve_preview(builder, [watched], site, terminal) as address,
        httpx.stream(
            "GET", f"{address}/__preview/events?page=/{page}", timeout=PATIENCE_S
        ) as events,
    ):
        messages = read_news(events.iter_lines())
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
    builder = HeldBuilder(make_sources(data, templates), tmp_path / "site")
    layout = templates / "layout.html"
    with open_page(builder, templates, tmp_path, terminal, path) as (address, messages):
        good = layout.read_text()
        for name in edits:
            layout.write_text(good.replace("<body>", f'<body class="{name}">'))
            next(message for message in messages if message.reload)
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
    builder = HeldBuilder(make_sources(data, templates), tmp_path / "site")
    file = tmp_path / "site" / path / "index.html"
    with open_page(builder, data, tmp_path, terminal, path) as (address, messages):
        text = file.read_text()
        for _ in range(2):
            page = httpx.get(f"{address}/{path}").text
            flip(folder, record)
            next(message for message in messages if message.reload)
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
    text = REPORT.replace("jn7aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "jn7cecy64b9apjqn99ecq2993h81e9t7")
    report.write_text(text)
    builder = HeldBuilder(make_sources(data, templates), tmp_path / "site")
    path = f"reports/minimax/minimax-m2.5/{report.stem}/"
    with open_page(builder, data, tmp_path, terminal, path) as (address, messages):
        for more in ("A sentence more.", "And another."):
            report.write_text(report.read_text() + f"\n{more}\n")
            next(message for message in messages if message.reload)
            assert more in httpx.get(f"{address}/{path}").text
            next(message for message in messages if message.building)
        report.write_text(report.read_text())
        # The build that went on is abandoned, and the next is announced behind the page.
        meanwhile = takewhile(lambda message: not message.building, messages)
        assert not any(message.reload for message in meanwhile)
        builder.goes_on.set()
