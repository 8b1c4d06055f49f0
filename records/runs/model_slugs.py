"""Slugs of models, made of the names that people, providers and other tools have for them.

A slug is part of addresses and file names, so letters outside of its form are replaced. A digest
keeps names apart that would become equal.
"""

import re

from records.suites.benchmark import compute_texts_digest

UNNAMED_PROVIDER = "not-named"
"""The provider in the slug of a model whose provider is not named."""
_OTHER_PROVIDER_LETTERS = re.compile(r"[^a-z0-9._-]+")
_OTHER_MODEL_LETTERS = re.compile(r"[^a-z0-9._:-]+")
_PROVIDER_LETTERS = 40
_MODEL_LETTERS = 48
_VARIANT_LETTERS = 20
_DIGITS = 6
_DIGEST_AT_END = re.compile(r"-[0-9a-f]{6}\Z")
"""The digest of a model's name: a name that ends in one itself could be taken for another."""


def make_model_slug(whole: str, provider: str, name: str, variant: str | None = None) -> str:
    """Return the slug of a model, in one of its variants.

    Plain names that differ only in capitals are one model. Other names have different slugs: a name
    that is no slug itself, or that looks like a slug with a digest, gets a digest.

    Args:
        whole: all of the model's name, which is different for different models.
        provider: the part of ``whole`` that names the provider; empty if no part does.
        name: the part of ``whole`` that names the model among those of the provider.
        variant: the settings or the prompt by which a tool tells apart results of the model.
    """
    first = _replace_letters(_OTHER_PROVIDER_LETTERS, provider, _PROVIDER_LETTERS)
    last = _replace_letters(_OTHER_MODEL_LETTERS, name, _MODEL_LETTERS)
    slug = f"{first or UNNAMED_PROVIDER}/{last or 'model'}"
    if variant is not None:
        words = _replace_letters(_OTHER_MODEL_LETTERS, variant, _VARIANT_LETTERS)
        slug = f"{slug}-{words}".rstrip("-._:")
    if variant is not None or not _is_plain(whole, slug):
        slug = f"{slug}-{compute_texts_digest(whole, variant or '')[:_DIGITS]}"
    return slug


def _is_plain(whole: str, slug: str) -> bool:
    """Return whether a slug shows all of a model's name, and no other name has this slug."""
    lower = whole.lower()
    slug_text = lower if "/" in lower else f"{UNNAMED_PROVIDER}/{lower}"
    is_named_unnamed = lower.startswith(f"{UNNAMED_PROVIDER}/")
    looks_digested = _DIGEST_AT_END.search(slug) is not None
    return slug == slug_text and whole.isascii() and not is_named_unnamed and not looks_digested


def _replace_letters(others: re.Pattern[str], text: str, most: int) -> str:
    return others.sub("-", text.lower()[: most * 4]).strip("-._:")[:most].rstrip("-._:")
