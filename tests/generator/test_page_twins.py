"""Pages as Markdown: all words of the page, renewed with it; texts of models stay text."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.build import build
from generator.errors import GeneratorError
from generator.page_twins import TwinWriter
from generator.render.templates import get_page_file
from generator.sources import Sources
from records.files.data_folder import DataFolder
from records.suites.canary import GUID, LINE
from records.text.markdown import render_markdown
from tests.generator.conftest import MakeProject
from tests.generator.contexts import gather_contexts, load_project_templates
from tests.generator.editable_project import EditableProject

pytestmark = pytest.mark.more

ROOT = Path(__file__).parents[2]
WORD = re.compile(r"\w+")


def write_twin(body: str) -> str:
    """The twin of a page with this main part."""
    page = f"<html><main id='main'>{body}</main></html>"
    return (
        TwinWriter("https://board.example/", LINE).make_twin("a/index.html", page.encode()).decode()
    )


def render_one_of_each_kind() -> Iterator[tuple[str, bytes]]:
    """A rendered page of each template over the published records, by its path."""
    templates: set[str] = set()
    for page in gather_contexts(DataFolder(ROOT / "data")):
        if page.template not in templates:
            templates.add(page.template)
            yield get_page_file(page), load_project_templates().render(page)


def extract_words(page: bytes) -> set[str]:
    """The words of the main part, without drawings, scripts, and what a browser does not show.

    A place where a line may break divides no word.
    """
    main, *_ = LexborHTMLParser(page.decode().replace("<wbr>", "")).css("main")
    for part in main.css("svg, script, template, select, [hidden]"):
        part.decompose()
    return set(WORD.findall(main.text(separator=" ")))


def test_a_twin_has_all_of_its_page() -> None:
    """No word and no number of a page is missing, whatever kind of page it is."""
    writer = TwinWriter("https://board.example/", LINE)
    for path, page in render_one_of_each_kind():
        twin = writer.make_twin(path, page).decode()
        # Backslashes escape signs of text, and are text themselves within code.
        words = {*WORD.findall(twin), *WORD.findall(twin.replace("\\", ""))}
        assert extract_words(page) - words == set(), path
        assert GUID in twin


def test_numbers_that_the_style_sheet_keeps_apart_stay_apart() -> None:
    """A share and its fraction are two values; glued, 90 and 9/10 would be 909/10."""
    twin = write_twin(
        '<p>90<small class="of">9/10</small> 91<small>%</small><svg></svg><b>82</b></p>'
    )
    assert "90 · 9/10" in twin
    assert "91 % **82**" in twin


@pytest.mark.parametrize(
    "text",
    [
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "[here](javascript:alert(1))",
        "![seen](https://evil.example/x.png)",
        "&lt;img src=x onerror=alert(1)&gt;",
        "# Passed",
        "***all passed***",
    ],
)
def test_text_of_models_stays_text(text: str) -> None:
    """Whoever shows a twin as Markdown shows the letters: no link, picture, heading or tag."""
    tree = LexborHTMLParser(str(render_markdown(write_twin(f"<p>{text}</p>"))))
    first, *_ = tree.css("p")
    assert tree.css("script, img, h1, strong, em") == []
    assert [link.attributes.get("href") for link in tree.css("a")] == ["https://board.example/a/"]
    wanted, *_ = LexborHTMLParser(f"<p>{text}</p>").css("p")
    assert first.text() == wanted.text()


def test_code_cannot_end_its_block() -> None:
    """A fence is longer than every row of backticks in the code."""
    twin = write_twin("<pre>```\n&lt;b&gt;\n````\nend</pre><p>after</p>")
    assert "`````\n```\n<b>\n````\nend\n`````\n" in twin


def test_twins_follow_their_pages(
    make_project: MakeProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change the twins are those of a build from nothing; nothing changed, none is written.

    Each page names its twin, and a build without twins removes them.
    """
    project = make_project(7)
    sources, out = make_program_sources(project), project.root / "site"
    build(sources, out)
    before = read_twins(out)
    pages = {path.relative_to(out).as_posix() for path in out.rglob("index.html")}
    assert before.keys() == {f"{path}.md" for path in pages}
    link = LexborHTMLParser((out / "index.html").read_text("utf-8")).css_first(
        'link[type="text/markdown"]'
    )
    assert link is not None
    assert link.attributes["href"] == "index.html.md"
    (project.templates / "layout.html").touch()
    with monkeypatch.context() as patched:
        # Of the same pages no twin is made again.
        patched.delattr(TwinWriter, "make_twin")
        assert build(sources, out).changed == ()
    published = len([*project.data.list_run_files()])
    while len([*project.data.list_run_files()]) == published:
        project.add_run()
    build(sources, out)
    assert read_twins(out) != before
    build(sources, project.root / "anew")
    assert read_twins(out) == read_twins(project.root / "anew")
    build(replace(sources, for_programs=False), out)
    assert read_twins(out) == {}
    assert "text/markdown" not in (out / "index.html").read_text("utf-8")


def test_the_overview_leads_to_files(make_project: MakeProject) -> None:
    """Each link of llms.txt is to a file of the site, with twins to twins."""
    project = make_project(7)
    out = project.root / "site"
    for sources in (
        make_program_sources(project),
        replace(make_program_sources(project), for_programs=False),
    ):
        build(sources, out)
        text = (out / "llms.txt").read_text("utf-8")
        links = re.findall(r"\]\(https://[^/]*/([^)]*)\)", text)
        assert len(links) > 10
        files = [
            out / (f"{link}index.html" if link.endswith("/") else link) for link in links if link
        ]
        assert [file for file in files if not file.is_file()] == []
        assert ("index.html.md" in text) is sources.for_programs
        assert text.startswith("# Convex LLM Leaderboard\n\n> ")


def test_without_its_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins are not left out in silence."""
    monkeypatch.setitem(sys.modules, "html_to_markdown", None)
    with pytest.raises(GeneratorError, match="extra datasets"):
        TwinWriter("https://board.example/", LINE)


def make_program_sources(project: EditableProject) -> Sources:
    """The published records of a project, with all that programs read."""
    return replace(project.sources, local=False, for_programs=True)


def read_twins(out: Path) -> dict[str, bytes]:
    """The twins of a site, by path."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("index.html.md")
    }
