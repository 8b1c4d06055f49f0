"""Links within the site: to pages, categories and models."""

from typing import NamedTuple

from generator.facts.urls import build_model_path


class Link(NamedTuple):
    """A link within the site."""

    href: str
    """The address below the root."""
    label: str
    current: bool = False
    """Whether the link leads to the page that contains it."""


class Category(NamedTuple):
    """A category's folder name and label."""

    key: str
    label: str


class ModelLink(NamedTuple):
    """A model with the link to its page."""

    slug: str
    name: str
    provider: str
    href: str
    """The address of the model's page, below the root."""


def build_model_link(slug: str, name: str, provider: str) -> ModelLink:
    """Return a model with the link to its page."""
    return ModelLink(slug=slug, name=name, provider=provider, href=build_model_path(slug))
