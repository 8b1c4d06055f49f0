"""Links within the site: to pages, categories and models."""

from typing import NamedTuple

from generator.facts.urls import model_path


class Link(NamedTuple):
    """A link within the site."""

    href: str
    """Below the root."""
    label: str
    current: bool = False
    """The link leads to the page it stands on."""


class Category(NamedTuple):
    """A category's folder name and label."""

    key: str
    label: str


class ModelLink(NamedTuple):
    """A model where another page names it."""

    slug: str
    name: str
    provider: str
    href: str
    """Address of its page, below the root."""


def model_link(slug: str, name: str, provider: str) -> ModelLink:
    """Return a model as other pages name it."""
    return ModelLink(slug=slug, name=name, provider=provider, href=model_path(slug))
