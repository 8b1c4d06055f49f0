"""The places where the real backend's binary is searched."""

from pathlib import Path

import pytest

from runner.backends.local import BINARY_VARIABLE, find_binary
from runner.errors import ToolchainMissingError

pytestmark = pytest.mark.unit


def test_the_variable_names_the_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that CONVEX_LOCAL_BACKEND names is used."""
    binary = tmp_path / "convex-local-backend"
    binary.touch()
    monkeypatch.setenv(BINARY_VARIABLE, str(binary))
    assert find_binary() == str(binary)


def test_a_missing_binary_says_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it the message names the release page and the variable."""
    monkeypatch.delenv(BINARY_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match=r"releases and set CONVEX_LOCAL_BACKEND"):
        find_binary()


def test_a_variable_that_names_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the variable and its value."""
    monkeypatch.setenv(BINARY_VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(ToolchainMissingError, match=r"gone, which is not a file"):
        find_binary()
