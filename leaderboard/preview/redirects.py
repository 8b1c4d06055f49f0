"""The site's `_redirects`, followed by the preview as Netlify follows them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Redirect(NamedTuple):
    """The answer to a request for an address without a file."""

    address: str
    status: int


def find_redirect(site: Path, address: str) -> Redirect | None:
    """Return where the first rule of a site that fits an address leads; None if no rule fits.

    It leads to a page of the same site. A word behind a colon stands for one part of the address,
    an asterisk at the end of a rule for all parts that are left.
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
            # An address that begins with two slashes would lead to another host.
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
