"""The example of another benchmark: proven, run, built and served by the usual commands."""

import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.support.site_links import assert_no_broken_link
from tests.support.warm_command import ROOT, WarmCommand, make_command_environment, run_command

pytestmark = pytest.mark.more

EXAMPLE: Final = ROOT / "examples" / "plain-python"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example: its commands write beside its files."""
    folder = tmp_path_factory.mktemp("example") / "plain-python"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("local", "site", ".site.build"))
    return folder


@pytest.fixture(scope="module")
def site(project: Path) -> Path:
    """The site with a run of the reference answers."""
    _run(project, "run", "-m", "oracle")
    _run(project, "build", "--local")
    return project / "site"


def _run(project: Path, *arguments: str) -> str:
    ended = run_command(*arguments, cwd=project)
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
    return ended.stdout


@pytest.mark.night
def test_its_graders_are_proven(project: Path) -> None:
    """Each reference and right variant passes, each wrong variant fails the tests that it names."""
    assert "3 evals: 0 faults" in _run(project, "suite", "lint")
    assert "3 evals: 19 verdicts right, 0 wrong" in _run(project, "suite", "check", "--once")


def test_its_pages_are_built(project: Path, site: Path) -> None:
    """The front page has its title, an eval its tests in words; the records are valid."""
    assert "Plain Python" in (site / "index.html").read_text("utf-8")
    page = (site / "evals" / "000-text" / "000-slugs" / "index.html").read_text("utf-8")
    assert "A letter with an accent is the letter itself." in page
    assert "all right" in _run(project, "check")


def test_no_link_of_its_pages_is_broken(site: Path) -> None:
    """Links into the method lead to sections that the project's own text has."""
    assert_no_broken_link(site)
    texts = [path.read_text("utf-8") for path in site.rglob("*.html")]
    assert not any("six steps of grading" in text for text in texts)


@pytest.fixture
def served(project: Path, site: Path) -> Iterator[str]:
    """The address of the preview."""
    assert site.is_dir()
    arguments = ("serve", "--port", "0")
    with WarmCommand(
        arguments, cwd=project, env=make_command_environment(), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        yield next(
            match[0]
            for line in lines
            if "Ctrl-C" in line and (match := re.search(r"http://[\d.:]+/", line))
        )
        process.send_signal(signal.SIGINT)


def test_its_board_is_served(served: str) -> None:
    """`serve` answers with the same front page."""
    assert "Plain Python" in httpx.get(served).text
