"""Convex's command line, unchanged from its package, against the embedded backend."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.jail import open_jail
from tests.runner.served import ADMIN_KEY, find_suite_toolchain, serve

Convex = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def convex(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Convex]:
    """Return a function that runs ``npx convex`` against a served project."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "convex").mkdir()
    (folder / "package.json").write_text('{"name": "x", "dependencies": {"convex": "*"}}')
    (folder / "node_modules").symlink_to(find_suite_toolchain().node_modules)
    program = find_suite_toolchain().node_modules / "convex/bin/main.js"
    project = Path(__file__).parent / "project"
    with serve(open_jail("none"), project, tcp=True) as served:
        environment = {
            "HOME": str(folder),
            "CI": "1",
            "CONVEX_SELF_HOSTED_URL": served.origin,
            "CONVEX_SELF_HOSTED_ADMIN_KEY": ADMIN_KEY,
        }

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [str(find_suite_toolchain().node), str(program), *arguments],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )

        yield run


@pytest.mark.more
def test_functions_run_and_tables_are_shown(convex: Convex) -> None:
    """`run` calls functions and shows their log lines, `data` lists tables and documents."""
    added = convex("run", "notes:add", '{"box": "a", "body": "first"}')
    assert (added.returncode, added.stdout.strip()) == (0, "5"), added.stderr
    assert "[LOG] 'adding' 'first'" in added.stderr
    assert json.loads(convex("run", "notes:list", '{"box": "a"}').stdout) == ["first"]
    assert convex("data").stdout.split() == ["notes"]
    assert '"first"' in convex("data", "notes").stdout
    assert convex("data", "--component", "tally").stdout.split() == []
    made = convex("run", "--component", "tally", "marks:make", '{"text": "one"}')
    assert made.returncode == 0, made.stderr
    assert convex("data", "--component", "tally").stdout.split() == ["marks"]


@pytest.mark.integration
def test_a_function_that_is_not_there_is_answered_by_those_that_are(convex: Convex) -> None:
    """`run` asks for the functions of the app, or of the component that it names."""
    for component_options in ((), ("--component", "tally")):
        ended = convex("run", *component_options, "nowhere:at", "{}")
        assert ended.returncode == 1
        assert "Could not find function for 'nowhere:at'" in ended.stderr
        assert "Available functions:" in ended.stderr
    function_spec = json.loads(convex("function-spec").stdout)
    assert "notes.js:add" in {spec.get("identifier") for spec in function_spec["functions"]}


@pytest.mark.night
def test_variables_are_set_and_read(convex: Convex) -> None:
    """`env` sets, gets, lists and removes a variable."""
    assert convex("env", "set", "SIZE", "7").returncode == 0
    assert convex("env", "get", "SIZE").stdout.strip() == "7"
    assert convex("env", "list").stdout.strip() == "SIZE=7"
    assert convex("env", "remove", "SIZE").returncode == 0
    assert "SIZE" not in convex("env", "list").stdout
