"""An invalid template is named by its file and line."""

import re
import shutil
from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache

from generator.errors import GeneratorError
from generator.pages.about import build_missing_page
from generator.read.site_settings import read_settings
from generator.render.templates import SharedValues, Templates, make_environment

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """Templates for a test to break."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / "site_templates", tmp_path / "templates", ignore=ignored))


BROKEN = {
    "{% if %}": "Expected an expression",
    "{{ nobody }}": "'nobody' is undefined",
    "{{ frame.titel }}": "no attribute 'titel'",
    "{{ frame.class }}": "class can be no name",
    "{{ frame.title | percent }}": "type str",
    "{{ assets['none.png'] }}": "none.png",
    "{% include 'none.html' %}": "'none.html' not found",
}


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_template_is_named_by_file_and_line(line: str, templates: Path) -> None:
    """Mistakes of compiling and of rendering give a message of one line."""
    template = templates / "pages" / "missing.html"
    text = template.read_text().replace("{% block main %}\n", f"{{% block main %}}\n{line}\n", 1)
    template.write_text(text)
    number = text.splitlines().index(line) + 1
    with pytest.raises(GeneratorError) as raised:
        _render(templates)
    message = str(raised.value)
    assert message.startswith(f"{template}:{number}: ")
    assert BROKEN[line] in message
    assert "\n" not in message


def test_a_broken_part_is_named_not_the_page_that_uses_it(templates: Path) -> None:
    """The error names the line of the macro."""
    parts = templates / "blocks/page_frame.html"
    text = parts.read_text().replace("{{ tagline }}", "{{ tagline.text }}")
    parts.write_text(text)
    number = next(at for at, line in enumerate(text.splitlines(), 1) if "tagline.text" in line)
    with pytest.raises(GeneratorError, match=rf"page_frame\.html:{number}: 'str' object"):
        _render(templates)


def test_a_template_that_is_no_text_is_named(templates: Path) -> None:
    """Bytes that are not UTF-8 are a mistake in a file, and the file has a name."""
    (templates / "pages" / "missing.html").write_bytes(b"\xff")
    with pytest.raises(GeneratorError, match=r"missing\.html: .*utf-8"):
        _render(templates)


def _render(templates: Path) -> None:
    Templates(templates).render(build_missing_page("https://example.org/"))


@pytest.mark.parametrize(
    ("address", "root"),
    [
        ("https://example.org", "/"),
        ("https://user.example.org/board/", "/board/"),
        ("https://example.org/a/b", "/a/b/"),
    ],
)
def test_links_of_the_page_for_missing_pages_have_the_path_of_the_site(
    address: str, root: str
) -> None:
    """A host serves it at any depth, so relative links would be dead."""
    settings = read_settings(ROOT / "site_templates", address=address)
    page = Templates(ROOT / "site_templates").render(build_missing_page(settings.base)).decode()
    links = re.findall(r'(?:href|src)="(?!https?:|#|data:)([^"]*)"', page)
    assert links
    assert all(link.startswith(root) for link in links), links


_PARTS = """\
{% macro pair(a, b) -%}<b title="{{ a }}">{{ b }}</b>{%- endmacro %}
{% macro count(list) -%}{{ list | length }}{%- endmacro %}
"""
_PAGE = """\
{% from "parts.html" import pair, count %}
{{ pair(one, two) }}{{ pair(two, one) }}{{ pair(one, two) }}{{ count(many) }}
"""


@pytest.fixture
def macros(tmp_path: Path) -> Path:
    """A page and the macros that it calls."""
    (tmp_path / "parts.html").write_text(_PARTS)
    (tmp_path / "page.html").write_text(_PAGE)
    return tmp_path


def test_a_macro_answers_by_its_arguments(macros: Path) -> None:
    """Equal texts give equal results; arguments that are no text are read each time."""
    template = make_environment(macros).get_template("page.html")
    many = ["x"]
    first = template.render(one="<1>", two="2", many=many)
    assert first.strip() == (
        '<b title="&lt;1&gt;">2</b><b title="2">&lt;1&gt;</b><b title="&lt;1&gt;">2</b>1'
    )
    many.append("y")
    assert template.render(one="<1>", two="2", many=many).strip().endswith("2")


def test_unknown_values_are_not_printed(macros: Path) -> None:
    """None on a page is a mistake of the template, never an empty place."""
    template = make_environment(macros).get_template("page.html")
    with pytest.raises(TypeError, match="not known"):
        template.render(one=None, two="2", many=[])


def test_compiled_templates_serve_projects_with_other_methods(tmp_path: Path) -> None:
    """A link into the method is that of the project, also if another one compiled the template."""
    (tmp_path / "a.html").write_text("{{ 'about/#text-ranks' | at_method }}")
    compiled = FileSystemBytecodeCache(str(tmp_path), "%s.bytecode")

    def render(*method: str) -> str:
        env = make_environment(tmp_path, compiled, SharedValues(method=method))
        return env.get_template("a.html").render()

    assert [render("text-ranks"), render()] == ["about/#text-ranks", "about/"]
