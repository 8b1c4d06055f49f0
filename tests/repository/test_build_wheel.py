"""`scripts/build-wheel` in a clone, with stand-ins for the set-up and for Python."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.git import commit_all, run_git

pytestmark = pytest.mark.integration

_SCRIPT: Final = Path(__file__).parents[2] / "scripts" / "build-wheel"
_SET_UP: Final = """#!/bin/bash
# Makes an environment whose Python notes what it is asked for, and what the note of the commit has.
echo set up >> log
mkdir -p .venv/bin
cat > .venv/bin/python <<'END'
#!/bin/bash
echo "$*" >> log
cat runner/built_from.txt >> log 2> /dev/null || true
END
chmod +x .venv/bin/python
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone in which nothing is set up."""
    folder = tmp_path / "clone"
    (folder / "scripts").mkdir(parents=True)
    (folder / "runner").mkdir()
    shutil.copy(_SCRIPT, folder / "scripts")
    set_up = folder / "scripts" / "python-environment"
    set_up.write_text(_SET_UP)
    set_up.chmod(0o755)
    (folder / ".gitignore").write_text("/log\n/.venv/\n/runner/\n")
    run_git(folder, "init", "-q")
    commit_all(folder, "begin")
    return folder


def build(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script from another folder."""
    return subprocess.run(
        [clone / "scripts" / "build-wheel", *arguments],
        cwd=clone.parent,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fresh_clone_is_set_up_once(clone: Path) -> None:
    """The wheel is built in the folder that was named, with the commit in its note."""
    commit = run_git(clone, "rev-parse", "HEAD")
    for _ in range(2):
        assert build(clone, "dist").returncode == 0
    lines = (clone / "log").read_text().splitlines()
    building = f"-m hatchling build -t wheel -d {clone.parent / 'dist'}"
    look = "-c import hatchling"
    assert lines == ["set up", building, commit, look, building, commit]
    assert not (clone / "runner" / "built_from.txt").exists()


def test_the_folder_must_be_named(clone: Path) -> None:
    """The message says how the script is called, and nothing is set up."""
    ended = build(clone)
    assert ended.returncode != 0
    assert "build-wheel FOLDER" in ended.stderr
    assert not (clone / "log").exists()
