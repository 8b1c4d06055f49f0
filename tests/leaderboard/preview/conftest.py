"""Previews for the tests: of a project that a test changes, and of an unchanged project."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.build import Builder
from tests.leaderboard.preview.previewing import make_sources, serve_preview, write_project


@pytest.fixture
def project(tmp_path: Path) -> tuple[Path, Path]:
    """Folders of data and templates, which a test may change."""
    return write_project(tmp_path)


@pytest.fixture
def data(project: tuple[Path, Path]) -> Path:
    """A data folder with one run."""
    return project[0]


@pytest.fixture
def templates(project: tuple[Path, Path]) -> Path:
    """Templates that can be changed, beside the method, to whose paragraphs pages lead."""
    return project[1]


@pytest.fixture
def terminal() -> list[str]:
    """The lines that the preview prints in the terminal."""
    return []


@pytest.fixture
def address(data: Path, templates: Path, terminal: list[str], tmp_path: Path) -> Iterator[str]:
    """A preview that serves and watches, over real HTTP."""
    builder = Builder(make_sources(data, templates), tmp_path / "site")
    with serve_preview(builder, [data, templates], tmp_path, terminal) as address:
        yield address


@pytest.fixture(scope="module")
def unchanged_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A preview of a project that no test changes."""
    folder = tmp_path_factory.mktemp("unchanged")
    data, templates = write_project(folder)
    builder = Builder(make_sources(data, templates), folder / "site")
    with serve_preview(builder, [data, templates], folder, []) as address:
        yield address
