"""What the tests of pages share: a backend, and a renderer of its components."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.jail import Jail, open_jail
from runner.ui import Setting, Ui
from tests.runner.served import Served, serve, toolchain


@pytest.fixture(scope="session")
def jail() -> Jail:
    """Open the jail that grading uses."""
    return open_jail("bwrap")


@pytest.fixture(scope="session")
def backend(jail: Jail) -> Iterator[Served]:
    """Serve the project of this folder."""
    with serve(jail, Path(__file__).parent / "project") as served:
        yield served


@pytest.fixture(scope="session")
def setting(jail: Jail, backend: Served) -> Setting:
    """Say where pages are rendered."""
    return Setting(
        jail=jail,
        toolchain=toolchain(),
        project=backend.project,
        socket=backend.socket,
        origin=backend.origin,
        site_origin="http://site.test",
        patience_s=4,
    )


@pytest.fixture(scope="session")
def kept_ui(setting: Setting) -> Iterator[Ui]:
    """Keep one renderer for all tests, as an attempt does for its grader."""
    with Ui(setting) as ui:
        yield ui


@pytest.fixture
def ui(kept_ui: Ui) -> Iterator[Ui]:
    """Give the renderer with nothing on the page."""
    yield kept_ui
    kept_ui.reset()
