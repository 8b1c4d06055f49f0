import pytest

from records.files.inspect_usage import read_usage

pytestmark = pytest.mark.unit


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
    assert read_usage(usage.get) == expected
