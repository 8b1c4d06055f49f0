"""docs/another-benchmark.md, followed to the letter, and its example: proven, run and served."""

import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.documents.markdown import Fence, parse_document
from tests.support.shell_blocks import ShellBlock, run
from tests.support.site_links import assert_no_broken_link
from tests.support.warm_command import (
    ROOT,
    WarmCommand,
    make_command_environment,
    make_warm_program,
    run_command,
    start_server,
)

pytestmark = pytest.mark.more
_SECTION = re.compile(r"^## ", re.MULTILINE)
_ELSEWHERE = {
    "1. Install": "tests/leaderboard/test_wheel.py installs the wheel",
    "Graders that are programs": "it is a reference",
    "Suites in TypeScript": "tests/leaderboard/suites/test_suite_import.py",
    "Import results": "tests/leaderboard/commands/test_imports.py",
}
_NOT_RUN = {
    "echo 'OPENAI_API_KEY=...' > .env": "tests/leaderboard/test_wheel.py asks a model of its own",
    "leaderboard serve": "it does not end; tests/leaderboard/test_wheel.py opens the board",
    "leaderboard publish RUN": "runs of a checkout with changes are refused",
}
"""First commands of blocks that are passed over, with the reason."""


class _Reader:
    """A reader who follows the document, command by command, in one shell."""

    def __init__(self, folder: Path) -> None:
        """Begin in ``folder``."""
        self._folder = folder
        self._here = folder
        self._program = make_warm_program()
        self.printed = ""
        """All output."""

    def follow(self, fence: Fence) -> None:
        """Write the file that a block is, or run its commands."""
        if fence.file:
            target = self._here / fence.file
            assert target.is_file(), f"{fence.file}: the commands before it have not copied it"
            target.write_text(fence.text)
        elif fence.language == "sh":
            self._run(fence.text)

    def _run(self, commands: str) -> None:
        file = self._folder / "here.txt"
        self.printed += run(
            ShellBlock(f"{commands}\npwd >{shlex.quote(str(file))}", None),
            self._here,
            self._program.parent,
            more={"XDG_CACHE_HOME": str(Path(make_command_environment()["HOME"]) / ".cache")},
            pass_fds=[start_server().fileno()],
        )
        self._here = Path(file.read_text().strip())


def _select_blocks(document: str) -> Iterator[Fence]:
    """Yield the blocks that can be followed here."""
    titles: list[str] = []
    commands: list[str] = []
    for section in _SECTION.split(document)[1:]:
        title = section.partition("\n")[0]
        titles.append(title)
        for fence in parse_document(section).fences if title not in _ELSEWHERE else ():
            command = fence.text.partition("\n")[0].partition("  ")[0].strip()
            commands.append(command)
            if command not in _NOT_RUN:
                yield fence
    assert not [name for name in (*_ELSEWHERE, *_NOT_RUN) if name not in (*titles, *commands)]


def test_the_steps_of_the_document_lead_to_three_proven_evals(tmp_path: Path) -> None:
    """Each block is run or written as it stands, and each command ends well."""
    reader = _Reader(tmp_path)
    for fence in _select_blocks((ROOT / "docs" / "another-benchmark.md").read_text("utf-8")):
        reader.follow(fence)
    assert "3 evals: 0 faults" in reader.printed
    assert "3 evals: 14 verdicts right, 0 wrong" in reader.printed
    site = tmp_path / "board" / "site"
    assert "https://board.example.org/" in (site / "index.html").read_text("utf-8")
    assert_no_broken_link(site)


EXAMPLE = ROOT / "examples" / "plain-python"


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
    ended = run_command(*arguments, cwd=project, code=0)
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
