"""Texts that templates print, and values that they refuse."""

from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache

from generator.render.environment import make_environment

pytestmark = pytest.mark.unit

_PARTS = """\
{% macro pair(a, b) -%}<b title="{{ a }}">{{ b }}</b>{%- endmacro %}
{% macro count(list) -%}{{ list | length }}{%- endmacro %}
"""
_PAGE = """\
{% from "parts.html" import pair, count %}
{{ pair(one, two) }}{{ pair(two, one) }}{{ pair(one, two) }}{{ count(many) }}
"""


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """A page and the macros that it calls."""
    (tmp_path / "parts.html").write_text(_PARTS)
    (tmp_path / "page.html").write_text(_PAGE)
    return tmp_path


def test_a_macro_answers_by_its_arguments(templates: Path) -> None:
    """Equal texts give equal results; arguments that are no text are read each time."""
    template = make_environment(templates).get_template("page.html")
    many = ["x"]
    first = template.render(one="<1>", two="2", many=many)
    assert first.strip() == (
        '<b title="&lt;1&gt;">2</b><b title="2">&lt;1&gt;</b><b title="&lt;1&gt;">2</b>1'
    )
    many.append("y")
    assert template.render(one="<1>", two="2", many=many).strip().endswith("2")


def test_unknown_values_are_not_printed(templates: Path) -> None:
    """None on a page is a mistake of the template, never an empty place."""
    template = make_environment(templates).get_template("page.html")
    with pytest.raises(TypeError, match="not known"):
        template.render(one=None, two="2", many=[])


def test_compiled_templates_serve_projects_with_other_methods(tmp_path: Path) -> None:
    """A link into the method is that of the project, also if another one compiled the template."""
    (tmp_path / "a.html").write_text("{{ 'about/#text-ranks' | at_method }}")
    compiled = FileSystemBytecodeCache(str(tmp_path), "%s.bytecode")

    def render(method: list[str]) -> str:
        return make_environment(tmp_path, compiled, method=method).get_template("a.html").render()

    assert [render(["text-ranks"]), render([])] == ["about/#text-ranks", "about/"]
