"""The files that list pages: sitemap, robots, redirects, and an overview for language models.

The rules for former addresses are `_redirects` for Netlify and similar hosts, and `moved.json` for
the page for missing addresses. A rule is used only if there is no file at an address.
"""

import json
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final

from generator.facts.site_data import SiteData
from generator.facts.urls import (
    GUIDELINES_TEXT,
    TWIN,
    build_attempts_path,
    build_model_path,
    build_run_path,
    build_version_path,
)
from generator.read.site_settings import SiteSettings
from records.files.slug_paths import encode_slug


def make_redirects(site: SiteData) -> bytes:
    """Return the rules, each on a line: old address, new address, HTTP status."""
    return "".join(f"/{old} /{new} {status}\n" for old, new, status in _list_rules(site)).encode()


def make_moved(site: SiteData) -> bytes:
    """Return the same rules as JSON: a list of old and new addresses."""
    return json.dumps([[old, new] for old, new, _ in _list_rules(site)]).encode() + b"\n"


def _list_rules(site: SiteData) -> Iterator[tuple[str, str, int]]:
    if site.front is not None:
        # The pages of the front version have these addresses while another version is on the front.
        yield f"{build_version_path(site.front)}*", ":splat", 302
    # Addresses that a reader gets by shortening the address of a page.
    yield "runs/", "changes/", 302
    yield "categories/", "", 302
    for category in sorted({name.partition("/")[0] for name in site.evals}):
        yield f"evals/{category}/", "evals/", 302
    # Each attempt had a page of its own; now it has a section of its category's page.
    for run in site.summaries.runs:
        if run.artifact is not None and run.kept:
            old, new = (
                f"runs/{run.run_id}/:category/:eval/",
                build_attempts_path(run.run_id, ":category"),
            )
            yield old, f"{new}#:eval/", 302
            yield f"{old}:sample/", f"{new}#:eval/:sample/", 302
    yield "runs/:run/answers.json", build_run_path(":run"), 302
    # An attempt whose archive is missing has no section; its run's page has a row of it.
    yield "runs/:run/:category/*", build_run_path(":run"), 302
    # A pair of runs loses its page when its second run is no longer the newest of its model.
    yield "diff/:before/:after/*", build_run_path(":after"), 302
    for slug, entry in sorted(site.summaries.registry.items()):
        for old in entry.former_slugs:
            yield from _list_model_rules(encode_slug(old), encode_slug(slug))
    for slug in sorted({*site.summaries.registry, *site.by_model}):
        # Earlier programs only replaced the colon in paths.
        if (old := slug.replace(":", "~")) != encode_slug(slug):
            yield from _list_model_rules(old, encode_slug(slug))


def _list_model_rules(old: str, new: str) -> Iterator[tuple[str, str, int]]:
    """Yield the rules for the addresses of a model; ``old`` and ``new`` are paths of slugs."""
    yield f"models/{old}/", f"models/{new}/", 301
    yield f"reports/{old}/*", f"reports/{new}/:splat", 301
    yield f"badges/{old}.svg", f"badges/{new}.svg", 301
    yield f"cards/{old}.png", f"cards/{new}.png", 301


_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def make_sitemap(settings: SiteSettings, pages: Iterable[str]) -> bytes:
    """Return the sitemap with the full addresses of ``pages``."""
    return _encode_sitemap(tuple(settings.base + path for path in sorted(pages)))


@lru_cache(maxsize=1)
def _encode_sitemap(addresses: tuple[str, ...]) -> bytes:
    root = ET.Element("urlset", xmlns=_NAMESPACE)
    for address in addresses:
        ET.SubElement(ET.SubElement(root, "url"), "loc").text = address
    return encode_xml(root)


def make_robots(settings: SiteSettings) -> bytes:
    """Return `robots.txt`, which allows all pages and names the sitemap."""
    return f"User-agent: *\nAllow: /\nSitemap: {settings.base}sitemap.xml\n".encode()


def encode_xml(root: ET.Element) -> bytes:
    """Return an XML document, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


LLMS: Final = "llms.txt"
"""Where it stands."""

_PAGES: Final = (
    ("", "Leaderboard", "models by score, with the range of each score, and who leads in words"),
    ("models/", "Models", "every model, with its runs"),
    ("evals/", "Evals", "every task, and how hard it is"),
    ("matrix/", "Matrix", "every model at every eval"),
    ("guidelines/", "Effect of the guidelines", "scores with them and without"),
    ("changes/", "Changes", "new runs, corrections and withdrawals, newest first"),
    ("benchmarks/", "Benchmark versions", "within which scores are comparable"),
)
_METHOD: Final = (
    ("about/", "Method", "how an answer is graded, and every formula"),
    (GUIDELINES_TEXT, "Guidelines", "the text that models are sent"),
    ("errata/", "Errata", "graders that were mended, and the verdicts by them"),
    ("reports/", "Reports", "why attempts failed, by people who looked"),
)
_HEAD: Final = (
    "Scores of different benchmark versions are not comparable. Whether two models of one version"
    " differ is decided eval by eval and said on the pages; ranges that overlap do not tell it."
    " Unknown values are empty or null, never 0. An attempt that a fault of the provider or the"
    " machinery spoiled is no failure of the model."
)
_TWINS: Final = (
    "Each page is Markdown, too: put `index.html.md` behind its address. The links below lead"
    " there."
)


def make_llms_text(site: SiteData, pages: Collection[str], *, for_programs: bool) -> bytes:
    """Return the overview of those ``pages`` that there are, by their paths.

    ``for_programs`` says that the site has a snapshot, and each page as Markdown.
    """
    settings = site.settings
    ending = TWIN if for_programs else ""

    def format_section(title: str, links: Iterable[tuple[str, str, str]]) -> list[str]:
        listed = [
            f"- [{_replace_brackets(name)}]({settings.base}{path}{ending}): {about}"
            for path, name, about in links
            if path in pages
        ]
        return [f"## {title}\n", *listed, ""] if listed else []

    versions = [
        (build_version_path(version), site.find_version_title(version), "its leaderboard")
        for version in site.leaderboards
    ]
    models = [
        (build_model_path(slug), runs[0].name, f"by {_replace_brackets(runs[0].provider)}")
        for slug, runs in site.by_model.items()
    ]
    lines = [
        *(f"# {settings.title}", "", f"> {settings.tagline}", "", _HEAD, ""),
        *((_TWINS, "") if for_programs else ()),
        *format_section("Results", _PAGES),
        *format_section("Leaderboards by benchmark version", versions),
        *format_section("Method", _METHOD),
        "## Data\n",
        f"- [Tables]({settings.base}api/v1/index.json): every table as JSON and CSV, with schemas",
    ]
    if "data/" in pages:
        page = f"{settings.base}data/{ending}"
        lines.append(f"- [Data]({page}): each column in words, licence, citation")
    if for_programs:
        downloads = f"{settings.base}downloads/"
        lines += [
            f"- [Manifest]({downloads}manifest.json): all results as files, with checksums",
            f"- [Dictionary]({downloads}data-dictionary.json): every column of every file",
        ]
    return "\n".join([*lines, "", *format_section("Optional", models), ""]).encode()


def _replace_brackets(text: str) -> str:
    """Return a name that cannot end the text of a link."""
    return text.replace("[", "(").replace("]", ")")
