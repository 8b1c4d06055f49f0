"""A cache that was restored beside a fresh copy of the records, as on a build server."""

import shutil
from pathlib import Path
from typing import Never

import pytest

from generator.build import build
from tests.generator.editable_project import EditableProject, read_site_files

pytestmark = pytest.mark.integration


def _refuse(*_: object) -> Never:
    raise AssertionError("a record or report was read again")


def _copy_all_files(root: Path) -> None:
    """Give each file another inode and time, as a clone and a restored archive have."""
    shutil.copytree(root, root.with_name("copied"), copy_function=shutil.copyfile)
    shutil.rmtree(root)
    root.with_name("copied").rename(root)


def test_copied_files_are_recognised_by_their_digests(
    place: EditableProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record is parsed and no page is written; a page that somebody changed is made again."""
    out = place.root / "site"
    before = read_site_files(out)
    _copy_all_files(place.root)
    with monkeypatch.context() as patched:
        patched.setattr("generator.run_pages.parse_run", _refuse)
        patched.setattr("generator.read.project_files.parse_report", _refuse)
        assert build(place.sources, out).changed == ()
    (out / "index.html").write_text("changed", encoding="utf-8")
    assert build(place.sources, out).changed == ("index.html",)
    assert read_site_files(out) == before


@pytest.mark.parametrize("name", ["runs.jsonl", "reports.jsonl"])
@pytest.mark.parametrize("damage", ["cut", "value", "foreign", "deep"])
def test_damaged_summaries_count_as_none(place: EditableProject, name: str, damage: str) -> None:
    """All records are read again, and the site is the same."""
    out, file = place.root / "site", place.root / ".site.build" / name
    before = read_site_files(out)
    stored = file.read_bytes()
    damaged = {
        "cut": stored[:-20],
        "value": stored.replace(b'"slug":', b'"slog":'),
        "foreign": b'"another program"\n' + stored.partition(b"\n")[2],
        "deep": stored.partition(b"\n")[0] + b"\n" + b"[" * 100_000,
    }
    file.write_bytes(damaged[damage])
    (place.root / ".site.build" / "cache.json").unlink()
    assert build(place.sources, out).changed == ()
    assert read_site_files(out) == before
    assert file.read_bytes() == stored
