"""The devcontainer: its settings, and the packages that its script installs."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).parents[2]
_FOLDER: Final = ROOT / ".devcontainer"
_COMMENT: Final = re.compile(r"^\s*//.*$", re.MULTILINE)


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """The settings without their comments."""
    return json.loads(_COMMENT.sub("", (_FOLDER / "devcontainer.json").read_text("utf-8")))


def test_the_jail_may_make_namespaces(settings: dict[str, Any]) -> None:
    """Each option lifts one barrier of Docker; without any of them bubblewrap does not start."""
    options = [word for word in settings["runArgs"] if word.startswith("--security-opt=")]
    assert options == [
        "--security-opt=seccomp=unconfined",
        "--security-opt=apparmor=unconfined",
        "--security-opt=systempaths=unconfined",
    ]
    document = " ".join((_FOLDER / "README.md").read_text("utf-8").split())
    assert all(option.replace("=", " ", 1) in document for option in options)


def test_the_work_is_done_by_the_user_whom_the_script_makes(settings: dict[str, Any]) -> None:
    """The user is an ordinary user: root's jail needs rights that a container does not have."""
    dockerfile = (_FOLDER / "Dockerfile").read_text("utf-8")
    assert f"RUN /tmp/install {settings['remoteUser']} " in dockerfile
    assert f"USER {settings['remoteUser']}\n" in dockerfile


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
