"""The version of Python, which several services read from files of their own."""

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

pytestmark = pytest.mark.unit

ROOT: Final = Path(__file__).parents[2]
VERSION: Final = (ROOT / ".python-version").read_text("utf-8").strip()
NEWEST: Final = "3.14"
WORKFLOWS: Final = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_SETTINGS: Final = ("python-version", "python-version-file")


def read_yaml(path: Path) -> dict[str, Any]:
    """Return a file of YAML."""
    return yaml.safe_load(path.read_text("utf-8"))


def list_python_settings(jobs: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the setting by which each job chooses its Python."""
    return [
        (setting, step["with"][setting])
        for job in jobs.values()
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/setup-python@")
        for setting in _SETTINGS
        if setting in step["with"]
    ]


def test_workflows_take_the_version_from_its_file() -> None:
    """Every job does so, except for the job that tests on the newest version."""
    exceptions: list[tuple[str, str]] = []
    for path in WORKFLOWS:
        for setting, value in list_python_settings(read_yaml(path)["jobs"]):
            if (setting, value) != ("python-version-file", ".python-version"):
                exceptions.append((path.name, value))
    assert exceptions == [("ci.yml", NEWEST)]


def test_tests_run_on_the_newest() -> None:
    """PYTHON_COMMAND names it to the set-up, which otherwise uses the version of the file."""
    job = read_yaml(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test-newest"]
    assert list_python_settings({"test-newest": job}) == [("python-version", NEWEST)]
    commands = [step["run"] for step in job["steps"] if "make " in step.get("run", "")]
    assert commands
    assert all(command.endswith("PYTHON_COMMAND=python") for command in commands)
    assert f"python{NEWEST} " in (ROOT / "scripts" / "python-environment").read_text("utf-8")


def test_the_version_is_the_oldest_that_is_promised() -> None:
    """Types are checked for that version, too, and pins are chosen for it and all newer ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["requires-python"] == f">={VERSION}"
    assert project["tool"]["pyright"]["pythonVersion"] == VERSION
    lock = (ROOT / "scripts" / "lock").read_text("utf-8")
    assert f"--python-version {VERSION} " in lock


def test_netlify_and_the_action_use_the_same_version() -> None:
    """Neither can read the file: Netlify has a variable for it, the action runs elsewhere."""
    netlify = tomllib.loads((ROOT / "netlify.toml").read_text("utf-8"))
    assert netlify["build"]["environment"]["PYTHON_VERSION"] == VERSION
    action = read_yaml(ROOT / "action.yml")
    assert list_python_settings({"action": action["runs"]}) == [("python-version", VERSION)]


@pytest.mark.parametrize(
    ("workflow", "job"), [("nightly", "test"), ("release", "test")], ids=["nightly", "release"]
)
def test_all_tests_run_nightly_and_for_a_release(workflow: str, job: str) -> None:
    """Tests of the night run there; a release has its files only after them."""
    jobs = read_yaml(ROOT / ".github" / "workflows" / f"{workflow}.yml")["jobs"]
    assert "make test-all" in [step.get("run") for step in jobs[job]["steps"]]
    assert workflow != "release" or jobs["assets"]["needs"] == job
