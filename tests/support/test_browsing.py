"""The browser tests drive the Chromium or Chrome that the machine has, under any of its names."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.browsing import CHROMIUM_NAMES, find_chromium

SCRIPT = Path(__file__).parents[2] / "scripts" / "system-packages"


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is all of PATH."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def make_program(folder: Path, name: str) -> Path:
    """Make a program of that name that does nothing."""
    program = folder / name
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.mark.unit
def test_no_browser_on_path_is_none(empty_path: Path) -> None:
    """Without a browser the result is None."""
    assert find_chromium() is None, empty_path


@pytest.mark.unit
@pytest.mark.parametrize("name", CHROMIUM_NAMES)
def test_each_name_of_the_browser_is_known(empty_path: Path, name: str) -> None:
    """Debian, Ubuntu and Google name the program differently."""
    program = make_program(empty_path, name)
    assert find_chromium() == str(program)


@pytest.mark.integration
def test_a_test_that_uses_the_browser_is_selected_by_a_marker(pytester: pytest.Pytester) -> None:
    """It makes no difference whether the test or one of its fixtures uses the browser."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def page(browser):
            return None

        def test_by_a_fixture(page):
            pass

        def test_by_itself(browser):
            pass

        def test_without(tmp_path):
            pass
    """)
    options = ("-p", "tests.support.browsing", "-p", "no:randomly", "-m", "browser")
    listed = pytester.runpytest_inprocess(*options, "--collect-only", "-q").stdout
    listed.fnmatch_lines(["*::test_by_a_fixture", "*::test_by_itself", "*2/3 tests collected*"])


FAILS_AT_FIRST = """
    import pytest

    tried = []

    @pytest.fixture
    def browser():
        return None

    def test_in_a_browser(browser):
        tried.append(1)
        assert len(tried) > 1

    def test_without():
        tried.append(1)
        assert len(tried) > 5
"""


@pytest.mark.integration
def test_a_browser_test_is_repeated_once_and_named(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other tests are not repeated; the last lines and the summary on GitHub have the name."""
    summary = pytester.path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    pytester.makepyfile(FAILS_AT_FIRST)
    options = ("-p", "tests.support.browsing", "-p", "no:randomly")
    ended = pytester.runpytest_inprocess(*options)
    assert ended.parseoutcomes() == {"failed": 1, "passed": 1, "rerun": 1}
    name = "- test_a_browser_test_is_repeated_once_and_named.py::test_in_a_browser"
    assert ended.outlines[-1] == summary.read_text("utf-8").splitlines()[-1] == name


@pytest.mark.integration
def test_repetitions_can_be_switched_off(pytester: pytest.Pytester) -> None:
    """A loop that proves the tests needs each failure."""
    pytester.makepyfile(FAILS_AT_FIRST)
    options = ("-p", "tests.support.browsing", "-p", "no:randomly", "--reruns", "0")
    pytester.runpytest_inprocess(*options).assert_outcomes(failed=2)


@pytest.mark.integration
@pytest.mark.parametrize("name", CHROMIUM_NAMES)
def test_setup_asks_for_no_second_browser(tmp_path: Path, name: str) -> None:
    """Where a browser of any of the names is there, set-up installs nothing and passes."""
    make_program(tmp_path, name)
    bash = shutil.which("bash")
    assert bash
    ended = subprocess.run(
        [bash, SCRIPT, "chromium"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
