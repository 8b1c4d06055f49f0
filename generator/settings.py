"""What the maintainer says about the site: `site_templates/site.toml`."""

from pathlib import Path
from typing import Annotated

import tomli
from pydantic import AnyHttpUrl, Field, ValidationError

from generator.errors import SiteSettingsError
from records.base import BenchmarkId, Record
from records.errors import first_problem


class SiteSettings(Record):
    """Title, addresses, and which benchmark version `/` shows."""

    title: Annotated[str, Field(min_length=1, max_length=80)]
    tagline: str
    address: AnyHttpUrl
    """Where the site is published; feeds, cards and canonical links need it."""
    repository: AnyHttpUrl
    current_version: BenchmarkId | None = None
    """The version on the front page; without it the newest minted one."""


def read_settings(templates: Path) -> SiteSettings:
    """Read `site.toml` in the folder of templates.

    Raises:
        SiteSettingsError: the file is missing, not TOML, or a field is wrong.
    """
    path = templates / "site.toml"
    try:
        return SiteSettings.model_validate(tomli.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise SiteSettingsError(f"{path}: not found") from error
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SiteSettingsError(f"{path}: {error}") from error
    except ValidationError as error:
        raise SiteSettingsError(f"{path}: {first_problem(error)}") from error
