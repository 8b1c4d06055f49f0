"""The unpacking of compressed bodies, piece by piece, so that a small packet cannot fill memory."""

import zlib
from typing import Final

from runner.errors import MalformedReplyError

PIECE: Final = 64 * 1024
"""The most bytes that are unpacked at a time."""

PACKED: Final = frozenset({"gzip", "x-gzip", "deflate"})
_EITHER_HEAD: Final = 32 + zlib.MAX_WBITS
"""The mode in which zlib recognizes gzip or deflate by its header."""

_NO_HEAD: Final = -zlib.MAX_WBITS


_HEAD: Final = 2
"""The number of bytes that zlib needs to recognize a header."""


class Unpacker:
    """Unpacks one body: gzip with one or more members, or deflate with or without a header."""

    def __init__(self, packing: str) -> None:
        """Begin a body that is compressed by ``packing``, one of `PACKED`."""
        self._may_lack_head = packing == "deflate"
        self._member = zlib.decompressobj(_EITHER_HEAD)
        self._head: bytes | None = b""

    def unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the next unpacked piece of the body, and the part of ``data`` that is left.

        Raises:
            MalformedReplyError: the data is not compressed as the header of the reply says.
        """
        try:
            if self._head is not None:
                data = self._head + data
                if len(data) < _HEAD:
                    self._head = data
                    return b"", b""
                self._head = None
                return self._begin(data)
            if self._member.eof:
                data = data.lstrip(b"\0")  # padding
                self._member = zlib.decompressobj(_EITHER_HEAD)
            return self._decompress_piece(data)
        except zlib.error as error:
            raise MalformedReplyError(f"the reply cannot be unpacked: {error}") from error

    def _begin(self, data: bytes) -> tuple[bytes, bytes]:
        try:
            return self._decompress_piece(data)
        except zlib.error:
            if not self._may_lack_head:
                raise
            self._member = zlib.decompressobj(_NO_HEAD)
            return self._decompress_piece(data)

    def _decompress_piece(self, data: bytes) -> tuple[bytes, bytes]:
        piece = self._member.decompress(data, PIECE)
        return piece, self._member.unconsumed_tail or self._member.unused_data
