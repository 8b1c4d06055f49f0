"""The folder of an answer, as `suite grade` reads it."""

from pathlib import Path

import pytest

from runner.answers.rules import MOST_BYTES_IN_ALL
from runner.errors import InvalidEvalError
from runner.suite.check import read_folder

pytestmark = pytest.mark.unit

BINARY = b"#!/usr/bin/env bun\nbun-lockfile-format-v0\n\xff\xfe\x00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one text."""
    (tmp_path / "convex").mkdir()
    (tmp_path / "convex" / "a.ts").write_text("1\n")
    return tmp_path


@pytest.mark.parametrize(
    "content",
    [BINARY, BINARY * 20_000, b"text" * 50_000 + b"\xe4", b"text\xc3"],
    ids=["short", "longer than an answer", "late", "cut off in a character"],
)
def test_binary_files_are_left_out(folder: Path, content: bytes) -> None:
    """They count neither as files nor as bytes of the answer, as in references."""
    (folder / "bun.lockb").write_bytes(content)
    assert read_folder(folder, only_texts=True) == {"convex/a.ts": "1\n"}


def test_a_suite_of_programs_refuses_binary_files(folder: Path) -> None:
    """Its programs may need the file, so the message names it."""
    (folder / "data.bin").write_bytes(BINARY)
    with pytest.raises(InvalidEvalError, match=r"data\.bin: is not UTF-8 text"):
        read_folder(folder, only_texts=False)


def test_texts_beyond_the_limit_are_refused(folder: Path) -> None:
    """Texts of more bytes than an answer may have are not left out."""
    (folder / "convex" / "b.ts").write_text("é" * MOST_BYTES_IN_ALL)
    with pytest.raises(InvalidEvalError, match="bytes in all"):
        read_folder(folder, only_texts=True)


def test_links_are_refused(folder: Path) -> None:
    """A link is not followed, also if it leads nowhere."""
    (folder / "convex" / "b.ts").symlink_to(folder / "nowhere")
    with pytest.raises(InvalidEvalError, match=r"b\.ts: is a symlink"):
        read_folder(folder, only_texts=True)
