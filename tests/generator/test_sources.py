"""Sources of a build: files that it reads, leaves unread, or refuses by name."""

import os
import re
import shutil

import pytest

from generator import errors
from generator.build import Sources, build
from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from tests.generator.editable_project import (
    SUITE,
    EditableProject,
    assert_as_from_nothing,
    read_site_files,
)

pytestmark = pytest.mark.unit


def test_hidden_files_of_editors_are_neither_read_nor_published(place: EditableProject) -> None:
    """A swap file is not text, and is never meant for the site."""
    for folder in (place.evals / SUITE[0] / "answer", place.templates, place.templates / "assets"):
        (folder / ".leaderboard.html.swp").write_bytes(b"b0VIM \xff")
        (folder / ".#leaderboard.html").symlink_to("somebody@host.1234")
    assert build(place.sources, place.root / "site").changed == ()
    assert_as_from_nothing(place, place.root / "site")


@pytest.mark.parametrize("name", ["a\nb.png", "a\x01b.png", os.fsdecode(b"\xff.png")])
def test_a_name_that_no_address_can_hold_is_refused(place: EditableProject, name: str) -> None:
    """The build refuses before it writes, and names the file in readable letters."""
    before = read_site_files(place.root / "site")
    (place.templates / "assets" / name).write_bytes(b"")
    with pytest.raises(errors.GeneratorError, match=re.escape(ascii(name)[1:-1])):
        build(place.sources, place.root / "site")
    assert read_site_files(place.root / "site") == before


def test_a_wrong_data_folder_leaves_the_site_as_it_is(place: EditableProject) -> None:
    """A folder of other files is no project without measurements."""
    before = read_site_files(place.root / "site")
    for root in (place.data.root / "runs", place.root / "nowhere", place.templates):
        wrong = Sources(DataFolder(root), place.templates, place.evals, local=True)
        with pytest.raises(errors.GeneratorError, match=str(root)):
            build(wrong, place.root / "site")
    shutil.rmtree(place.data.root / "runs")
    (place.data.root / "runs").write_text("", encoding="utf-8")
    with pytest.raises(errors.GeneratorError, match="runs must be a folder"):
        build(place.sources, place.root / "site")
    assert read_site_files(place.root / "site") == before


@pytest.mark.parametrize("inside", ["templates/assets/site", "data/runs/x/y", f"evals/{SUITE[0]}"])
def test_no_site_is_built_into_its_sources(place: EditableProject, inside: str) -> None:
    """The next build would read the pages of this build."""
    with pytest.raises(errors.GeneratorError, match="choose another --out"):
        build(place.sources, place.root / inside)


def test_a_run_has_the_name_of_its_text(place: EditableProject) -> None:
    """Otherwise two records could have one run, or an archive of another run."""
    path = place.list_runs()[0]
    path.rename(path.with_name("zzzz" + path.name[4:]))
    with pytest.raises(InvalidRecordError, match=r"run_id: .* is not the file's name"):
        build(place.sources, place.root / "site")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", '"  "'),
        ("title", '"a\\u0000b"'),
        ("address", '"https://site.example/?page=1"'),
        ("address", '"https://site.example/#top"'),
        ("tagline", "9" * 5000),
        ("tagline", "[" * 5000),
    ],
)
def test_settings_that_pages_cannot_be_made_of_are_refused(
    place: EditableProject, field: str, value: str
) -> None:
    """The error names the file; no such value reaches the feed or an address."""
    path = place.templates / "site.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(rf"(?m)^{field} = .*", lambda _: f"{field} = {value}", text))
    with pytest.raises(errors.GeneratorError, match=re.escape(str(path))):
        build(place.sources, place.root / "site")


def test_an_eval_s_settings_may_be_hostile(place: EditableProject) -> None:
    """A number that Python does not read is a fault of the file."""
    path = place.evals / SUITE[0] / "eval.toml"
    path.write_text(f"title = {'9' * 5000}\n", encoding="utf-8")
    with pytest.raises(errors.GeneratorError, match=re.escape(str(path))):
        build(place.sources, place.root / "site")


def test_a_version_for_the_front_page_that_there_is_not_is_reported(place: EditableProject) -> None:
    """The site shows another version, so a notice names the missing version."""
    path = place.templates / "site.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f'current_version = "feedfacecafe"\n{text}')
    assert not [
        notice
        for notice in build(place.sources, place.root / "site").notices
        if "version" in notice
    ]
    path.write_text(f'current_version = "gone"\n{text}')
    notices = build(place.sources, place.root / "site").notices
    assert any("current_version: gone is not defined" in notice for notice in notices)
