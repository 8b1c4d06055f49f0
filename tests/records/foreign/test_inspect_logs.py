from pathlib import Path

import pytest

from records.foreign import inspect_logs
from tests.support.zips import pack_zip

pytestmark = pytest.mark.unit


def test_only_files_of_samples_are_listed_and_each_once() -> None:
    """Other files of a log hold events, summaries and scores of the whole run."""
    names = ("samples/b.json", "samples/a.json", "summaries.json", "samples/a.json", "samples/a")
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = pack_zip(*((name, "{}") for name in (inspect_logs.HEADER, *names)))
    assert inspect_logs.open_packed(Path("a.eval"), data).samples == [
        "samples/b.json",
        "samples/a.json",
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("_journal/start.json", "header.json"), "header.json"),
        (("_journal/start.json",), "_journal/start.json"),
    ],
)
def test_a_log_without_a_header_was_not_finished(names: tuple[str, ...], expected: str) -> None:
    """The journal describes the run until there is a header."""
    data = pack_zip(*((name, "{}") for name in names))
    assert inspect_logs.open_packed(Path("a.eval"), data).head == expected
    assert inspect_logs.is_packed_log(data)
    assert not inspect_logs.is_packed_log(" ".join(names).encode())


def test_long_texts_return_at_any_depth() -> None:
    """Names of fields stay as they are."""
    texts = inspect_logs.Attachments({"abc": "a long text"}, ValueError)
    value = {"attachment://abc": ["attachment://abc", {"content": "attachment://abc"}, "abc", 1]}
    assert texts.fill(value) == {
        "attachment://abc": ["a long text", {"content": "a long text"}, "abc", 1]
    }


def test_a_missing_text_is_refused_by_its_name() -> None:
    """A log that was cut has no wrong question."""
    for attachments in ({}, {"gone": 1}):
        texts = inspect_logs.Attachments(attachments, KeyError)
        with pytest.raises(KeyError, match="attachment://gone is not among its attachments"):
            texts.fill(["attachment://gone"])
        assert texts.find("attachment://gone") is None


def test_many_short_texts_do_not_fill_the_memory() -> None:
    """A million names of one text of megabytes would be terabytes; all values count together."""
    texts = inspect_logs.Attachments({"abc": "x" * (inspect_logs.LARGEST_SAMPLE // 8)}, ValueError)
    texts.fill(["attachment://abc"] * 4)
    texts.fill({"content": ["attachment://abc"] * 4, "plain": "y"})
    with pytest.raises(ValueError, match="attachments fill more than 67108864 characters"):
        texts.fill("attachment://abc")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"total_tokens": 12, "output_tokens": 5}, (7, None, 5, None)),
        (
            {
                "total_tokens": 40,
                "input_tokens": 10,
                "input_tokens_cache_read": 20,
                "output_tokens": 10,
                "reasoning_tokens": 0,
            },
            (30, 20, 10, 0),
        ),
        ({"total_tokens": 12, "output_tokens": 0}, (12, None, 0, None)),
        ({}, (None, None, None, None)),
        ({"total_tokens": 0, "input_tokens": 0, "output_tokens": 0}, (None, None, None, None)),
        ({"total_tokens": 0, "output_tokens": 50}, (None, None, 50, None)),
        ({"total_tokens": 50, "output_tokens": 50}, (None, None, 50, None)),
        ({"total_tokens": 9}, (None, None, None, None)),
        ({"total_tokens": 0, "output_tokens": 0, "reasoning_tokens": 3}, (None, None, None, 3)),
    ],
)
def test_a_count_of_nothing_is_not_known(
    usage: dict[str, int], expected: tuple[int | None, ...]
) -> None:
    """Inspect writes 0 for counts that the provider did not report, and no input is empty."""
    tokens = inspect_logs.read_inspect_usage(usage.get)
    assert (tokens.input, tokens.cached_input, tokens.output, tokens.reasoning) == expected
