"""The set-up of `.venv`, with an interpreter that installs nothing."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.integration

ROOT: Final = Path(__file__).parents[2]
_SCRIPT: Final = ROOT / "scripts" / "python-environment"
_MARKER: Final = ".made-by-python-environment"
_PROGRAMS: Final = ("bash", "dirname", "find", "id", "mkdir", "rm", "rmdir", "touch")
_INTERPRETER: Final = """#!/bin/bash
# Answers every question with yes; as `-m venv` it notes its name and makes programs that note
# their arguments.
if [ "$1" = -m ]; then
  echo "${0##*/}" >> "$LOG"
  mkdir -p .venv/bin
  printf '#!/bin/bash\\necho "$@" >> "${0%%/*}/arguments"\\n' > .venv/bin/pip
  cp .venv/bin/pip .venv/bin/uv
  touch .venv/half
  if [ -n "${STOPPED:-}" ]; then kill -KILL $PPID; exit; fi
  chmod +x .venv/bin/*
fi
"""


class Project:
    """A folder with the script, and a PATH with stand-ins and a few tools only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.environment = self.folder / ".venv"
        self._log = folder / "log"
        self.programs = folder / "bin"
        (self.folder / "scripts").mkdir(parents=True)
        self.programs.mkdir()
        shutil.copy(_SCRIPT, self.folder / "scripts")
        (self.folder / ".python-version").write_text("3.11\n")
        for name in (*_PROGRAMS, "chmod", "cp"):
            path = shutil.which(name)
            assert path is not None
            (self.programs / name).symlink_to(path)

    def add_interpreter(self, name: str) -> Path:
        """Put a stand-in for an interpreter on PATH."""
        path = self.programs / name
        path.write_text(_INTERPRETER)
        path.chmod(0o755)
        return path

    def set_up(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script."""
        return subprocess.run(
            [self.folder / "scripts" / "python-environment"],
            env={"PATH": str(self.programs), "LOG": str(self._log), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def interpreters(self) -> list[str]:
        """The interpreters that made an environment, in order."""
        return self._log.read_text("utf-8").split() if self._log.exists() else []


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project on a machine with Python 3.11."""
    project = Project(tmp_path)
    project.add_interpreter("python3.11")
    return project


def test_a_foreign_environment_is_left_as_it_is(project: Project) -> None:
    """The message names the folder and a command that helps; nothing in it changes."""
    project.environment.mkdir()
    (project.environment / "precious").write_text("mine")
    run = project.set_up()
    assert run.returncode == 1
    assert f"{project.environment} was not made by this project" in run.stderr
    assert "mv .venv .venv.mine" in run.stderr
    assert [path.name for path in project.environment.iterdir()] == ["precious"]
    assert project.interpreters == []


def test_a_link_to_an_environment_is_left_as_it_is(project: Project, tmp_path: Path) -> None:
    """A link leads to a folder of somebody else, even to another environment of this script."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / _MARKER).touch()
    (elsewhere / ".ready").touch()
    project.environment.symlink_to(elsewhere)
    assert project.set_up().returncode == 1
    assert sorted(path.name for path in elsewhere.iterdir()) == [_MARKER, ".ready"]


def test_an_own_environment_is_made_anew(project: Project) -> None:
    """Files of the last environment are gone afterwards."""
    assert project.set_up().returncode == 0
    (project.environment / "old").touch()
    run = project.set_up()
    assert run.returncode == 0, run.stderr
    assert not (project.environment / "old").exists()
    assert project.interpreters == ["python3.11", "python3.11"]


def test_packages_are_compiled_as_they_are_installed(project: Project) -> None:
    """Otherwise the first build of each checkout compiles them, a sixth of its time."""
    assert project.set_up().returncode == 0
    calls = (project.environment / "bin" / "arguments").read_text("utf-8").splitlines()
    (synced,) = [call.split() for call in calls if call.startswith("pip sync ")]
    assert "--compile-bytecode" in synced


def test_settings_of_pip_decide_on_the_index_but_not_on_the_place(project: Project) -> None:
    """`user = true` or `target` of pip.conf fail in an environment, or lead out of it."""
    assert project.set_up(PIP_USER="1").returncode == 0
    calls = (project.environment / "bin" / "arguments").read_text("utf-8").splitlines()
    (download,) = [call for call in calls if call.startswith("download ")]
    assert "--require-hashes" in download
    (install,) = [call for call in calls if " install " in call and "/wheels/" in call]
    assert install.startswith("--isolated ")
    assert "--no-index" in install


def test_a_finished_environment_from_before_the_marker_is_known(project: Project) -> None:
    """The file that the Makefile leaves in it proves that the set-up was completed."""
    project.environment.mkdir()
    (project.environment / ".ready").touch()
    assert project.set_up().returncode == 0
    assert (project.environment / _MARKER).exists()
    assert not (project.environment / ".ready").exists()


def test_an_interrupted_set_up_is_mended_by_the_next(project: Project) -> None:
    """The kill comes while the environment is made, or just after the folder was made."""
    assert project.set_up(STOPPED="1").returncode != 0
    assert not os.access(project.environment / "bin" / "uv", os.X_OK)
    assert project.set_up().returncode == 0
    assert os.access(project.environment / "bin" / "uv", os.X_OK)
    shutil.rmtree(project.environment)
    project.environment.mkdir()
    assert project.set_up().returncode == 0


def test_the_named_version_comes_first(project: Project) -> None:
    """`.python-version` decides, if this machine has that interpreter."""
    for name in ("python3.14", "python3"):
        project.add_interpreter(name)
    assert project.set_up().returncode == 0
    assert project.interpreters == ["python3.11"]


def test_the_newest_stands_in_for_the_named_version(tmp_path: Path) -> None:
    """A machine without that interpreter uses its newest."""
    project = Project(tmp_path)
    for name in ("python3", "python3.12", "python3.13"):
        project.add_interpreter(name)
    assert project.set_up().returncode == 0
    assert project.interpreters == ["python3.13"]


def test_python_command_overrides(project: Project) -> None:
    """A named interpreter is used, or refused by its name."""
    other = project.add_interpreter("other-python")
    assert project.set_up(PYTHON_COMMAND=str(other)).returncode == 0
    assert project.interpreters == ["other-python"]
    run = project.set_up(PYTHON_COMMAND="python9")
    assert run.returncode == 1
    assert "PYTHON_COMMAND names python9" in run.stderr


def test_the_activated_environment_is_no_interpreter(project: Project) -> None:
    """The interpreter inside `.venv` goes away with it, so another makes the next environment."""
    assert project.set_up().returncode == 0
    inside = project.environment / "bin" / "python3.11"
    inside.write_text("#!/bin/bash\nexit 9\n")
    inside.chmod(0o755)
    run = project.set_up(PATH=f"{inside.parent}:{project.programs}")
    assert run.returncode == 0, run.stderr


def test_without_python_nothing_is_touched(tmp_path: Path) -> None:
    """The message names the needed version, and an older environment stays."""
    project = Project(tmp_path)
    project.environment.mkdir()
    (project.environment / _MARKER).touch()
    (project.environment / "old").touch()
    run = project.set_up()
    assert run.returncode == 1
    assert "Python 3.11 or newer is needed" in run.stderr
    assert (project.environment / "old").exists()
