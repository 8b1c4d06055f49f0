"""The file `_redirects`, by which Netlify and similar hosts redirect former addresses.

A rule is used only if there is no file at an address, so it hides no page.
"""

from collections.abc import Iterator

from generator.exports.badges import badge_path
from generator.facts.site_data import SiteData
from generator.facts.urls import card_path, model_path, run_path, version_path


def redirects(site: SiteData) -> bytes:
    """Return the rules, each on a line: old address, new address, HTTP status."""
    return "".join(f"/{old} /{new} {status}\n" for old, new, status in _rules(site)).encode()


def _rules(site: SiteData) -> Iterator[tuple[str, str, int]]:
    if site.front is not None:
        # The pages of the front version have these addresses while another version is on the front.
        yield f"{version_path(site.front)}*", ":splat", 302
    # Addresses that a reader gets by shortening the address of a page.
    yield "runs/", "changes/", 302
    yield "categories/", "", 302
    for category in sorted({name.partition("/")[0] for name in site.evals}):
        yield f"evals/{category}/", "evals/", 302
    # An attempt whose archive is missing has no page; its run's page has a row of it.
    yield "runs/:run/:category/*", run_path(":run"), 302
    # A pair of runs loses its page when its second run is no longer the newest of its model.
    yield "diff/:before/:after/*", run_path(":after"), 302
    for slug, entry in sorted(site.summaries.registry.items()):
        for old in entry.former_slugs:
            yield model_path(old), model_path(slug), 301
            yield (
                f"reports/{_make_address_part(old)}/*",
                f"reports/{_make_address_part(slug)}/:splat",
                301,
            )
            yield badge_path(old), badge_path(slug), 301
            yield card_path(old), card_path(slug), 301


def _make_address_part(slug: str) -> str:
    return model_path(slug).removeprefix("models/").removesuffix("/")
