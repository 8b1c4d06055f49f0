"""The phases of a build: a record is read once, whichever pages need it."""

from pathlib import Path

import pytest

from generator import run_pages
from generator.phases import Phases
from generator.sources import find_inputs
from records.files.plain_files import Stamp
from tests.generator.conftest import MakeProject

pytestmark = pytest.mark.unit


def test_a_changed_record_is_read_once_for_all_pages_of_a_preview(
    make_project: MakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of a run and the front page, open side by side, are made from one reading of it."""
    project = make_project(7)
    inputs = find_inputs(project.sources)
    read: list[str] = []
    read_source = run_pages.read_source

    def note_and_read(path: str, stamp: Stamp) -> bytes:
        read.append(path)
        return read_source(path, stamp)

    monkeypatch.setattr(run_pages, "read_source", note_and_read)
    wanted = {f"runs/{Path(next(iter(inputs.runs))).stem}/index.html", "index.html"}
    phases = Phases(project.sources, tmp_path / "compiled")
    pages = phases.render_ahead(inputs, wanted)
    assert pages.keys() == wanted
    assert sorted(read) == sorted(inputs.runs)
    assert phases.render_ahead(inputs, {"index.html"}) == {"index.html": pages["index.html"]}
    assert sorted(read) == sorted(inputs.runs)
