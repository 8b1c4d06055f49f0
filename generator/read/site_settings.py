"""The site's settings, which the maintainer writes into `site_templates/site.toml`."""

from pathlib import Path
from typing import Annotated, Final

import tomli
from pydantic import AfterValidator, AnyHttpUrl, Field

from generator.errors import SiteSettingsError
from records.files.problems import InvalidFieldsError, validate_fields
from records.shapes.base import BenchmarkId, Record

_RESERVED: Final = ("example", "invalid", "localhost", "test")
"""Top-level names that nobody can register (RFC 6761): an address there is a placeholder."""

_LINE: Final = r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"
"""Some letter, and no control characters, which XML cannot hold."""


def _base(address: AnyHttpUrl) -> AnyHttpUrl:
    if address.query is not None or address.fragment is not None:
        raise ValueError("pages are named below it, so it has no ? and no #")
    return address


class SiteSettings(Record):
    """Title, addresses, and which benchmark version `/` shows."""

    title: Annotated[str, Field(pattern=_LINE, max_length=80)]
    tagline: Annotated[str, Field(pattern=_LINE)]
    address: Annotated[AnyHttpUrl, AfterValidator(_base)]
    """Where the site is published; feeds, cards and canonical links need it."""
    repository: AnyHttpUrl | None = None
    """Where records and suite are kept, on GitHub or a forge with the same addresses; without it
    pages link to no sources, and no issue about a verdict."""
    current_version: BenchmarkId | None = None
    """The version on the front page; without it `generator.scores.front_version` decides."""
    publishers: dict[str, Annotated[str, Field(pattern=_LINE, max_length=80)]] = Field(
        default_factory=dict
    )
    """Who publishes imported versions, by the address that their definitions name as source."""

    eval_folders: dict[str, Annotated[str, Field(pattern=r"^[\w./-]+$", max_length=80)]] = Field(
        default_factory=dict
    )
    """The folder in which a publisher's repository on GitHub keeps each eval under its name, by
    repository, such as ``owner/name``."""

    one_answer: frozenset[str] = frozenset()
    """The addresses of publishers whose models answer once, without tools or a second try."""

    def asks_once(self, source: str | None) -> bool:
        """Return whether models answer once in a version that came from ``source``.

        Those of our own versions, of which the source is None, do.
        """
        return source is None or source in self.one_answer

    def publisher(self, source: str | None) -> str | None:
        """Return who published a version that came from ``source``; None for our own."""
        if source is None:
            return None
        return self.publishers.get(source, source.removeprefix("https://"))

    def placeholders(self) -> list[str]:
        """Return the fields whose address nobody can reach, for it was never filled in."""
        addresses = {"address": self.address, "repository": self.repository}
        return [
            name
            for name, address in addresses.items()
            if address is not None and (address.host or "").endswith(_RESERVED)
        ]


def read_settings(
    templates: Path, *, address: str | None = None, repository: str | None = None
) -> SiteSettings:
    """Read `site.toml` in the folder of templates; arguments replace its settings.

    Raises:
        SiteSettingsError: the file is missing, not TOML, or a field is wrong.
    """
    path = templates / "site.toml"
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
        arguments = {"address": address, "repository": repository}
        table |= {name: value for name, value in arguments.items() if value is not None}
        return validate_fields(table, SiteSettings, SiteSettings.model_validate)
    except FileNotFoundError as error:
        raise SiteSettingsError(f"{path}: not found") from error
    except InvalidFieldsError as error:
        raise SiteSettingsError(f"{path}: {error}") from error
    except (ValueError, RecursionError) as error:  # not TOML, or not UTF-8
        raise SiteSettingsError(f"{path}: {error}") from error
