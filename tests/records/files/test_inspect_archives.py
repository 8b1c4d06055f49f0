import pytest

from records.files.inspect_archives import (
    attached_text,
    fill_attachments,
    is_attached,
    is_packed_log,
    list_samples,
    name_description,
)

pytestmark = pytest.mark.unit


def test_only_files_of_samples_are_listed_and_each_once() -> None:
    """Other files of a log hold events, summaries and scores of the whole run."""
    names = ("samples/b.json", "samples/a.json", "summaries.json", "samples/a.json", "samples/a")
    assert list_samples(names) == ["samples/b.json", "samples/a.json"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("_journal/start.json", "header.json"), "header.json"),
        (("_journal/start.json",), "_journal/start.json"),
    ],
)
def test_a_log_without_a_header_was_not_finished(names: tuple[str, ...], expected: str) -> None:
    """The journal describes the run until there is a header."""
    assert name_description(names) == expected
    assert is_packed_log(b"PK\x03\x04" + " ".join(names).encode())
    assert not is_packed_log(" ".join(names).encode())


def test_long_texts_return_at_any_depth() -> None:
    """Names of fields stay as they are."""
    texts = {"abc": "a long text"}
    value = {"attachment://abc": ["attachment://abc", {"content": "attachment://abc"}, "abc", 1]}
    assert fill_attachments(value, texts, ValueError) == {
        "attachment://abc": ["a long text", {"content": "a long text"}, "abc", 1]
    }


def test_a_missing_text_is_refused_by_its_name() -> None:
    """A log that was cut has no wrong question."""
    for texts in ({}, {"gone": 1}):
        with pytest.raises(KeyError, match="attachment://gone is not among its attachments"):
            fill_attachments(["attachment://gone"], texts, KeyError)
        assert is_attached("attachment://gone")
        assert attached_text("attachment://gone", texts) is None
