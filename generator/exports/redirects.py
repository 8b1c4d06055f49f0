"""The redirects of former addresses: `_redirects` for Netlify and similar hosts, and `moved.json`.

The page for missing addresses reads `moved.json`. A rule is used only if there is no file at an
address.
"""

import json
from collections.abc import Iterator

from generator import site_links
from generator.site_data import SiteData
from records.files.data_folder import encode_slug


def make_redirects(site: SiteData) -> bytes:
    """Return the rules, each on a line: old address, new address, HTTP status."""
    return "".join(f"/{old} /{new} {status}\n" for old, new, status in _list_rules(site)).encode()


def make_moved(site: SiteData) -> bytes:
    """Return the same rules as JSON: a list of old and new addresses."""
    return json.dumps([[old, new] for old, new, _ in _list_rules(site)]).encode() + b"\n"


def _list_rules(site: SiteData) -> Iterator[tuple[str, str, int]]:
    if site.front is not None:
        # The pages of the front version have these addresses while another version is on the front.
        yield f"{site_links.build_version_path(site.front)}*", ":splat", 302
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
                site_links.build_attempts_path(run.run_id, ":category"),
            )
            yield old, f"{new}#:eval/", 302
            yield f"{old}:sample/", f"{new}#:eval/:sample/", 302
    yield "runs/:run/answers.json", site_links.build_run_path(":run"), 302
    # An attempt whose archive is missing has no section; its run's page has a row of it.
    yield "runs/:run/:category/*", site_links.build_run_path(":run"), 302
    # A pair of runs loses its page when its second run is no longer the newest of its model.
    yield "diff/:before/:after/*", site_links.build_run_path(":after"), 302
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
