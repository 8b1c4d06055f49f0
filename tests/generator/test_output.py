"""What a build does to its output folder, and what it leaves alone."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from generator.build import Builder, build
from generator.errors import AbandonedError, OutputFolderError
from generator.phases import Phases
from records.reader import read_run
from records.totals import totals
from records.writer import write_run
from tests.generator.project import EVALS, ROOT, EditableProject, differing, files, from_nothing

pytestmark = pytest.mark.integration


def test_a_page_that_was_lost_or_edited_is_made_again(place: EditableProject) -> None:
    """What somebody else did to the output does not last."""
    out = place.root / "site"
    before = files(out)
    (out / "index.html").write_text("mine")
    (out / "about" / "index.html").unlink()
    changed = build(place.sources, out).changed
    assert sorted(changed) == ["about/index.html", "index.html"]
    assert files(out) == before


def test_only_a_folder_that_a_build_made_is_built_into(place: EditableProject) -> None:
    """Somebody's files are neither overwritten nor removed."""
    mine = place.root / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputFolderError):
        build(place.sources, mine)
    assert files(mine) == {"thesis.txt": b"years of work"}


@pytest.mark.parametrize("there", [True, False])
def test_what_came_in_during_the_first_build_stays(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch, *, there: bool
) -> None:
    """Into a folder that was empty, or was not there: the build is refused at its end."""
    mine = place.root / "mine"
    if there:
        mine.mkdir()

    def bring() -> None:
        mine.mkdir(exist_ok=True)
        (mine / "thesis.txt").write_text("years of work")

    when_rendered(monkeypatch, bring)
    with pytest.raises(OutputFolderError, match="mine: not empty"):
        build(place.sources, mine)
    assert files(mine) == {"thesis.txt": b"years of work"}


def test_a_build_that_is_abandoned_leaves_what_is_there(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page of it is put in place, and the next build makes them all."""
    out = place.root / "site"
    before = files(out)
    builder = Builder(place.sources, out)
    layout = place.templates / "layout.html"
    layout.write_text(layout.read_text().replace("<body>", '<body class="other">'))
    with monkeypatch.context() as patched:
        when_over(patched, "score", builder.abandon)
        with pytest.raises(AbandonedError):
            builder.build()
    assert files(out) == before
    builder.build()
    assert files(out) == from_nothing(place, place.root / "full")


def test_an_empty_folder_stays_the_one_it_is(place: EditableProject) -> None:
    """It is filled: whoever holds it open sees the site, and its mode is as it was chosen."""
    out = place.root / "shared"
    out.mkdir()
    out.chmod(0o2770)
    before = out.stat()
    build(place.sources, out)
    after = out.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert files(out) == files(place.root / "site")


def test_the_current_folder_and_a_link_to_one_are_filled(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept from build to build stands beside the folder itself."""
    here, link = place.root / "here", place.root / "links" / "link"
    here.mkdir()
    link.parent.mkdir()
    link.symlink_to(here)
    monkeypatch.chdir(here)
    assert build(place.sources, Path()).changed
    assert build(place.sources, link).changed == ()
    assert files(here) == files(place.root / "site")
    assert [path.name for path in link.parent.iterdir()] == ["link"]
    assert link.is_symlink()


def test_neither_a_file_nor_a_link_to_nowhere_is_built_into(place: EditableProject) -> None:
    """Both are refused before anything is read."""
    (place.root / "file").touch()
    (place.root / "link").symlink_to("nowhere")
    for name in ("file", "link"):
        with pytest.raises(OutputFolderError, match=f"{name}: not a folder"):
            build(place.sources, place.root / name)


def test_a_place_that_cannot_be_written_is_named(place: EditableProject) -> None:
    """A folder stands where a page belongs; when it is gone the site is made whole."""
    out = place.root / "site"
    (out / "index.html").unlink()
    (out / "index.html" / "mine").mkdir(parents=True)
    place.change_settings()
    with pytest.raises(OutputFolderError, match=r"index\.html"):
        build(place.sources, out)
    shutil.rmtree(out / "index.html")
    build(place.sources, out)
    assert differing(files(out), from_nothing(place, place.root / "full")) == []


def test_only_what_builds_wrote_is_removed(place: EditableProject) -> None:
    """A build that knows nothing of earlier ones removes their pages, and nobody's files."""
    out = place.root / "site"
    mine = {"CNAME": b"example.org", "runs/mine/notes.txt": b"kept"}
    for path, data in mine.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(data)
    shutil.rmtree(place.root / ".site.build")
    gone = place.runs()[0]
    gone.unlink()
    assert f"runs/{gone.stem}/index.html" in build(place.sources, out).removed
    assert differing(files(out), from_nothing(place, place.root / "full") | mine) == []


def test_a_page_that_somebody_changed_goes_with_its_run(place: EditableProject) -> None:
    """Although the build no longer knows that page as its own work."""
    out, gone = place.root / "site", place.runs()[0]
    (out / "runs" / gone.stem / "index.html").write_text("mine")
    gone.unlink()
    build(place.sources, out)
    assert differing(files(out), from_nothing(place, place.root / "full")) == []


def test_nothing_outside_the_folder_is_removed(place: EditableProject) -> None:
    """Whatever the mark lists, and wherever a link in the folder leads."""
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
    """One waits, with nothing written, until the other has ended, even if that was killed."""
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
    assert files(out) == files(place.root / "site")


_HOLD = """
import sys, time
from pathlib import Path
from generator.output import turn
with turn(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_many_builds_at_once_leave_the_site(place: EditableProject) -> None:
    """Into an empty folder, by processes of which each finds what the one before has left."""
    out = place.root / "shared"
    command = [sys.executable, "-m", "leaderboard", "build", "--local", "--out", str(out)]
    command += ["--data", str(place.data.root), "--templates", str(place.templates)]
    command += ["--evals", str(place.evals)]
    building = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) for _ in range(3)]
    said = [one.communicate()[0].decode() for one in building]
    assert [one.returncode for one in building] == [0, 0, 0]
    assert sorted(", 0 changed, 0 removed" in one for one in said) == [False, True, True]
    whole = from_nothing(place, place.root / "full")
    assert files(out).keys() == whole.keys()


def test_a_builder_in_memory_sees_that_the_output_has_gone(place: EditableProject) -> None:
    """It makes the whole site again, though one file changed only."""
    out = place.root / "site"
    builder = Builder(place.sources, out)
    builder.build()
    shutil.rmtree(out)
    place.change_settings()
    builder.build()
    assert differing(files(out), from_nothing(place, place.root / "full")) == []


def test_a_builder_in_memory_sees_that_another_has_built(place: EditableProject) -> None:
    """What the other wrote is not taken for its own, though everything is as it last saw it."""
    out, settings = place.root / "site", place.templates / "site.toml"
    builder = Builder(place.sources, out)
    builder.build()
    before = settings.read_bytes()
    place.change_settings()
    made = read_run(place.runs()[0])
    one = made.attempts[:1]
    update = {"planned": EVALS[:1], "attempts": one, "totals": totals(one), "run_id": "e" * 32}
    write_run(place.data, made.model_copy(update=update))
    build(place.sources, out)
    settings.write_bytes(before)
    builder.build()
    assert differing(files(out), from_nothing(place, place.root / "full")) == []
    assert build(place.sources, out).changed == ()


def test_a_builder_in_memory_knows_that_it_failed(place: EditableProject) -> None:
    """Pages that it has put in place by then are not taken for those of the build before."""
    out, settings = place.root / "site", place.templates / "site.toml"
    builder = Builder(place.sources, out)
    builder.build()
    before = settings.read_bytes()
    place.change_settings()
    page = max(path for path in files(out) if path.endswith("index.html"))
    (out / page).unlink()
    (out / page / "mine").mkdir(parents=True)
    with pytest.raises(OutputFolderError, match="cannot be written"):
        builder.build()
    shutil.rmtree(out / page)
    settings.write_bytes(before)
    builder.build()
    assert differing(files(out), from_nothing(place, place.root / "full")) == []


def test_an_output_that_goes_away_during_a_build_is_not_half_made(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build is refused, and the next one makes the whole site."""
    out = place.root / "site"
    place.change_settings()
    with monkeypatch.context() as patched:
        when_rendered(patched, lambda: shutil.rmtree(out))
        with pytest.raises(OutputFolderError, match="was removed"):
            build(place.sources, out)
    assert not out.exists()
    build(place.sources, out)
    assert differing(files(out), from_nothing(place, place.root / "full")) == []


def when_rendered(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let something happen when a build has rendered everything and put nothing in place."""
    when_over(monkeypatch, "list_pages", act)


def when_over(monkeypatch: pytest.MonkeyPatch, phase: str, act: Callable[[], None]) -> None:
    """Let something happen when a phase of a build is over."""
    does = getattr(Phases, phase)

    def then(*given: object) -> object:
        done = does(*given)
        act()
        return done

    monkeypatch.setattr(Phases, phase, then)
