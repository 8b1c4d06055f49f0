from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.files.front_matter import split
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.shapes.report import Report, build_report_name, encode_report
from tests.records import examples

pytestmark = pytest.mark.unit

plain_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def report(note: str = "reads every row", patterns: tuple[str, ...] = ()) -> Report:
    """Return a report on one failure."""
    failure = {"eval": examples.make_eval_name(2), "class": FailureClass.KNOWN_GAP, "note": note}
    return examples.make_report(examples.make_run(), failures=(failure,), patterns=patterns)


@given(note=plain_text, patterns=st.lists(plain_text, max_size=3).map(tuple))
def test_front_matter_survives_a_round_trip(note: str, patterns: tuple[str, ...]) -> None:
    """Quotes, control characters and other scripts come back as they were."""
    expected = report(note, patterns)

    front, body = split(encode_report(expected))

    assert front.get("patterns", []) == list(patterns)
    assert front["failures"] == [
        {"eval": examples.make_eval_name(2), "class": "known_gap", "note": note}
    ]
    assert body == expected.text


def test_a_written_report_is_read(tmp_path: Path) -> None:
    """The file has the whole report, under a name that follows from its content."""
    path = tmp_path / build_report_name(report())
    path.write_text(encode_report(report()))

    assert path.name == "aaaaaaaa_2026-11-21.md"
    assert read_report(path) == report()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("---\n", "***\n"), "first line must be"),
        (
            ("class: known_gap", "class: bad_luck"),
            r"002-eval\]\.class: .*, is 'bad_luck'",
        ),
        (("passed: 2", 'passed: "2"'), "passed"),
        (("author", "writer"), "author"),
        (("planned", "text: x\nplanned"), "the text below the front matter"),
        (("2026-11-21", "12:30:00"), "date"),
        (("planned: 3", "planned: 0"), "planned"),
        (("passed: 2", "passed: 4"), "passed is 4, of 3 planned"),
        (("passed: 2", "passed: " + "9" * 5000), "front matter is not YAML"),
        (("passed: 2", "passed: 0x" + "f" * 20_000), "cannot be read"),
        (("passed: 2", "passed: !!binary aGk="), "bytes is no type"),
        (("schema_version: 2", "schema_version: 9"), "newer than this program"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    """After a typing mistake, the message has the file, the field and the reason."""
    path = tmp_path / "report.md"
    path.write_text(encode_report(report()).replace(*change, 1))

    with pytest.raises(InvalidRecordError, match=reason):
        read_report(path)


def test_the_same_failure_twice_is_refused() -> None:
    """Each failure has one class."""
    twice = report().failures * 2
    with pytest.raises(ValueError, match="listed twice"):
        Report.model_validate({**dict(report()), "failures": twice})


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("note: a: b", "line 3: quote the value: it contains `: `"),
        ("note: @home", "line 3: quote the value: it begins with @"),
        ("note: !later x", "line 3: quote the value: it begins with !"),
        ('note: "open', "line 3: a quote is opened and not closed"),
        ("note: [1, 2", "line 3: a bracket is opened and not closed"),
        ("note: 'it's'", "line 3: is not indented like the lines beside it, or goes on after"),
        ("\tnote: a", "line 3: begins with a tab: indent with blanks"),
        ("notes:\n\t- a", "line 4: begins with a tab: indent with blanks"),
        ("note: a\n  more: b", "line 4: is indented deeper than the line above"),
        ("note\nmore: b", "line 4: must be `name: value`"),
        ("notes:\n  - a\n  more: b", "line 5: must begin with `- `"),
        ('note: "\\q"', "line 3: write two backslashes for one, or use single quotes"),
        ("note: \x07", "a character that YAML does not allow"),
    ],
)
def test_broken_yaml_is_reported_by_line_and_cure(tmp_path: Path, line: str, words: str) -> None:
    """The line is that of the file, and the message has no words of the library."""
    path = tmp_path / "report.md"
    path.write_text(f"---\nschema_version: 2\n{line}\n---\n\nText.\n")
    with pytest.raises(InvalidRecordError) as raised:
        read_report(path)
    assert words in str(raised.value)
    assert "unicode string" not in str(raised.value)
