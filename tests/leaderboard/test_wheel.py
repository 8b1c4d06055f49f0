"""The wheel, installed into an empty environment: a board from nothing, without this repository.

Dependencies are those of the tests' own environment, which a file of paths lends; nothing of the
repository is on the path.
"""

import json
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.runner.conftest import Serve
from tests.support.sharing import make_once
from tests.support.site_links import assert_no_broken_link
from tests.support.warm_command import ROOT

pytestmark = pytest.mark.more

OURS = re.compile(
    rb"convex|8a105d61-7a42-4ff5-84dd-fa3fb027ea5c|repository\.example", re.IGNORECASE
)
_REPLY = (
    "# Files\n\n## greeting.py\n\n```python\ndef greet(name):\n"
    "    if not name.strip():\n        raise ValueError(name)\n"
    '    return f"Hello, {name.strip()}!"\n```\n'
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, and nothing else of its own."""
    return make_once(tmp_path_factory, "wheel", _install)


def _install(folder: Path) -> None:
    build = [ROOT / "scripts" / "build-wheel", folder / "dist"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    uv = Path(sys.executable).parent / "uv"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder / "venv"], check=True)
    subprocess.run(
        [
            *(uv, "pip", "install", "--quiet", "--offline", "--no-deps"),
            *("--python", folder / "venv" / "bin" / "python", wheel),
        ],
        check=True,
    )
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (packages / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")


class Board:
    """A project that the installed program made."""

    def __init__(self, environment: Path, folder: Path) -> None:
        self.folder = folder / "our-board"
        self._program = environment / "venv" / "bin" / "leaderboard"
        self._home = folder
        self.run("init", self.folder.name, "--title", "Our board", cwd=folder)

    def run(self, *arguments: str, cwd: Path | None = None, **more: str) -> str:
        """Run the installed program and return what it printed."""
        ended = subprocess.run(
            [self._program, *arguments],
            cwd=cwd or self.folder,
            env=self.make_user_environment(**more),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{arguments}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def make_user_environment(self, **more: str) -> dict[str, str]:
        """Return an environment of a user without keys."""
        path = f"{self._program.parent}:/usr/local/bin:/usr/bin:/bin"
        return {"PATH": path, "HOME": str(self._home), **more}

    def serve(self) -> subprocess.Popen[str]:
        """Start the preview at a free port."""
        return subprocess.Popen(
            [self._program, "serve", "--port", "0"],
            cwd=self.folder,
            env=self.make_user_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def board(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    """A project from `init`, with runs of the baselines and its site."""
    board = Board(environment, tmp_path_factory.mktemp("board"))
    board.run("run", "-m", "oracle", "-m", "stub")
    board.run("build", "--local")
    return board


def test_the_wheel_has_one_import_name(environment: Path) -> None:
    """Beside the metadata it has one folder; all that is read beside the sources is in it."""
    (wheel,) = (environment / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {name for name in tops if not name.endswith(".dist-info")} == {"convex_leaderboard"}
    packages = "convex_leaderboard/packages"
    for path in (
        "site_templates/layout.html",
        "site_templates/assets/site.css",
        "runner/emulator/server.mjs",
        "evals/package-lock.json",
        "leaderboard/new_projects/files/gitignore.template",
        "docs/method-of-imports.md",
    ):
        assert f"{packages}/{path}" in names
    assert not [name for name in names if "TASK.txt" in name and "/files/" not in name]


def test_a_new_project_installs_the_program_that_made_it(environment: Path, board: Board) -> None:
    """The wheel is in no index, so the requirements name its file."""
    (wheel,) = (environment / "dist").glob("*.whl")
    requirement = (board.folder / "requirements.txt").read_text()
    assert requirement == f"convex-leaderboard[run,serve] @ {wheel.as_uri()}\n"


def test_other_programs_of_the_environment_see_none_of_the_packages(environment: Path) -> None:
    """`import records` means what it would mean without this program."""
    code = (
        "import importlib.util as u\n"
        "for name in ('generator', 'leaderboard', 'records', 'review', 'runner'):\n"
        "    assert u.find_spec(name) is None, name\n"
    )
    python = environment / "venv" / "bin" / "python"
    subprocess.run([python, "-c", code], cwd=environment, check=True)


@pytest.mark.night
def test_the_graders_of_a_new_project_are_proven(board: Board) -> None:
    """Reference, baselines and variants have the verdicts that the example promises."""
    assert "1 eval: 6 verdicts right, 0 wrong" in board.run("suite", "check", "--once")
    assert "1 eval: 0 faults" in board.run("suite", "lint")
    assert "all right" in board.run("check")


@pytest.mark.night
def test_a_model_is_asked_and_graded(board: Board, serve: Serve) -> None:
    """A server on this machine answers the task, and the run passes and is published."""
    provider = serve({"default": {"text": _REPLY}})
    board.run("suite", "mint")
    asked = board.run(
        *("run", "-m", "openai/tiny", "--api-base", provider.address, "--publish"),
        *("--why", "a test of the installed program"),
        OPENAI_API_KEY="none",
    )
    assert "1 passed" in asked
    (record,) = (board.folder / "data" / "runs").rglob("*.json")
    harness = json.loads(record.read_text())["harness"]
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert harness["git_commit"].removesuffix("+changes") == head.stdout.strip()
    assert (harness["backend"], harness["install"]) == (None, None)
    assert set(harness["toolchain"]) >= {"python", "pytest"}
    board.run("verify", "--all")


def test_nothing_of_ours_is_on_the_pages(board: Board) -> None:
    """Titles, texts, canary and address are the project's; no file names Convex or our site."""
    site = board.folder / "site"
    faulty = [
        (path.relative_to(site).as_posix(), match[0])
        for path in site.rglob("*")
        if path.is_file() and (match := OURS.search(path.read_bytes()))
    ]
    assert faulty == []
    front = (site / "index.html").read_text("utf-8")
    assert "Our board" in front
    assert "https://leaderboard.example/" in front
    evaluation = (site / "evals" / "000-basics" / "000-greeting" / "index.html").read_text("utf-8")
    assert "canary: our-board " in evaluation


def test_no_link_of_its_pages_is_broken(board: Board) -> None:
    """Links into the method lead to sections that the text of `init` has."""
    assert_no_broken_link(board.folder / "site")


def test_the_site_is_served(board: Board) -> None:
    """`serve` answers with the project's front page, and names the API without us."""
    with board.serve() as process:
        try:
            assert process.stdout is not None
            lines = iter(process.stdout.readline, "")
            address = next(
                match[0] for line in lines if (match := re.search(r"http://[\d.:]+/", line))
            )
            for line in lines:
                if "Ctrl-C" in line:
                    break
            assert "Our board" in httpx.get(address).text
            described = httpx.get(f"{address}openapi.json")
            assert described.json()["info"]["title"] == "Leaderboard: scores API"
        finally:
            process.terminate()
