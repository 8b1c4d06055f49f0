"""Every address of the site of revision 26d4954b answers, on any static host."""

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from leaderboard.preview.links import find_redirect
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from tests.site.example_site import BuiltSite

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]

_PATTERNS: Final = Path(__file__).with_name("former_addresses.txt").read_text("utf-8").split()
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
