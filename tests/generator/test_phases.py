"""The phases of a build: a site of cached records is that of the records themselves."""

from pathlib import Path

import pytest

from generator import run_pages
from generator.cache import Cache
from generator.output_folder import Staging
from generator.phases import Phases
from generator.sources import Sources, Stamp, find_inputs
from tests.generator.conftest import MakeProject
from tests.generator.contexts import cache_runs, gather_with_phases

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
    pages = Phases(project.sources, tmp_path / "compiled").render_ahead(inputs, Cache(), wanted)
    assert pages.keys() == wanted
    assert sorted(read) == sorted(inputs.runs)


def test_the_site_of_cached_records_is_that_of_records_just_read(
    make_project: MakeProject, tmp_path: Path
) -> None:
    """The pages' data are the same with the cache of a build and of the tests' own reader."""
    project = make_project(7)
    sources = Sources(project.data, project.templates, project.evals, local=False)
    inputs, after = find_inputs(sources), Cache()
    phases = Phases(sources, tmp_path / "compiled")
    with Staging(tmp_path / "staged", tmp_path / "site") as staging:
        begun = phases.begin(inputs, Cache(), after)
        runs, _ = phases.run_renderer(begun, inputs).render(Cache(), after, staging)
    site = phases.score_runs(begun, runs)
    cached = cache_runs(project.data, inputs)
    assert cached.files == {path: after.files[path] for path in inputs.runs}
    assert cached.plans == after.plans
    assert site.summaries.runs
    for cache in (after, cached):
        site_data = gather_with_phases(Phases(sources, tmp_path / "compiled"), inputs, cache)
        assert [(run.run_id, run.tally) for run in site_data.summaries.runs] == [
            (run.run_id, run.tally) for run in site.summaries.runs
        ]
        assert site_data.leaderboards.keys() == site.leaderboards.keys()
        assert site_data.front == site.front
