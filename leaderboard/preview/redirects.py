"""The site's `_redirects`, followed by the preview as Netlify follows them."""

import re
from pathlib import Path
from typing import NamedTuple


class Redirect(NamedTuple):
    """The answer to a request for an address without a file."""

    address: str
    status: int


def find_redirect(site: Path, address: str) -> Redirect | None:
    """Return where the first rule of a site that fits an address leads; None if no rule fits.

    It leads to a page of the same site. A word behind a colon stands for one part of the address,
    an asterisk for the rest.
    """
    try:
        rules = (site / "_redirects").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for rule in rules:
        old, new, status = rule.split(" ")
        pattern = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", re.escape(old).replace(r"\:", ":"))
        match = re.fullmatch(pattern.replace(r"\*", "(?P<splat>.*)"), address)
        if match is not None:
            for name, value in match.groupdict().items():
                new = new.replace(f":{name}", value)
            # An address that begins with two slashes would lead to another host.
            return Redirect(f"/{new.lstrip('/')}", int(status))
    return None
