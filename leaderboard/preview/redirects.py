"""The rules of the site's `_redirects`, which the preview follows like Netlify."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Redirect(NamedTuple):
    """The answer to a request for an address without a file."""

    address: str
    status: int


def find_redirect(site: Path, address: str) -> Redirect | None:
    """Return the redirect of the first rule of a site that fits an address; None if none fits.

    Its target is a page of the same site. In a rule, a word after a colon fits one part of the
    address, and an asterisk at the end fits all remaining parts.
    """
    try:
        rules = (site / "_redirects").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for rule in rules:
        old, new, status = rule.split(" ")
        values = _match(old.split("/"), address.split("/"))
        if values is not None:
            for name, value in values.items():
                new = new.replace(name, value)
            # A target that begins with two slashes would be on another host.
            return Redirect(f"/{new.lstrip('/')}", int(status))
    return None


def _match(rule: Sequence[str], address: Sequence[str]) -> dict[str, str] | None:
    """Return the parts of an address by their placeholders; None if the rule does not fit."""
    values: dict[str, str] = {}
    for number, part in enumerate(rule):
        if part == "*":
            return values | {":splat": "/".join(address[number:])}
        if number == len(address) or (part.startswith(":") and not address[number]):
            return None
        if part.startswith(":"):
            values[part] = address[number]
        elif part != address[number]:
            return None
    return values if len(rule) == len(address) else None
