import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.name_patterns import MODEL_SLUG
from records.runs.model_slugs import make_model_slug

pytestmark = pytest.mark.unit

LETTERS = st.sampled_from("ab/-.:@_ \u212a\u6a21\u578b\U0001f600\n")
WORDS = st.text(LETTERS, min_size=1, max_size=4).filter(str.strip)
MODELS = st.tuples(
    st.one_of(WORDS, st.sampled_from(["not-named/a", "a/model", "model", "a/b-high"]), st.text()),
    st.one_of(st.none(), WORDS, st.just("high")),
)


def make_slug(model: str, variant: str | None) -> str:
    """Return the slug of a model that a name with slashes names."""
    provider, _, name = model.rpartition("/")
    return make_model_slug(model, provider, name, variant)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("openai/gpt-high", None), ("openai/gpt", "high")),
        (("gpt", None), ("not-named/gpt", None)),
        (("openai/k", None), ("openai/\u212a", None)),
        (("/model", None), ("model", None)),
        (("openai/\u6a21\u578b\u7532", None), ("openai/\u6a21\u578b\u4e59", None)),
        (("acme@1", None), ("acme-1", None)),
        (("openrouter/maker/base", None), ("openrouter/maker-base", None)),
        (("a:b/c", None), ("a-b/c", None)),
        (("acme/base.", None), ("acme/base", None)),
    ],
)
def test_names_that_look_alike_stay_apart(
    first: tuple[str, str | None], second: tuple[str, str | None]
) -> None:
    """A model and a variant of another model never share a page."""
    assert make_slug(*first) != make_slug(*second)


@pytest.mark.parametrize(
    ("model", "slug"),
    [
        ("openai/gpt-6", "openai/gpt-6"),
        ("Qwen/Qwen3-8B", "qwen/qwen3-8b"),
        ("qwen3:8b", "not-named/qwen3:8b"),
        ("anthropic/claude-20241022", "anthropic/claude-20241022"),
    ],
)
def test_plain_names_keep_their_form(model: str, slug: str) -> None:
    """An address without a digest can be read and typed."""
    assert make_slug(model, None) == slug


def test_a_name_that_ends_like_a_digest_gets_one_itself() -> None:
    """Nobody can give a model the slug of another by writing the digest of the other."""
    slug = make_slug("openai/gpt", "high")
    assert make_slug(slug, None) != slug


@given(st.sets(MODELS, min_size=2, max_size=6))
def test_different_models_have_different_slugs(models: set[tuple[str, str | None]]) -> None:
    """Names that differ in more than capitals are never one row of a board."""
    slugs = {model: make_slug(*model) for model in models}
    assert all(re.fullmatch(MODEL_SLUG, slug) for slug in slugs.values())
    for first, second in combinations(models, 2):
        if tuple(map(_lower_text, first)) != tuple(map(_lower_text, second)):
            assert slugs[first] != slugs[second]


def _lower_text(text: str | None) -> str | None:
    return text and (text.lower() if text.isascii() else text)
