"""Without its extras the program builds and checks, and names the extra that a command needs."""

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from leaderboard.terminal import error_messages
from tests.support.warm_command import ROOT, Ended

pytestmark = pytest.mark.integration

MAIN = "import sys; sys.argv[0] = 'leaderboard'; from leaderboard.cli import main; main()"


@pytest.fixture(scope="module")
def plain_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of links to the packages that come without any extra."""
    folder = tmp_path_factory.mktemp("packages")
    names = [error_messages.DISTRIBUTION]
    linked: set[str] = set()
    while names:
        name = re.sub("[-_.]+", "-", names.pop()).lower()
        if name in linked:
            continue
        linked.add(name)
        distribution = importlib.metadata.distribution(name)
        requirements = [Requirement(line) for line in distribution.requires or ()]
        names += [
            requirement.name
            for requirement in requirements
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
        for top in {file.parts[0] for file in distribution.files or ()} - {".."}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(distribution.locate_file(top))).resolve())
    return folder


def run_plain(packages: Path, *arguments: str) -> Ended:
    """Run the command in a process that sees these packages and the program only."""
    return subprocess.run(
        [sys.executable, "-S", "-c", MAIN, *arguments],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{packages}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_records_are_checked_without_extras(plain_packages: Path) -> None:
    """The command that reads records needs no optional package."""
    ended = run_plain(plain_packages, "check")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("serve",), "serve"),
        (("demo",), "run"),
        (("run", "-m", "openai/some-model"), "run"),
        (("suite", "check"), "run"),
    ],
)
def test_a_command_names_the_extra_that_it_needs(
    plain_packages: Path, arguments: tuple[str, ...], extra: str
) -> None:
    """One line with the command that installs the extra, no traceback, exit code 2."""
    ended = run_plain(plain_packages, *arguments)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.endswith(f"is not installed: pip install '{error_messages.DISTRIBUTION}[{extra}]'")


@pytest.mark.unit
@pytest.mark.parametrize("module", ["litellm", "json", "no_package_of_ours", "litellm.no_module"])
def test_a_module_of_no_missing_package_is_no_matter_of_extras(module: str) -> None:
    """An installed package, or a package of no extra, is not reported as missing."""
    assert error_messages.describe_missing_package(module) is None


@pytest.mark.unit
def test_a_checkout_that_is_not_installed_names_its_requirements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The action of GitHub runs such a checkout: a missing package is a line, no traceback."""
    monkeypatch.setattr(error_messages, "DISTRIBUTION", "no-such-distribution")
    assert error_messages.describe_missing_package("no_package_of_ours") == (
        "no_package_of_ours is not installed: pip install --require-hashes -r requirements/all.txt"
    )
