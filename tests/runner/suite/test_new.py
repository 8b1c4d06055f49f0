"""Folders of evals and answers: as `suite new` makes them, and as `suite grade` reads them."""

import json
import tomllib
from pathlib import Path

import pytest

from runner.answers.rules import MOST_BYTES_IN_ALL
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.discovery import discover
from runner.suite.check import read_folder
from runner.suite.new import Beginning, make_eval

pytestmark = pytest.mark.unit


def test_the_next_free_number_is_taken(root: Path) -> None:
    """Numbers continue after the highest, and begin at zero in an empty category."""
    assert make_eval(root, "002-queries", "rivers").name == "008-rivers"
    assert make_eval(root, "queries", "lakes").name == "009-lakes"
    assert make_eval(root, "clients", "maps").name == "000-maps"


def test_the_folder_can_be_read_at_once(root: Path) -> None:
    """The suite stays readable, with two right and three wrong variants to fill in.

    A right variant that changes some lines is a diff; a variant that is written anew has whole
    files.
    """
    folder = make_eval(root, "mutations", "dams")
    (evaluation,) = discover(root).select("dams", ())
    assert evaluation.folder == folder
    assert [each.kind for each in evaluation.load_calibrations()] == ["pass"] * 2 + ["fail"] * 3
    variants = tomllib.loads((folder / "calibration" / "calibration.toml").read_text())
    assert set(variants["pass"]["right_one"]["diff"]) == {"convex/example.ts"}
    assert "diff" not in variants["pass"]["right_two"]
    whole = [path.name for path in (folder / "calibration" / "pass").iterdir()]
    assert whole == ["right_two"]
    package = json.loads(evaluation.read_answer()["package.json"])
    assert (package["name"], package["dependencies"]) == ("dams", {"convex": "1.0.0"})


@pytest.mark.parametrize(
    ("category", "name", "message"),
    [
        ("magic", "dams", "choose from fundamentals, "),
        ("queries", "Dams", "snake_case"),
        ("queries", "../dams", "snake_case"),
        ("queries", "streams", "already"),
    ],
)
def test_mistakes_write_nothing(root: Path, category: str, name: str, message: str) -> None:
    """A bad category or name gives an error of one line, and no folder."""
    before = sorted(root.rglob("*"))
    with pytest.raises(BadSelectionError, match=message) as caught:
        make_eval(root, category, name)
    assert "\n" not in str(caught.value)
    assert sorted(root.rglob("*")) == before


def test_an_eval_begins_with_the_files_of_its_author(root: Path) -> None:
    """Task and answer of the author replace the examples, and the suite can be read at once."""
    answer = {"convex/schema.ts": "// '''\nexport default 1;\n", "convex/boats.ts": "export {};\n"}
    folder = make_eval(root, "mutations", "boats", Beginning("Sink the boat.", answer))
    (evaluation,) = discover(root).select("boats", ())
    assert "Sink the boat.\n" in (folder / "TASK.txt").read_text()
    assert set(evaluation.read_answer()) == {*answer, "package.json"}
    wrong = [
        calibration for calibration in evaluation.load_calibrations() if calibration.kind == "fail"
    ]
    assert len(wrong) == 3
    bare = make_eval(root, "mutations", "rafts", Beginning("Sink the raft.", {}))
    assert (bare / "answer" / "convex" / "example.ts").exists()


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
