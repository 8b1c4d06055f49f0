"""Weight of the front page with many models."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from generator.build import build
from records.files.data_folder import DataFolder
from tests.site.corpus import write_field
from tests.site.example_site import make_sources

pytestmark = pytest.mark.more

_MOST = 100_000


@pytest.mark.parametrize(
    ("models", "baselines"), [(8, 1), pytest.param(100, 2, marks=pytest.mark.night)]
)
def test_the_front_page_of_a_hundred_models_stays_below_100_kb(
    tmp_path: Path, models: int, baselines: int
) -> None:
    """Models with every column filled, development runs at that, packed as served.

    Baselines have no effect of the guidelines.
    """
    data = DataFolder(tmp_path / "data")
    write_field(data.local, models)
    build(replace(make_sources(data), local=True), tmp_path / "site")
    html = (tmp_path / "site" / "index.html").read_bytes()
    assert html.count(b'<tr data-key="') == models
    assert html.count(b'class="num effect"') == models - baselines
    assert len(gzip.compress(html, 6)) < _MOST
