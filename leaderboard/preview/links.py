"""Links of the served site: the broken ones, the rules of `_redirects`, and those to the desk."""

import posixpath
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote


def with_source(problem: str) -> str:
    """Return a problem; if it names a file and a line, with this line and its neighbours.

    Paths in the working folder become relative to it.
    """
    problem = problem.replace(f"{Path.cwd()}/", "")
    match = re.match(r"(?P<file>[^\n:]+):(?P<line>[0-9]+): ", problem)
    if match is None:
        return problem
    try:
        lines = Path(match["file"]).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return problem
    at = int(match["line"])
    numbers = range(max(1, at - 1), min(len(lines), at + 1) + 1)
    source = [
        f"{'>' if number == at else ' '} {number:>4} {lines[number - 1][:200]}"
        for number in numbers
    ]
    return "\n".join([problem, "", *source])


_LINK = re.compile(r'\s(?:href|src)="([^"]*)"')
_ID = re.compile(r'\sid="([^"]*)"')
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


class _Page(NamedTuple):
    """The links of a page, as they are in its source, and its anchors."""

    links: frozenset[str]
    anchors: frozenset[str]


def find_broken_links(site: Path, pause: Callable[[], object] = lambda: None) -> list[str]:
    """Return a line for each broken link within the site in a folder.

    ``pause`` is called before each page, to let other work go first.
    """
    pages: dict[str, _Page] = {}
    for file in site.rglob("*.html"):
        pause()
        with suppress(FileNotFoundError):  # removed by a later build
            text = file.read_text("utf-8", "replace")
            links = (link for link in _LINK.findall(text) if not _ELSEWHERE.match(link))
            name = file.relative_to(site).as_posix()
            pages[name] = _Page(frozenset(links), frozenset(_ID.findall(text)))
    broken: list[str] = []
    for path, page in sorted(pages.items()):
        pause()
        for link in sorted(page.links):
            reason = _check_link(site, pages, path, unescape(link))
            broken += [f"{path}: {unescape(link)}: {reason}"] if reason else []
    return broken


def _check_link(site: Path, pages: Mapping[str, _Page], path: str, link: str) -> str | None:
    """Return why a link of the page at ``path`` leads nowhere; None if it does not."""
    address, _, anchor = link.partition("#")
    target = path
    if place := unquote(address.partition("?")[0]):
        joined = posixpath.join("/", posixpath.dirname(path), place)
        target = posixpath.normpath(joined).lstrip("/")
        if joined.endswith("/"):
            target = posixpath.join(target, "index.html")
    page = pages.get(target)
    if page is None and not (site / target).is_file():
        return "there is no such page"
    if anchor and page is not None and unquote(anchor) not in page.anchors:
        return "the page has no such anchor"
    return None


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
        pattern = re.sub(r"(?<=/):(\w+)", r"(?P<\1>[^/]+)", re.escape(old))
        match = re.fullmatch(pattern.replace(r"/\*", "(?:/(?P<splat>.*))?"), address, re.DOTALL)
        if match is not None:
            for name, value in match.groupdict("").items():
                new = new.replace(f":{name}", value)
            # A target that begins with two slashes would be on another host.
            return Redirect(f"/{new.lstrip('/')}", int(status))
    return None


_CATEGORY_PAGE = re.compile(
    r"runs/(?P<run>[0-9a-z]{16,40})/(?P<category>[0-9]{3}-[a-z0-9_]{1,60})/(?:.+/)?index\.html"
)
_SECTION = re.compile(
    rb'<div id="(?P<eval>[0-9]{3}-[a-z0-9_]{1,60})/(?:(?P<sample>[1-9][0-9]{0,5})/)?">'
)
"""The beginning of an attempt's section. No text of a model looks like it: texts are escaped."""


def with_review_links(path: str, page: bytes) -> bytes:
    """Return the HTML of a page; if it has attempts, each with a link to review it.

    Args:
        path: the path of the page's file, relative to the site.
        page: the HTML of the page.
    """
    match = _CATEGORY_PAGE.fullmatch(path)
    if match is None:
        return page
    attempts = f"/review/attempts/{match['run']}/{match['category']}/"

    def add_link(section: re.Match[bytes]) -> bytes:
        address = f"{attempts}{section['eval'].decode()}/{int(section['sample'] or 1)}"
        link = f'<p><a class="tag" href="{address}">Review this attempt</a></p>'
        return section[0] + link.encode()

    return _SECTION.sub(add_link, page)
