"""Effects that were simulated for a build are cached for the next build."""

import shutil
from pathlib import Path
from typing import Never

import pytest

from generator.build import build
from generator.scores.differences.power import SIMULATED
from records.files.data_folder import DataFolder
from tests.generator.editable_project import read_site_files
from tests.site.corpus import write_field
from tests.site.example_site import make_sources

pytestmark = pytest.mark.integration


def _simulate(*_: object) -> Never:
    raise AssertionError("an effect was simulated again")


def test_a_later_process_simulates_no_effect_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pages are rendered again, with the same bytes, from the effects in the cache."""
    project, out = make_sources(DataFolder(tmp_path / "data")), tmp_path / "site"
    write_field(project.data, 3)
    SIMULATED.clear()
    build(project, out)
    first, effects = read_site_files(out), dict(SIMULATED)
    assert len(effects) > 1
    SIMULATED.clear()
    shutil.rmtree(out)
    monkeypatch.setattr("generator.scores.differences.power.compute_difference_p_values", _simulate)
    build(project, out)
    assert read_site_files(out) == first
    assert effects == SIMULATED
