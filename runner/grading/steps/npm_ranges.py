"""Version ranges in npm's grammar."""

from typing import cast

from semantic_version import (  # pyright: ignore[reportMissingTypeStubs]
    NpmSpec,
    Version,
)


def is_satisfied(wanted: str, version: str) -> bool:
    """Return true if a version satisfies a dependency's range, or the range is a tag.

    A tag is a word such as ``latest``. False if the range is not in npm's grammar.
    """
    wanted = " ".join(wanted.split())
    if wanted.startswith("npm:"):
        wanted = wanted.rpartition("@")[2]
    try:
        spec = NpmSpec(wanted)
    except (ValueError, AttributeError):  # semantic_version raises AttributeError on `1 - ^`
        return wanted.isalpha()
    return cast("bool", spec.match(Version(version)))  # pyright: ignore[reportUnknownMemberType]
