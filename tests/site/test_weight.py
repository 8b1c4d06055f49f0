"""How heavy the front page is with many models."""

import gzip
from dataclasses import replace
from pathlib import Path

from generator.build import build
from records.folder import DataFolder
from tests.site.corpus import write_field
from tests.site.example_site import sources

_MODELS = 100
_BASELINES = 2
"""Of these models: nothing is said of what the guidelines do for a baseline."""
_MOST = 100_000


def test_the_front_page_of_a_hundred_models_stays_below_100_kb(tmp_path: Path) -> None:
    """A hundred models with every column filled, development runs at that, packed as served."""
    data = DataFolder(tmp_path / "data")
    write_field(data.local, _MODELS)
    build(replace(sources(data), local=True), tmp_path / "site")
    html = (tmp_path / "site" / "index.html").read_bytes()
    assert html.count(b'<td class="score"') == _MODELS
    assert html.count(b'class="num effect"') == _MODELS - _BASELINES
    assert len(gzip.compress(html, 6)) < _MOST
