"""Convex values in Python: encoding, and the way to a function and back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.backends.client import BackendClient
from runner.backends.values import Int64, Value, decode, encode

pytestmark = pytest.mark.unit

FIELD = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=5).filter(
    lambda name: not name.startswith(("$", "_"))
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.integers(-(2**63), 2**63 - 1).map(Int64),
    st.text(max_size=20),
    st.binary(max_size=20),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELD, inner, max_size=4),
    max_leaves=12,
)


def describe_kinds(value: Value) -> object:
    """Describe a value with the types that equality ignores."""
    match value:
        case list():
            return [describe_kinds(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {name: describe_kinds(field) for name, field in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case float():
            return ("float", math.copysign(1, value), value)
        case _:
            return (type(value).__name__, value)


@given(VALUES)
def test_every_value_survives_encoding(value: Value) -> None:
    """Decoding an encoded value gives the same value, of the same types."""
    assert describe_kinds(decode(encode(value))) == describe_kinds(value)


def test_special_floats_are_encoded() -> None:
    """NaN, the infinities and minus zero have no JSON of their own."""
    assert [list(encode(value)) for value in (math.nan, math.inf, -math.inf, -0.0)] == [
        ["$float"]
    ] * 4
    assert math.isnan(decode(encode(math.nan)))


def test_whole_numbers_are_numbers_unless_they_state_otherwise() -> None:
    """A plain int is a number as JavaScript has it; an Int64 is a bigint."""
    assert (encode(5), encode(Int64(5))) == (5, {"$integer": "BQAAAAAAAAA="})
    assert isinstance(decode(5), float)


@pytest.mark.parametrize("value", [2**60, object(), {1, 2}])
def test_a_text_that_is_no_value_is_refused(value: object) -> None:
    """Numbers that are not exact and Python's own types cannot be encoded."""
    with pytest.raises(TypeError):
        encode(value)


def test_an_int64_has_64_bits() -> None:
    """A longer integer is refused when it is made."""
    with pytest.raises(ValueError, match="64 bits"):
        Int64(2**63)


@pytest.mark.integration
@pytest.mark.parametrize(
    "value",
    [None, True, 1.5, -0.0, math.inf, Int64(2**62), "ü☃\U0001f600", b"\x00\xff", [1.0, [b""]]],
    ids=repr,
)
def test_values_reach_a_function_and_come_back(client: BackendClient, value: Value) -> None:
    """The backend gives every value back with its type."""
    assert describe_kinds(client.call("query", "values:echo", {"value": value})) == describe_kinds(
        value
    )


@pytest.mark.integration
def test_validators_distinguish_the_types(client: BackendClient) -> None:
    """Bytes and 64-bit integers fit their validators, and functions compute with them."""
    answer = client.call("query", "values:typed", {"bytes": b"abc", "whole": Int64(41)})
    assert answer == {"bytes": b"abc", "whole": 42}
    assert isinstance(answer["whole"], Int64)
