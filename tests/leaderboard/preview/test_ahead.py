"""The open page of a preview: new before the build of the whole site has ended."""

import time
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
    make_sources,
    read_news,
    serve_preview,
)

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    "path",
    [
        "",
        pytest.param("models/minimax/minimax-m2.5/", marks=pytest.mark.night),
        "runs/jn7cecy64b9apjqn99ecq2993h81e9t7/",
    ],
)
def test_the_open_page_is_new_before_the_build_has_ended(
    path: str, data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """A change of the layout makes every page anew; an author waits for the open page only."""
    builder = HeldBuilder(make_sources(data, templates), tmp_path / "site")
    with serve_preview(builder, [templates], tmp_path, terminal) as address:
        events_of = f"{address}/__preview/events?page=/{path}"
        with httpx.stream("GET", events_of, timeout=PATIENCE_S) as events:
            messages = read_news(events.iter_lines())
            time.sleep(1)  # by now the preview has caught up, and waits for the watcher
            builder.goes_on.clear()
            layout = templates / "layout.html"
            layout.write_text(layout.read_text().replace("<body>", '<body class="other">'))
            next(message for message in messages if message.reload)
            assert '<body class="other">' in httpx.get(f"{address}/{path}").text
            assert '<body class="other">' not in httpx.get(f"{address}/about/").text
            next(message for message in messages if message.building)
            builder.goes_on.set()
            last = next(message for message in messages if not message.building)
            assert not last.reload  # the page shows the files written by now
            assert '<body class="other">' in httpx.get(f"{address}/about/").text


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
    with serve_preview(builder, [data], tmp_path, terminal) as address:
        events_of = f"{address}/__preview/events?page=/{path}"
        with httpx.stream("GET", events_of, timeout=PATIENCE_S) as events:
            messages = read_news(events.iter_lines())
            time.sleep(1)  # by now the preview has caught up, and waits for the watcher
            text = file.read_text()
            builder.goes_on.clear()
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
    with serve_preview(builder, [data], tmp_path, terminal) as address:
        page = f"{address}/reports/minimax/minimax-m2.5/{report.stem}/"
        events_of = f"{address}/__preview/events?page={page.removeprefix(address)}"
        with httpx.stream("GET", events_of, timeout=PATIENCE_S) as events:
            messages = read_news(events.iter_lines())
            time.sleep(1)  # by now the preview has caught up, and waits for the watcher
            builder.goes_on.clear()
            for more in ("A sentence more.", "And another."):
                report.write_text(report.read_text() + f"\n{more}\n")
                next(message for message in messages if message.reload)
                assert more in httpx.get(page).text
                next(message for message in messages if message.building)
            report.write_text(report.read_text())
            # The build that went on is abandoned, and the next is announced behind the page.
            meanwhile = takewhile(lambda message: not message.building, messages)
            assert not any(message.reload for message in meanwhile)
            builder.goes_on.set()


@pytest.mark.more
def test_an_edit_does_not_wait_for_the_build_of_the_one_before(
    data: Path, templates: Path, terminal: list[str], tmp_path: Path
) -> None:
    """A build of a template that was edited again meanwhile is abandoned, and nothing is lost."""
    builder = HeldBuilder(make_sources(data, templates), tmp_path / "site")
    layout = templates / "layout.html"
    with (
        serve_preview(builder, [templates], tmp_path, terminal) as address,
        httpx.stream("GET", f"{address}/__preview/events?page=/", timeout=PATIENCE_S) as events,
    ):
        messages = read_news(events.iter_lines())
        time.sleep(1)  # by now the preview has caught up, and waits for the watcher
        builder.goes_on.clear()
        good = layout.read_text()
        for name in ("first", "second"):
            layout.write_text(good.replace("<body>", f'<body class="{name}">'))
            next(message for message in messages if message.reload)
            assert f'<body class="{name}">' in httpx.get(f"{address}/").text
            next(message for message in messages if message.building)
            assert "<body>" in httpx.get(f"{address}/about/").text
        builder.goes_on.set()
        last = next(message for message in messages if not message.building)
        assert not last.reload
        assert '<body class="second">' in httpx.get(f"{address}/about/").text
    assert terminal == []
