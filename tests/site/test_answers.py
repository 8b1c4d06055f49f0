"""The code behind the numbers: pages of attempts, and the files that pages compare."""

import json
from collections.abc import Iterator

import pytest
from selectolax.lexbor import LexborHTMLParser

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


def test_every_kept_answer_stands_on_a_page_of_its_own(site: BuiltSite) -> None:
    """Each file can be read there without a script, character for character."""
    number = 0
    for run_id, artifact in _read_attempts(site):
        sample = f"{artifact.sample}/" if artifact.sample > 1 else ""
        page = site.folder / "runs" / run_id / artifact.eval / sample / "index.html"
        tree = LexborHTMLParser(page.read_text("utf-8"))
        page_texts = {node.attributes["data-path"]: node.text() for node in tree.css("pre.code")}
        for path, text in artifact.files.items():
            if len(text) <= _LONGEST:
                # Baselines hand in the suite's files, whose canary is no part of the answer.
                assert page_texts[make_visible(path)] in {
                    make_visible(text),
                    make_visible(strip_canary(text)),
                }
                number += 1
    assert number > 100


def test_every_row_of_a_run_with_answers_leads_to_one(site: BuiltSite) -> None:
    """The name of each attempt in the table of its run is a link to the page with its code."""
    attempts_by_run: dict[str, set[tuple[str, int]]] = {}
    for run_id, artifact in _read_attempts(site):
        attempts_by_run.setdefault(run_id, set()).add((artifact.eval, artifact.sample))
    for run_id, attempts in attempts_by_run.items():
        tree = LexborHTMLParser((site.folder / "runs" / run_id / "index.html").read_text("utf-8"))
        hrefs = {node.attributes["href"] for node in tree.css(".attempts tbody th[scope=row] a")}
        for name, sample in attempts:
            address = f"../../runs/{run_id}/{name}/" + (f"{sample}/" if sample > 1 else "")
            assert address in hrefs


def test_files_of_answers_are_those_of_the_archives(site: BuiltSite) -> None:
    """`answers.json` of a run has each file of each answer, but for the suite's canary."""
    answers: dict[str, dict[str, dict[str, str | None]]] = {}
    for run_id, artifact in _read_attempts(site):
        if run_id not in answers:
            path = site.folder / "runs" / run_id / "answers.json"
            answers[run_id] = json.loads(path.read_bytes())
        files = answers[run_id][f"{artifact.eval}/{artifact.sample}"]
        assert files.keys() == {make_visible(path) for path in artifact.files}
        for path, text in artifact.files.items():
            stored_text = files[make_visible(path)]
            assert stored_text in {None, make_visible(text), make_visible(strip_canary(text))}
    assert answers
