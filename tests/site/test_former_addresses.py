"""Every address of the site of revision 26d4954b answers, on any static host."""

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from leaderboard.preview.redirects import find_redirect
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_run
from tests.site.example_site import BuiltSite

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]

_CATEGORIES: Final = (
    "{000-fundamentals,001-data_modeling,002-queries,003-mutations,004-actions,005-idioms,"
    "006-clients}"
)
_TABLES: Final = (
    "{ablations,audited-attempts,audits,categories,evals,failures,guidelines,leaderboard,manifest,"
    "matrix,runs}"
)
_BOARD: Final = (
    "{,with-guidelines/,without-guidelines/,guidelines/,evals/,matrix/,matrix/without-guidelines/,"
    "compare/}"
)
_BASELINES: Final = "baseline/{empty,oracle,stub}"
_MODELS: Final = (
    "{anthropic/claude-fable-5,google/gemini-3-flash-preview,google/gemini-3-pro-preview,"
    "minimax/minimax-m2.5,openai/gpt-5.2-codex,openai/gpt-5.3-codex,qwen/qwen3.5-plus-02-15}"
)
_VERSIONS: Final = (
    "{5d1c7ce8ba1d,9fdfa625ac2f,a9e711c21cd3,b132a42f76ff,convex-evals-72-420f3b10,"
    "convex-evals-74-166a9843,e2063c36c167,f5c55844280a}"
)

_PATTERNS: Final = (
    _BOARD,
    f"categories/{_CATEGORIES}/",
    "{404.html,_redirects,feed.xml,llms.txt,robots.txt,search.json,sitemap.xml,cards/site.png}",
    "{ablations,about,benchmarks,changes,data,errata,guidelines/text,models,reports}/",
    f"api/v1/{{,schemas/}}{_TABLES}.json",
    f"api/v1/{_TABLES}.csv",
    "api/v1/{index.json,matrix-wide.csv}",
    f"models/{{{_MODELS[1:-1]},google/gemini-3.1-pro-preview,arcee-ai/trinity-large-preview}}/",
    f"models/{_BASELINES}/",
    f"badges/{_BASELINES}.svg",
    f"cards/{_BASELINES}.png",
    f"badges/{_MODELS}.svg",
    f"cards/{_MODELS}.png",
    f"benchmarks/{_VERSIONS}/{_BOARD}",
    f"benchmarks/{_VERSIONS}/categories/{_CATEGORIES}/",
    "benchmarks/{5d1c7ce8ba1d,b132a42f76ff}/categories/007-components/",
    "benchmarks/convex-evals-66-dbe4c5df/",
    "reports/anthropic/claude-fable-5/{jn729vkb,jn74aym3,jn79mkv7,jn7cf0ka,jn7fyvhv}_2026-06-10/",
    "reports/google/gemini-3-flash-preview/{jn7062ch,jn741xc0,jn7fgntk}_2026-02-26/",
    "reports/google/gemini-3-pro-preview/jn728rtz_2026-02-17/",
    "reports/google/gemini-3.1-pro-preview/jn71vqv2_2026-02-20/",
    "reports/minimax/minimax-m2.5/jn7cecy6_2026-02-19/",
    "reports/openai/gpt-5.2-codex/{jn76nmvg_2026-02-11,jn79beyv_2026-02-12}/",
    "reports/openai/gpt-5.3-codex/jn76rrmt_2026-02-25/",
    "reports/qwen/qwen3.5-plus-02-15/jn78pe46_2026-02-18/",
    "diff/jn741xc0708fvw5fw2e1b37rvn81xq5m/jn7fgntkq2361jyv9dm924012s81x8gp/",
    "diff/jn76nmvgpcdwcmpnpkv2rzea8s80y3ef/jn79beyv1jtjh0gnjvr9pr2ez1811d8t/",
    "diff/jn74aym37e1t73a1wpr5qa036588dxjy/jn7cf0kahnnn75e6wp7h4yqft188dm9s/",
)
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
