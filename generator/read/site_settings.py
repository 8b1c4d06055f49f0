"""The site's settings, which maintainers write into `site_templates/site.toml`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Self

import tomli
from pydantic import AfterValidator, AnyHttpUrl, Field, model_validator

from generator.errors import GeneratorError
from records.files.problems import validate_fields
from records.shapes.base import BenchmarkId, Record

_RESERVED = ("example", "invalid", "localhost", "test")
"""Top-level domains that nobody can register (RFC 6761); addresses in them are placeholders."""

_NEUTRAL_ADDRESS = "https://leaderboard.example"
"""The address in the settings of a site that nobody has described."""
_PLACEHOLDERS = ("convex-leaderboard.example", "leaderboard.example")
"""The hosts in the settings that this program comes with."""
_MOST_NAMED = 3
"""Benchmarks that a tagline names."""
_LINE = r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"
"""At least one character that is no space, and no control characters, which XML forbids."""

_SPDX = r"^[A-Za-z0-9][A-Za-z0-9.+-]*$"


def _check_base(address: AnyHttpUrl) -> AnyHttpUrl:
    if address.query is not None or address.fragment is not None:
        raise ValueError("pages are named below it, so it has no ? and no #")
    return address


class SiteSettings(Record):
    """The settings of `site.toml`."""

    title: Annotated[str, Field(pattern=_LINE, max_length=80)]
    tagline: Annotated[str, Field(pattern=_LINE)]
    subject: Annotated[str, Field(pattern=_LINE, max_length=40)] | None = None
    """What answers are written for, such as Convex: pages speak of “Convex code” and of “Convex
    guidelines”, without it of “code” and “guidelines”."""
    graded: Annotated[str, Field(pattern=_LINE, max_length=200)] = "tested"
    """What happens to each answer, as the end of the sentence “Each answer is …”."""
    address: Annotated[AnyHttpUrl, AfterValidator(_check_base)]
    """The address of the published site, which feeds, cards and canonical links contain."""
    repository: AnyHttpUrl | None = None
    """The address of the repository of records and suite, on GitHub or a forge with the same
    addresses. Without it, pages have no links to sources and to new issues about verdicts."""
    current_version: BenchmarkId | None = None
    """The version on the front page; without it, `generator.scores.front_version` chooses."""
    licence: Annotated[str, Field(pattern=_SPDX, max_length=64)] | None = None
    """The licence of the results by its SPDX identifier, such as CC-BY-4.0. Without it, pages and
    files state that no licence is named."""
    licence_address: AnyHttpUrl | None = None
    """Where the text of the licence stands."""

    publishers: dict[str, Annotated[str, Field(pattern=_LINE, max_length=80)]] = Field(
        default_factory=dict
    )
    """The publishers of imported versions, by the source that their definitions have."""

    eval_folders: dict[str, Annotated[str, Field(pattern=r"^[\w./-]+$", max_length=80)]] = Field(
        default_factory=dict
    )
    """The folder with the evals in a publisher's repository on GitHub, by repository, such as
    ``owner/name``."""

    one_answer: frozenset[str] = frozenset()
    """The sources of versions in which models answer once, without tools or a second try."""

    guidelines: bool = True
    """Whether models are asked with guidelines and without; pages do not mention any otherwise."""

    @model_validator(mode="after")
    def _address_is_of_a_licence(self) -> Self:
        if self.licence_address is not None and self.licence is None:
            raise ValueError("licence: is missing, and licence_address is set")
        return self

    @property
    def base(self) -> str:
        """The address with a slash at its end, which the path of a page follows."""
        return f"{self.address}".rstrip("/") + "/"

    @property
    def code(self) -> str:
        """Name the kind of code that models write."""
        return self._add_subject("code")

    @property
    def guidelines_named(self) -> str:
        """Name the guidelines in a sentence."""
        return self._add_subject("guidelines")

    @property
    def evals_named(self) -> str:
        """Name the evals, on badges."""
        return self._add_subject("evals")

    def _add_subject(self, noun: str) -> str:
        return f"{self.subject} {noun}" if self.subject else noun

    def adapt_to_other_tools(self, names: Sequence[str], *, is_own: bool) -> Self:
        """Return the settings of a site that only shows benchmarks of other tools.

        Title, tagline and addresses of this program's own file are about Convex code, so a site
        whose maintainer has not filled in that file gets others. ``is_own`` marks the file
        of a project, which is about that project under any address.
        """
        if is_own or self.address.host not in _PLACEHOLDERS:
            return self.model_copy(update={"guidelines": False})
        benchmark_names = ", ".join(names[:_MOST_NAMED])
        more = len(names) - _MOST_NAMED
        subject = f"{benchmark_names} and {more} more" if more > 0 else benchmark_names
        changed = {
            "title": "Leaderboard",
            "tagline": f"How well language models do at {subject}",
            "subject": None,
            "graded": "tested",
            "address": AnyHttpUrl(_NEUTRAL_ADDRESS),
            "repository": None,
            "licence": None,
            "licence_address": None,
            "guidelines": False,
        }
        return self.model_copy(update=changed)

    def asks_once(self, source: str | None) -> bool:
        """Return whether models answer only once in a version from ``source``.

        In our own versions, whose source is None, they answer once.
        """
        return source is None or source in self.one_answer

    def find_publisher(self, source: str | None) -> str | None:
        """Return the publisher of a version from ``source``; None for our own versions."""
        if source is None:
            return None
        return self.publishers.get(source, source.removeprefix("https://").removeprefix("http://"))

    def list_placeholders(self) -> list[str]:
        """Return the names of the fields whose address is still a placeholder."""
        addresses = {"address": self.address, "repository": self.repository}
        return [
            name
            for name, address in addresses.items()
            if address is not None and (address.host or "").endswith(_RESERVED)
        ]


def read_settings(
    folder: Path,
    *,
    address: str | None = None,
    repository: str | None = None,
    others: Sequence[str] | None = None,
    is_own: bool = False,
) -> SiteSettings:
    """Read `site.toml` in a folder.

    Args:
        folder: the folder.
        address: replaces the field.
        repository: replaces the field.
        others: the benchmarks of a site that only shows benchmarks of other tools.
        is_own: whether the file is a project's own, not one of this program.

    Raises:
        GeneratorError: the file is missing or not TOML, or a field is wrong.
    """
    path = folder / "site.toml"
    arguments = {"address": address, "repository": repository}
    overrides = {name: value for name, value in arguments.items() if value is not None}
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
        # An address in the file itself shows that the file is filled in; a given address does not.
        own = overrides | table if others is not None else table | overrides
        settings = validate_fields(own, SiteSettings)
        if others is None:
            return settings
        fields = settings.adapt_to_other_tools(others, is_own=is_own).model_dump() | overrides
        return validate_fields(fields, SiteSettings)
    except FileNotFoundError as error:
        raise GeneratorError(f"{path}: not found") from error
    except (ValueError, RecursionError) as error:  # a wrong field, not TOML, or not UTF-8
        raise GeneratorError(f"{path}: {error}") from error
