"""Pages of a project with its own settings, built again by the same builder after a change."""

import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest

from generator.build import Builder
from tests.generator.conftest import MakeProject
from tests.generator.editable_project import EditableProject

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
SETTINGS = 'title = "Board"\ntagline = "Ours"\naddress = "https://board.example"\n'


def change(file: Path, old: str, new: str) -> None:
    """Replace a text in a file."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def project(make_project: MakeProject) -> EditableProject:
    """A project with `site_texts/` and `suite.toml`."""
    made = make_project(7)
    texts = made.root / "site_texts"
    texts.mkdir()
    (texts / "site.toml").write_text(SETTINGS)
    (texts / "method.md").write_text("# How we judge\n\nStrictly.\n")
    suite = (ROOT / "examples/plain-python/evals/suite.toml").read_text("utf-8")
    (made.evals / "suite.toml").write_text(suite)
    return made


@pytest.mark.more
def test_a_changed_setting_is_on_the_pages_of_the_next_build(project: EditableProject) -> None:
    """A builder that has built before reads `site_texts/site.toml` and `suite.toml` again."""
    texts, out = project.root / "site_texts", project.root / "site"
    builder = Builder(replace(project.sources, texts=texts), out)
    builder.build()
    assert "· Board</title>" in (out / "index.html").read_text("utf-8")
    change(texts / "site.toml", 'title = "Board"', 'title = "Other board"')
    builder.build()
    assert "· Other board</title>" in (out / "index.html").read_text("utf-8")

    suite = project.evals / "suite.toml"
    before = re.search(r'(?m)^canary = "(.*)"$', suite.read_text("utf-8"))
    assert before is not None
    guid = "00000000-0000-4000-8000-000000000000"
    change(suite, before[1], guid)
    builder.build()
    page = (out / "data" / "index.html").read_text("utf-8")
    assert guid in page
    assert before[1] not in page


@pytest.mark.more
def test_a_project_without_guidelines_has_its_method_and_audits(project: EditableProject) -> None:
    """With `guidelines = false` the page has the project's method and the audits.

    Versions count as the project's own.
    A missing method is named as the file that was looked for.
    """
    texts, out = project.root / "site_texts", project.root / "site"
    (texts / "site.toml").write_text(f"{SETTINGS}guidelines = false\n")
    builder = Builder(replace(project.sources, texts=texts), out)
    builder.build()
    about = (out / "about" / "index.html").read_text("utf-8")
    assert "How we judge" in about
    assert "Audits of the graders" in about
    benchmarks = (out / "benchmarks" / "index.html").read_text("utf-8")
    assert "A version of our own suite" in benchmarks
    assert "the prompt, the guidelines" not in benchmarks
    (texts / "method.md").unlink()
    builder.build()
    about = (out / "about" / "index.html").read_text("utf-8")
    assert "<code>site_texts/method.md</code> is missing" in about
    assert str(project.root) not in about


@pytest.mark.more
def test_an_address_below_a_path_keeps_its_slash(project: EditableProject) -> None:
    """Pages, feed, sitemap, badges, twins and downloads name pages below the path."""
    sources = replace(
        project.sources, local=False, address="https://board.example/results", for_programs=True
    )
    out = project.root / "below"
    Builder(sources, out).build()
    glued = re.compile(rb"board\.example/results(?!/)")
    texts = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for path in (out / "downloads" / "every-eval-ever").iterdir():
        texts[path] = gzip.decompress(texts[path])
    assert [path for path, text in texts.items() if glued.search(text)] == []
    head = texts[out / "models" / "index.html"].decode()
    assert '<link rel="canonical" href="https://board.example/results/models/">' in head
    assert 'property="og:image" content="https://board.example/results/card' in head


def test_the_licence_is_that_of_the_project_or_none(project: EditableProject) -> None:
    """Nobody's results get our licence: files name that of the project, or none."""
    texts, out = project.root / "site_texts", project.root / "licensed"
    sources = replace(project.sources, local=False, texts=texts, for_programs=True)
    builder = Builder(sources, out)
    builder.build()
    lists = ("README.md", "manifest.json", "croissant.json", "data-dictionary.json")
    described = ["data/index.html", "api/v1/index.json", *(f"downloads/{name}" for name in lists)]
    written = {path: (out / path).read_text("utf-8") for path in described}
    assert [path for path, text in written.items() if "Apache" in text] == []
    assert [path for path, text in written.items() if re.search(r'"licen[cs]e', text)] == [
        "data/index.html"
    ]  # the anchor of the sentence below
    for path in ("data/index.html", "downloads/README.md"):
        assert "No licence is named for these results." in written[path]
    own = 'licence = "CC-BY-4.0"\nlicence_address = "https://licence.example/by"\n'
    (texts / "site.toml").write_text(SETTINGS + own)
    builder.build()
    for path in described:
        text = (out / path).read_text("utf-8")
        assert "https://licence.example/by" in text, path
        assert "Apache" not in text
