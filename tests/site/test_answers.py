"""The code behind the numbers: the sections of attempts, and their former addresses."""

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from generator.site_links import build_attempt_path, build_kept_attempt_href
from leaderboard.preview.links import find_redirect
from records.archives.archive import Archive, AttemptArtifact
from records.files.data_folder import DataFolder
from records.suites.canary import strip_canary
from records.text.visible import make_visible
from tests.site.example_site import BuiltSite

pytestmark = pytest.mark.integration

_LONGEST = 60_000
"""Characters of a file that its page shows whole."""


def _read_attempts(site: BuiltSite) -> Iterator[tuple[str, AttemptArtifact]]:
    """Yield each attempt whose files were kept, with the id of its run."""
    data = DataFolder(site.folder.parent / "data")
    for path in data.list_artifact_files():
        with Archive(path) as archive:
            for name, sample in archive.list_places():
                yield path.stem, archive.read(name, sample)


def _find_section(site: BuiltSite, run_id: str, artifact: AttemptArtifact) -> LexborNode:
    """Return the section of an attempt on the page of its category."""
    category, _, name = artifact.eval.partition("/")
    fragment = f"{name}/{artifact.sample}/" if artifact.sample > 1 else f"{name}/"
    page = site.folder / "runs" / run_id / category / "index.html"
    (section,) = _parse(page).css(f"[id='{fragment}']")
    return section


@lru_cache(maxsize=4)
def _parse(page: Path) -> LexborHTMLParser:
    return LexborHTMLParser(page.read_text("utf-8"))


def test_every_kept_answer_stands_in_its_section(site: BuiltSite) -> None:
    """Each file can be read there without a script, character for character.

    Files that are those of the reference are named, with a link to the reference.
    """
    number = 0
    for run_id, artifact in _read_attempts(site):
        section = _find_section(site, run_id, artifact)
        page_texts = {node.attributes["data-path"]: node.text() for node in section.css("pre.code")}
        same = {node.text() for node in section.css("[data-same] code")}
        assert page_texts.keys() | same >= {make_visible(path) for path in artifact.files}
        for path, text in artifact.files.items():
            # Baselines hand in the suite's files, whose canary is no part of the answer.
            answers = {make_visible(text), make_visible(strip_canary(text))}
            if make_visible(path) in same:
                reference = site.folder / "evals" / artifact.eval / "reference.json"
                text_of_reference = json.loads(reference.read_bytes())[make_visible(path)]
                assert text_of_reference.strip() in {answer.strip() for answer in answers}
            elif len(text) <= _LONGEST:
                assert page_texts[make_visible(path)] in answers
                number += 1
    assert number > 20


def test_every_row_of_a_run_with_answers_leads_to_one(site: BuiltSite) -> None:
    """The name of each attempt in the table of its run is a link to the section with its code."""
    attempts_by_run: dict[str, set[tuple[str, int]]] = {}
    for run_id, artifact in _read_attempts(site):
        attempts_by_run.setdefault(run_id, set()).add((artifact.eval, artifact.sample))
    for run_id, attempts in attempts_by_run.items():
        tree = LexborHTMLParser((site.folder / "runs" / run_id / "index.html").read_text("utf-8"))
        hrefs = {node.attributes["href"] for node in tree.css(".attempts tbody th[scope=row] a")}
        for name, sample in attempts:
            assert f"../../{build_kept_attempt_href(run_id, name, sample)}" in hrefs


def test_every_former_address_of_an_attempt_leads_to_its_section(site: BuiltSite) -> None:
    """An attempt that a report names keeps a page; one list of rules leads to all others.

    Hosts read it in one form, and the page for missing addresses in another.
    """
    kept, moved = 0, 0
    rules = json.loads((site.folder / "moved.json").read_bytes())
    lines = (site.folder / "_redirects").read_text("utf-8").splitlines()
    assert [[old, new] for old, new, _ in map(str.split, lines)] == [
        [f"/{old}", f"/{new}"] for old, new in rules
    ]
    for run_id, artifact in _read_attempts(site):
        former = build_attempt_path(run_id, artifact.eval, artifact.sample)
        if (page := site.folder / former / "index.html").exists():
            assert artifact.eval in page.read_text("utf-8")
            kept += 1
            continue
        redirect = find_redirect(site.folder, f"/{former}")
        assert redirect is not None
        assert (
            redirect.address
            == f"/{build_kept_attempt_href(run_id, artifact.eval, artifact.sample)}"
        )
        assert _find_section(site, run_id, artifact)
        moved += 1
    assert (kept > 0, moved > 0) == (True, True)
