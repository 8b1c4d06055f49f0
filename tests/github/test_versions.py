"""The version of Python, which several files name."""

import re
import tomllib
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).parents[2]
VERSION: Final = (ROOT / ".python-version").read_text("utf-8").strip()


def test_every_service_uses_the_version_of_the_file() -> None:
    """Only the job that tests on the newest version names another."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert VERSION in project["requires-python"]
    netlify = tomllib.loads((ROOT / "netlify.toml").read_text("utf-8"))
    assert netlify["build"]["environment"]["PYTHON_VERSION"] == VERSION
    files = [ROOT / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]
    named = {
        value.strip("\"'")
        for path in files
        for value in re.findall(r"(?m)^ +python-version(?:-file)?: (.*)$", path.read_text("utf-8"))
    }
    assert named == {VERSION, ".python-version", "3.14"}
