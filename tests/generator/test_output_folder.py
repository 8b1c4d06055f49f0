"""Effects of a build on its output folder, and files that it leaves alone."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from generator.build import Builder, build
from generator.errors import AbandonedError, GeneratorError
from generator.phases import Phases
from records.reader import read_run
from records.writer import write_run
from tests.generator.editable_project import (
    EVALS,
    EditableProject,
    assert_as_from_nothing,
    from_nothing,
    list_differing_paths,
    read_site_files,
)
from tests.records.examples import with_attempts

pytestmark = pytest.mark.integration


@pytest.fixture
def out(place: EditableProject) -> Path:
    """Return the folder of the site."""
    return place.root / "site"


def test_a_page_that_was_lost_or_edited_is_made_again(out: Path, place: EditableProject) -> None:
    """Changes by others to the output do not last."""
    before = read_site_files(out)
    (out / "index.html").write_text("mine")
    (out / "about" / "index.html").unlink()
    changed = build(place.sources, out).changed
    assert sorted(changed) == ["about/index.html", "index.html"]
    assert read_site_files(out) == before


@pytest.mark.parametrize("there", [True, False])
def test_results_that_come_during_the_first_build_stay(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    """The output is an empty or a missing folder: the build is refused at its end."""
    mine = place.root / "mine"
    if there:
        mine.mkdir()

    def bring_thesis() -> None:
        mine.mkdir(exist_ok=True)
        (mine / "thesis.txt").write_text("years of work")

    act_when_rendered(monkeypatch, bring_thesis)
    with pytest.raises(GeneratorError, match="mine: not empty"):
        build(place.sources, mine)
    assert read_site_files(mine) == {"thesis.txt": b"years of work"}


def test_an_abandoned_build_leaves_the_site_unchanged(
    out: Path, place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of its pages is put in place, and the next build makes them all."""
    before = read_site_files(out)
    builder = Builder(place.sources, out)
    layout = place.templates / "layout.html"
    layout.write_text(layout.read_text().replace("<body>", '<body class="other">'))
    with monkeypatch.context() as patched:
        act_when_over(patched, "score_runs", builder.abandon)
        with pytest.raises(AbandonedError):
            builder.build()
    assert read_site_files(out) == before
    builder.build()
    assert read_site_files(out) == from_nothing(place, place.root / "full")


@pytest.mark.more
def test_an_empty_folder_stays_the_one_it_is(place: EditableProject) -> None:
    """The folder is filled in place: a process with it open sees the site, and its mode stays."""
    out = place.root / "shared"
    out.mkdir()
    out.chmod(0o2770)
    before = out.stat()
    build(place.sources, out)
    after = out.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert read_site_files(out) == read_site_files(place.root / "site")


@pytest.mark.more
def test_the_current_folder_and_a_link_to_one_are_filled(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data for the next build stands beside the folder itself."""
    here, link = place.root / "here", place.root / "links" / "link"
    here.mkdir()
    link.parent.mkdir()
    link.symlink_to(here)
    monkeypatch.chdir(here)
    assert build(place.sources, Path()).changed
    assert build(place.sources, link).changed == ()
    assert read_site_files(here) == read_site_files(place.root / "site")
    assert [path.name for path in link.parent.iterdir()] == ["link"]
    assert link.is_symlink()


def test_neither_a_file_nor_a_link_to_nowhere_is_built_into(place: EditableProject) -> None:
    """Both are refused before anything is read."""
    (place.root / "file").touch()
    (place.root / "link").symlink_to("nowhere")
    for name in ("file", "link"):
        with pytest.raises(GeneratorError, match=f"{name}: not a folder"):
            build(place.sources, place.root / name)


def test_a_place_that_cannot_be_written_is_named(out: Path, place: EditableProject) -> None:
    """A folder stands where a page belongs; without it the next build makes the whole site."""
    (out / "index.html").unlink()
    (out / "index.html" / "mine").mkdir(parents=True)
    place.change_settings()
    with pytest.raises(GeneratorError, match=r"index\.html"):
        build(place.sources, out)
    shutil.rmtree(out / "index.html")
    build(place.sources, out)
    assert_as_from_nothing(place, out)


def test_only_files_of_builds_are_removed(out: Path, place: EditableProject) -> None:
    """A build without a cache removes pages of earlier builds, and no other files."""
    mine = {"CNAME": b"example.org", "runs/mine/notes.txt": b"kept"}
    for path, data in mine.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(data)
    shutil.rmtree(place.root / ".site.build")
    gone = place.list_runs()[0]
    gone.unlink()
    assert f"runs/{gone.stem}/index.html" in build(place.sources, out).removed
    assert (
        list_differing_paths(read_site_files(out), from_nothing(place, place.root / "full") | mine)
        == []
    )


def test_nothing_outside_the_folder_is_removed(place: EditableProject) -> None:
    """The mark may list other paths, and a link in the folder may lead outside."""
    out, away = place.root / "site", place.root / "away"
    away.mkdir()
    (out / "link").symlink_to(away)
    (place.root / "near.txt").touch()
    (away / "far.txt").touch()
    with (out / ".built-by-leaderboard").open("a", encoding="utf-8") as mark:
        mark.write(f"../near.txt\nlink/far.txt\n{away}/far.txt\n")
    place.change_settings()
    build(place.sources, out)
    assert (place.root / "near.txt").exists()
    assert (away / "far.txt").exists()


def test_builds_into_one_folder_take_turns(place: EditableProject) -> None:
    """A build writes nothing until the other build has ended or was killed."""
    out = place.root / "shared"
    holding = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(place.root / ".shared.build")], stdout=subprocess.PIPE
    )
    assert holding.stdout is not None
    with holding, ThreadPoolExecutor() as pool:
        assert holding.stdout.readline() == b"held\n"
        waiting = pool.submit(build, place.sources, out)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=1)
        assert not out.exists()
        holding.kill()
        assert waiting.result(timeout=60).changed
    assert read_site_files(out) == read_site_files(place.root / "site")


_HOLD = """
import sys, time
from pathlib import Path
from generator.output_folder import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.more
def test_a_builder_in_memory_sees_that_another_has_built(place: EditableProject) -> None:
    """The builder detects another's output even where all sources look as it last saw them."""
    out, settings = place.root / "site", place.templates / "site.toml"
    builder = Builder(place.sources, out)
    builder.build()
    before = settings.read_bytes()
    place.change_settings()
    made = read_run(place.list_runs()[0])
    part = with_attempts(made, made.attempts[:1], planned=EVALS[:1], run_id="e" * 32)
    write_run(place.data, part)
    build(place.sources, out)
    settings.write_bytes(before)
    builder.build()
    assert_as_from_nothing(place, out)
    assert build(place.sources, out).changed == ()


@pytest.mark.more
def test_a_builder_in_memory_knows_that_it_failed(place: EditableProject) -> None:
    """Pages put in place before the failure do not count as pages of the build before."""
    out, settings = place.root / "site", place.templates / "site.toml"
    builder = Builder(place.sources, out)
    builder.build()
    before = settings.read_bytes()
    place.change_settings()
    page = max(path for path in read_site_files(out) if path.endswith("index.html"))
    (out / page).unlink()
    (out / page / "mine").mkdir(parents=True)
    with pytest.raises(GeneratorError, match="cannot be written"):
        builder.build()
    shutil.rmtree(out / page)
    settings.write_bytes(before)
    builder.build()
    assert_as_from_nothing(place, out)


def test_an_output_that_goes_away_during_a_build_is_not_half_made(
    out: Path, place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build is refused, and the next build makes the whole site."""
    place.change_settings()
    with monkeypatch.context() as patched:
        act_when_rendered(patched, lambda: shutil.rmtree(out))
        with pytest.raises(GeneratorError, match="was removed"):
            build(place.sources, out)
    assert not out.exists()
    build(place.sources, out)
    assert_as_from_nothing(place, out)


def act_when_rendered(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Act when a build has rendered all pages and put none in place."""
    act_when_over(monkeypatch, "render", act)


def act_when_over(monkeypatch: pytest.MonkeyPatch, phase: str, act: Callable[[], None]) -> None:
    """Act when a phase of a build is over."""
    does = getattr(Phases, phase)

    def run_phase(*arguments: object) -> object:
        done = does(*arguments)
        act()
        return done

    monkeypatch.setattr(Phases, phase, run_phase)
