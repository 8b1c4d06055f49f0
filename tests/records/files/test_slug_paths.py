import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.name_patterns import MODEL_SLUG
from records.files.slug_paths import decode_slug, encode_slug

pytestmark = pytest.mark.unit

SLUGS = st.from_regex(MODEL_SLUG, fullmatch=True).filter(lambda slug: not slug.endswith("\n"))
HALVES = st.sampled_from(
    ["con", "nul", "aux.txt", "com1", "lpt9.tar.gz", "console", "com10", "a.", "a.:", "a:.", "a:"]
)
NASTY = st.builds("{}/{}".format, HALVES.filter(lambda half: ":" not in half), HALVES)
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)


@given(st.one_of(SLUGS, NASTY))
def test_no_part_of_a_path_is_refused_by_windows_or_github(slug: str) -> None:
    """Each part has safe signs, ends in none that is dropped, and means no device."""
    parts = encode_slug(slug).split("/")
    assert len(parts) == 2
    for part in parts:
        assert re.fullmatch(r"[a-z0-9._~-]+", part)
        assert not part.startswith((".", "-"))
        assert not part.endswith(".")
        assert DEVICE.match(part) is None


@given(st.one_of(SLUGS, NASTY))
def test_a_path_leads_back_to_its_slug(slug: str) -> None:
    """Two slugs never have one path; paths have no capitals in which they could differ."""
    assert decode_slug(encode_slug(slug)) == slug
    assert decode_slug(slug) == slug


@pytest.mark.parametrize(
    ("slug", "path"),
    [
        ("openai/gpt-6", "openai/gpt-6"),
        ("openrouter/acme:free", "openrouter/acme~free"),
        ("aux/base", "~aux~/base"),
        ("acme/nul.gguf", "acme/~nul.gguf~"),
        ("acme/base.", "acme/~base.~"),
    ],
)
def test_plain_slugs_are_their_own_paths(slug: str, path: str) -> None:
    """Only what would be refused is written in another way."""
    assert encode_slug(slug) == path
