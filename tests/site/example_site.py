"""A built site with every kind of page: the published records and a seeded corpus beside them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from generator.build import Sources, build
from records.files.data_folder import DataFolder
from tests.site.corpus import VERSION, Names, write_corpus

ROOT = Path(__file__).parents[2]
IMPORTED = "convex-evals-66-dbe4c5df"


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """A built site."""

    folder: Path
    names: Names


def build_site(root: Path) -> BuiltSite:
    """Build all published records together with the seeded corpus below ``root``."""
    return _build(root, _ignore_local)


def build_small_site(root: Path) -> BuiltSite:
    """Build the same with the answers of one run of each model, in place of those of all runs."""
    return _build(root, _ignore_further_answers)


def read_built_site(root: Path) -> BuiltSite:
    """Return the site that was built below ``root``."""
    return BuiltSite(root / "site", Names(**json.loads((root / "names.json").read_bytes())))


def _build(root: Path, ignored: Callable[[str, list[str]], set[str]]) -> BuiltSite:
    data = DataFolder(root / "data")
    shutil.copytree(ROOT / "data", data.root, ignore=ignored)
    names = write_corpus(data)
    # Pages of imported results are tried most, so their version is the front page.
    texts = root / "texts"
    texts.mkdir()
    settings = (ROOT / "site_templates" / "site.toml").read_text()
    (texts / "site.toml").write_text(f'current_version = "{IMPORTED}"\n{settings}')
    shutil.copy(ROOT / "docs" / "method.md", texts)
    build(replace(make_sources(data), texts=texts), root / "site")
    (root / "names.json").write_text(json.dumps(asdict(names)))
    return BuiltSite(root / "site", names)


def _ignore_local(_: str, names: list[str]) -> set[str]:
    return {"local"} & {*names}


def _ignore_further_answers(folder: str, names: list[str]) -> set[str]:
    return _ignore_local(folder, names) | {
        *sorted(name for name in names if name.endswith(".zip"))[1:]
    }


def make_sources(data: DataFolder) -> Sources:
    """Return ``data`` with this project's templates and suite."""
    return Sources(data, ROOT / "site_templates", ROOT / "evals", local=False)


_REPEATED = frozenset(
    {
        *("with", "without", "version-category", "version-guidelines"),
        *("matrix-without", "version-matrix", "own-model"),
    }
)
"""Kinds with the structure of another kind."""


def list_page_kinds(site: BuiltSite, *, every: bool = True) -> dict[str, str]:
    """Return a page of every kind, by name; or a page of every structure."""
    names = site.names
    version = f"benchmarks/{VERSION}/"
    pages = {
        "front": "",
        "with": "with-guidelines/",
        "without": "without-guidelines/",
        "version": version,
        "category": "categories/002-queries/",
        "version-category": f"{version}categories/002-queries/",
        "guidelines": "guidelines/",
        "version-guidelines": f"{version}guidelines/",
        "guidelines-text": "guidelines/text/",
        "ablations": "ablations/",
        "ablation": f"ablations/{'t' * 32}/",
        "matrix": "matrix/",
        "matrix-without": "matrix/without-guidelines/",
        "version-matrix": f"{version}matrix/",
        "compare": "compare/",
        "compare-chosen": "compare/?models=openai/gpt-5.2-codex,openai/gpt-5.3-codex",
        "compare-answers": f"{version}compare/?models=maker0/model-0,maker2/model-2"
        f"&eval={names.eval.removeprefix('evals/').rstrip('/')}",
        "models": "models/",
        "evals": "evals/",
        "eval": names.eval,
        "model": "models/google/gemini-3-flash-preview/",
        "hostile-model": "models/maker1/model-1/",
        "own-model": names.model,
        "run": "runs/jn7fgntkq2361jyv9dm924012s81x8gp/",
        "own-run": names.run,
        "attempt": names.attempt,
        "attempts": names.attempts,
        "pair": names.pair,
        "reports": "reports/",
        "report": names.report,
        "archive": "benchmarks/",
        "changes": "changes/",
        "errata": "errata/",
        "about": "about/",
        "data": "data/",
        "missing": "404.html",
    }
    return {name: path for name, path in pages.items() if every or name not in _REPEATED}
