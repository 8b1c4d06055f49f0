"""Convex values in Python, and their JSON encoding.

None, bool, float, str, bytes, list and dict stand for Convex's values, and Int64 for 64-bit
integers. A plain int becomes a number (a float), as in JavaScript: ``{"limit": 5}`` means 5.0.
"""

import base64
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

Value = Any
"""None, bool, float, Int64, str, bytes, a list of values, or a dict of values by field name."""

_LEAST, _MOST = -(2**63), 2**63 - 1
_EXACT = 2**53


class Int64(int):
    """A 64-bit integer: a bigint in JavaScript, ``v.int64()`` in validators."""

    __slots__ = ()

    def __new__(cls, value: int) -> Self:
        """Make an Int64 of ``value``. Raises ValueError if ``value`` does not fit into 64 bits."""
        if not _LEAST <= value <= _MOST:
            raise ValueError(f"{value} does not fit into 64 bits")
        return super().__new__(cls, value)

    def __repr__(self) -> str:
        """Return a text with the type, because an Int64 and a number are different values."""
        return f"Int64({int(self)})"


def encode(value: Value) -> Any:  # noqa: ANN401, PLR0911 - JSON is anything; a case per type
    """Encode a value as Convex's JSON. Raises TypeError if it is no Convex value."""
    match value:
        case None | bool() | str():
            return value
        case Int64():
            return {"$integer": _encode_base64(struct.pack("<q", value))}
        case int():
            if abs(value) > _EXACT:
                raise TypeError(f"{value} is no exact number: say Int64({value})")
            return value
        case float():
            return (
                value if _is_plain(value) else {"$float": _encode_base64(struct.pack("<d", value))}
            )
        case bytes() | bytearray():
            return {"$bytes": _encode_base64(bytes(value))}
        case Mapping():
            fields = cast("Mapping[str, Value]", value)
            return {name: encode(field) for name, field in fields.items()}
        case list() | tuple():
            return [encode(item) for item in cast("Sequence[Value]", value)]
        case _:
            raise TypeError(f"{type(value).__name__} is no Convex value")


def decode(json: Any) -> Value:  # noqa: ANN401, PLR0911 - JSON is anything; a case per type
    """Decode Convex's JSON, already parsed. Raises ValueError if it is malformed."""
    match json:
        case None | bool() | str() | float():
            return json
        case int():
            return float(json)
        case list():
            return [decode(item) for item in cast("list[Any]", json)]
        case {"$integer": str(encoded), **rest} if not rest:
            return Int64(struct.unpack("<q", _decode_eight_bytes(encoded))[0])
        case {"$float": str(encoded), **rest} if not rest:
            return struct.unpack("<d", _decode_eight_bytes(encoded))[0]
        case {"$bytes": str(encoded), **rest} if not rest:
            return base64.b64decode(encoded, validate=True)
        case dict():
            fields = cast("dict[str, Any]", json)
            return {name: decode(field) for name, field in fields.items()}
        case _:
            raise ValueError(f"{type(json).__name__} is not Convex's JSON")


def _is_plain(number: float) -> bool:
    """Return true if JSON can express a number: it is not infinite, NaN or minus zero."""
    return math.isfinite(number) and not (number == 0 and math.copysign(1, number) < 0)


def _encode_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode_eight_bytes(encoded: str) -> bytes:
    data = base64.b64decode(encoded, validate=True)
    if len(data) != struct.calcsize("<q"):
        raise ValueError(f"a number of {len(data)} bytes")
    return data
