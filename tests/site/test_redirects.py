"""Former addresses of pages: each answers on any static host, and no rule hides a page."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from selectolax.lexbor import LexborHTMLParser

from generator.exports.files import export_files
from leaderboard.preview.links import find_redirect
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from records.shapes.registry import ModelEntry
from tests.generator.contexts import gather_site
from tests.site.example_site import BuiltSite, list_page_kinds
from tests.site.serving import serve_folder
from tests.site.watching import open_window

pytestmark = pytest.mark.integration
_FRONT = "convex-evals-66-dbe4c5df"
_RUN = "jn7fgntkq2361jyv9dm924012s81x8gp"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"benchmarks/{_FRONT}/matrix/", "matrix/"),
        (f"benchmarks/{_FRONT}/categories/002-queries/", "categories/002-queries/"),
        ("categories/", ""),
        ("evals/002-queries/", "evals/"),
        (f"runs/{_RUN}/000-gone/000-gone/", f"runs/{_RUN}/"),
        (f"runs/{_RUN}/answers.json", f"runs/{_RUN}/"),
    ],
)
def test_a_moved_page_is_found(old: str, new: str, site: BuiltSite, address: str) -> None:
    """A request for the old address gets the page's current address."""
    assert not (site.folder / old / "index.html").exists()
    answer = httpx.get(address + old, follow_redirects=True)
    assert (answer.status_code, str(answer.url)) == (200, address + new)


@pytest.mark.parametrize("gone", ["runs/nowhere/", "runs/nowhere/000-a/000-b/", "nowhere/"])
def test_a_value_that_never_was_is_missing(gone: str, address: str) -> None:
    """A rule leads at most to the page for missing addresses: no address goes in circles."""
    assert httpx.get(address + gone, follow_redirects=True).status_code == 404


def test_every_kind_of_page_is_served_as_it_stands(site: BuiltSite, address: str) -> None:
    """No rule takes a reader away from an existing page."""
    with httpx.Client(base_url=address) as client:
        answers = {path: client.get(path).status_code for path in list_page_kinds(site).values()}
    assert {path for path, status in answers.items() if status != 200} == set()


def test_the_page_for_missing_addresses_leads_on_where_a_host_knows_no_rules(
    browser: Browser, site: BuiltSite
) -> None:
    """A former address of a test shows its attempt; what never was stays missing."""
    context = open_window(browser, 1280)
    page = context.new_page()
    with serve_folder(site.folder, follows_rules=False) as address:
        page.goto(f"{address}nowhere/000-a/000-b/")
        expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()
        attempts = next((site.folder / "runs").glob("*/[0-9]*/index.html"))
        sections = LexborHTMLParser(attempts.read_text("utf-8")).css("details.attempt > div")
        fragments = [section.id or "" for section in sections]
        moved = next(name for name in fragments if not (attempts.parent / name).exists())
        folder = attempts.parent.relative_to(site.folder).as_posix()
        page.goto(f"{address}{folder}/{moved}#test-first")
        expect(page).to_have_url(f"{address}{folder}/#{moved}test-first")
        expect(page.locator(f"[id='{moved}']")).to_be_visible()
    context.close()


def test_a_model_that_was_renamed_is_found_by_its_old_name(tmp_path: Path) -> None:
    """Its page, reports, badge and card; a colon stands in addresses as a tilde.

    So does a device's name that an earlier program left as it is.
    """
    original = gather_site(DataFolder(tmp_path / "data"))
    entry = ModelEntry(
        slug="maker/new:free",
        former_slugs=("maker/old",),
        name="New",
        provider="Maker",
        litellm_id="maker/new",
    )
    device = entry.model_copy(update={"slug": "maker/con", "former_slugs": ()})
    registry = {model.slug: model for model in (entry, device)}
    summaries = replace(original.summaries, registry=registry)
    site = replace(original, summaries=summaries)
    (tmp_path / "_redirects").write_bytes(dict(next(export_files(site))())["_redirects"])
    expected = {
        "/models/maker/old/": "/models/maker/new~free/",
        "/reports/maker/old/abc_2026-11-01/": "/reports/maker/new~free/abc_2026-11-01/",
        "/cards/maker/old.png": "/cards/maker/new~free.png",
        "/models/maker/con/": "/models/maker/~con~/",
        "/badges/maker/con.svg": "/badges/maker/~con~.svg",
    }
    for old, new in expected.items():
        assert find_redirect(tmp_path, old) == (new, 301)


ROOT = Path(__file__).parents[2]

_PATTERNS = Path(__file__).with_name("former_addresses.txt").read_text("utf-8").split()
"""Addresses of pages and files, without those of evals, runs and attempts, and without files that
scripts of pages load. Of the words in braces, each stands once."""


def expand(pattern: str) -> Iterator[str]:
    """Yield the addresses of a pattern."""
    parts = re.split(r"\{(.*?)\}", pattern)
    choices = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return map("".join, product(*choices))


def list_former_addresses(data: DataFolder) -> Iterator[str]:
    """Yield all addresses of the site of published records; each attempt had a page of its own."""
    for pattern in _PATTERNS:
        yield from expand(pattern)
    for path in data.benchmarks.list_files():
        for name in read_benchmark(path).evals:
            yield f"evals/{name}/"
    for path in data.list_run_files():
        run = read_run(path)
        yield f"runs/{run.run_id}/"
        for attempt in run.attempts:
            if attempt.artifact is not None:
                yield f"runs/{run.run_id}/answers.json"
                sample = f"{attempt.sample}/" if attempt.sample > 1 else ""
                yield f"runs/{run.run_id}/{attempt.eval}/{sample}"


def test_each_former_address_answers(site: BuiltSite) -> None:
    """A file is there, or a rule leads to one; the page for missing addresses has the same rules.

    Netlify follows the rules, and the page for missing addresses wherever a host knows none.
    """
    folder = site.folder

    def is_there(address: str) -> bool:
        path = folder / address.partition("#")[0].lstrip("/")
        return path.is_file() or (path / "index.html").is_file()

    former = set(list_former_addresses(DataFolder(ROOT / "data")))
    assert len(former) > 2_000
    for address in sorted(former):
        if not is_there(address):
            moved = find_redirect(folder, f"/{address}")
            assert moved is not None, address
            assert is_there(moved.address), f"{address}: {moved.address}"
    rules = [line.split(" ")[:2] for line in (folder / "_redirects").read_text().splitlines()]
    known = json.loads((folder / "moved.json").read_bytes())
    assert rules == [[f"/{old}", f"/{new}"] for old, new in known]
