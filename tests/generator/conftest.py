"""Fixtures of the generator's tests: small projects and their builds."""

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from generator.build import build
from tests.generator.editable_project import EditableProject

MakeProject = Callable[[int], EditableProject]
"""The maker of a small project from a seed; it removes the project made before."""


@contextmanager
def _keep_in_one_process() -> Generator[None]:
    """Keep builds in this process: beside a second thread a build forks no workers."""
    over = Event()
    thread = Thread(target=over.wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """Let the builds of a module's tests fork no workers."""
    with _keep_in_one_process():
        yield


@pytest.fixture(scope="session")
def project_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of each project in turn: compiled templates are valid at their old path only."""
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="session")
def compiled_templates(project_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The templates of a project as a first build has compiled them."""
    project = EditableProject(project_folder, seed=7)
    with _keep_in_one_process():
        build(project.sources, project_folder / "site")
    compiled = tmp_path_factory.mktemp("compiled") / "__pycache__"
    shutil.copytree(project.templates / "__pycache__", compiled)
    return compiled


@pytest.fixture
def make_project(project_folder: Path, compiled_templates: Path) -> MakeProject:
    """The maker of small projects with compiled templates."""

    def make(seed: int) -> EditableProject:
        shutil.rmtree(project_folder)
        project = EditableProject(project_folder, seed)
        shutil.copytree(compiled_templates, project.templates / "__pycache__")
        return project

    return make


@pytest.fixture
def place(make_project: MakeProject) -> EditableProject:
    """A small project, built once into `site`."""
    project = make_project(7)
    build(project.sources, project.root / "site")
    return project
