"""A long transcript is shown in parts: each page is small, and every message is on one page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.desk.transcript import MESSAGES_PER_PART, TranscriptParts
from tests.review.corpus import make_message, make_session

pytestmark = pytest.mark.unit

_LENGTHS = st.lists(st.sampled_from([0, 1, 50_000, 59_000, 500_000]), max_size=40)


@given(lengths=_LENGTHS, few=st.integers(0, 250))
def test_parts_hold_every_message_once(lengths: list[int], few: int) -> None:
    """Parts are in order and not empty, within the limit of messages and 360,000 characters."""
    messages = [
        *(make_message("user", "x" * length) for length in lengths),
        *[make_message("assistant", "y")] * few,
    ]
    parts = TranscriptParts.from_session(make_session(1, *messages))
    indexes = [parts.get_range(part) for part in range(1, len(parts.starts) + 1)]
    assert [index for part in indexes for index in part] == list(range(len(messages)))
    for number, part in enumerate(indexes, 1):
        assert len(part) in range(0 if not messages else 1, MESSAGES_PER_PART + 1)
        size = sum(min(60_000, len(messages[index].text)) for index in part)
        assert size < 360_000
        assert {parts.find_part(index) for index in part} <= {number}


@given(count=st.integers(1, 3000), part=st.integers(1, 3000))
def test_a_page_links_few_parts(count: int, part: int) -> None:
    """Links lead to itself, its neighbours, the first and the last: at most 30 for any count."""
    part = min(part, count)
    parts = TranscriptParts([index * 100 for index in range(count)], count * 100)
    near = parts.find_near_parts(part)
    around = {max(1, part - 1), part, min(count, part + 1), 1, count}
    assert around <= set(near) <= set(range(1, count + 1))
    assert len(near) <= 30
    assert near == sorted(near)
