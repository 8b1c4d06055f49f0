"""Version ranges as npm reads them."""

from typing import cast

from semantic_version import (  # pyright: ignore[reportMissingTypeStubs]
    NpmSpec,
    Version,
)


def is_satisfied(wanted: str, version: str) -> bool:
    """Tell whether a version is what a dependency asks for; a tag such as ``latest`` always is."""
    wanted = wanted.strip()
    if wanted.startswith("npm:"):
        wanted = wanted.rpartition("@")[2]
    try:
        spec = NpmSpec(wanted)
    except ValueError:
        return wanted.isalpha()
    return cast("bool", spec.match(Version(version)))  # pyright: ignore[reportUnknownMemberType]
