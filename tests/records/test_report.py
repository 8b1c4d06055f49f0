from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.reader import parse_markdown, read_report
from records.report import (
    ClassedFailure,
    FailureClass,
    FrontMatterError,
    Report,
    report_name,
    report_text,
    split_report,
)
from tests.records import examples

plain_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def report(note: str = "reads every row", patterns: tuple[str, ...] = ()) -> Report:
    """Return a report on one failure."""
    failure = {"eval": examples.eval_name(2), "class": FailureClass.KNOWN_GAP, "note": note}
    return Report(
        schema_version=1,
        run="a" * 32,
        author="a maintainer",
        date=date(2026, 11, 21),
        planned=3,
        passed=2,
        failures=(ClassedFailure.model_validate(failure),),
        patterns=patterns,
        text="What happened.\n",
    )


@given(note=plain_text, patterns=st.lists(plain_text, max_size=3).map(tuple))
def test_front_matter_survives_a_round_trip(note: str, patterns: tuple[str, ...]) -> None:
    """Quotes, control characters and other scripts come back as they were."""
    expected = report(note, patterns)

    front, body = split_report(report_text(expected))

    assert front.get("patterns", []) == list(patterns)
    assert front["failures"] == [
        {"eval": examples.eval_name(2), "class": "known_gap", "note": note}
    ]
    assert body == expected.text


def test_a_written_report_is_read(tmp_path: Path) -> None:
    """The file holds the whole report under the name its content gives."""
    path = tmp_path / report_name(report())
    path.write_text(report_text(report()))

    assert path.name == "aaaaaaaa_2026-11-21.md"
    assert read_report(path) == report()
    assert parse_markdown(path, path.read_bytes()) == report().text


def test_markdown_without_front_matter_is_refused(tmp_path: Path) -> None:
    """A file that lost its front matter since it was read is named, not shown."""
    path = tmp_path / "aaaaaaaa_2026-11-21.md"
    path.write_text("# Only prose\n")

    with pytest.raises(InvalidRecordError, match="first line must be"):
        parse_markdown(path, path.read_bytes())


@given(st.text(max_size=60))
def test_any_text_splits_or_is_refused(text: str) -> None:
    """No text crashes the reader of front matter."""
    for whole in (text, f"+++\n{text}", f"+++\n{text}\n+++\n"):
        with suppress(FrontMatterError):
            split_report(whole)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("+++\n", "---\n"), "first line must be"),
        (('class = "known_gap"', 'class = "bad_luck"'), r"failures\.0\.class"),
        (("passed = 2", 'passed = "2"'), "passed"),
        (("author", "writer"), "author"),
        (("planned", 'text = "x"\nplanned'), "stands below the front matter"),
        (("2026-11-21", "12:30:00"), "date"),
        (("planned = 3", "planned = 0"), "planned"),
        (("passed = 2", "passed = 4"), "passed is 4, of 3 planned"),
        (("passed = 2", "passed = " + "9" * 5000), "front matter is not TOML"),
        (("passed = 2", "passed = 0x" + "f" * 20_000), "cannot be read"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    """A maintainer who mistypes is told the file, the field and the reason."""
    path = tmp_path / "report.md"
    path.write_text(report_text(report()).replace(*change, 1))

    with pytest.raises(InvalidRecordError, match=reason):
        read_report(path)


def test_the_same_failure_twice_is_refused() -> None:
    """Each failure has one class."""
    twice = report().failures * 2
    with pytest.raises(ValueError, match="listed twice"):
        Report.model_validate({**dict(report()), "failures": twice})
