"""What tests of the generator begin from."""

from pathlib import Path

import pytest

from generator.build import build
from tests.generator.project import EditableProject


@pytest.fixture
def place(tmp_path: Path) -> EditableProject:
    """A small project, built once into `site`."""
    made = EditableProject(tmp_path, seed=7)
    build(made.sources, tmp_path / "site")
    return made
