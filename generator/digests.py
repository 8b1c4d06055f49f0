"""Short digests of sources: equal digests mean equal sources."""

import hashlib


def compute_digest(data: bytes) -> str:
    """Return a digest that distinguishes sources; it is too short to prove who made them."""
    return hashlib.sha256(data).hexdigest()[:32]


def compute_key(*parts: object) -> str:
    """Return a digest of texts, numbers, None, and lists and tuples of these."""
    return compute_digest(repr(parts).encode("utf-8", "surrogatepass"))
