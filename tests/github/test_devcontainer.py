"""The devcontainer: its settings, and the packages that its script installs."""

import re
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).parents[2]
_FOLDER: Final = ROOT / ".devcontainer"


def test_the_set_up_finds_all_that_it_takes_from_the_machine() -> None:
    """The script installs each package that scripts/system-packages would."""
    install = (_FOLDER / "install").read_text("utf-8")
    packages = re.search(r"^packages=\(\n(.*?)^\)", install, re.DOTALL | re.MULTILINE)
    assert packages is not None
    names = {name for line in packages[1].splitlines() for name in line.split("#")[0].split()}
    script = (ROOT / "scripts" / "system-packages").read_text("utf-8")
    needed = {
        name
        for echoed in re.findall(r"^ +[a-z]+\) echo ([a-z0-9 -]+) ;;$", script, re.MULTILINE)
        for name in echoed.split()
    }
    assert needed == {"bubblewrap", "chromium-headless-shell", "libatomic1"}
    assert needed | {"git", "make", "python3-venv", "util-linux"} <= names
