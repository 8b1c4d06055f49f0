"""The Jinja2 environment of the site: strict, escaping, with filters for numbers."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.compiler import CodeGenerator
from jinja2.nodes import Expr
from jinja2.runtime import Context
from markupsafe import escape

from generator.render import template_filters
from generator.render.cells import (
    choose_dollars_writer,
    choose_seconds_writer,
    render_outcome_tag,
    render_share_cell,
)
from records.text.escaping import escape_html, render_breakable, with_code
from records.text.markdown import render_markdown
from records.text.run_days import describe_dated_run


class Frame(NamedTuple):
    """The values for the layout that all pages share."""

    title: str
    """The title of the page, without the site's title."""
    description: str
    """One sentence for search engines and link previews."""
    root: str
    """The relative path to the site's root, such as ``../../``, so that pages work anywhere."""
    path: str
    """The path of this page below the root."""
    section: str
    """The page's entry in the site's navigation; empty for none."""
    card: str
    """The path of the picture for link previews, below the root."""
    guidelines: bool
    """Whether models were asked with guidelines for the results on the page."""


class _EscapingOnce(CodeGenerator):
    """A code generator that compiles each output to one call of `write_html`, which escapes.

    Jinja2's own generator makes a second call to escape, which takes twice as long.
    """

    def _output_child_pre(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write("environment.finalize(")

    def _output_child_post(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write(")")


def make_environment(  # noqa: PLR0913 - what all pages share
    templates: Path,
    compiled: BytecodeCache | None = None,
    *,
    canary: str | None = None,
    twins: bool = False,
    method: Collection[str] | None = None,
    only_imports: bool = False,
) -> Environment:
    """Return the environment for the folder ``templates``; ``compiled`` caches templates.

    ``canary`` is the suite's line, which stands below its texts; None without a suite. With
    ``twins``, each page names the Markdown of it that is beside it. ``method`` has the anchors of
    the method page; if it is None, all that templates name are there. ``only_imports`` says that
    there is no suite, and all results are of benchmarks of other tools.
    """
    env = Environment(
        loader=FileSystemLoader(templates),
        bytecode_cache=compiled,
        autoescape=True,
        finalize=write_html,
        undefined=StrictUndefined,
        auto_reload=False,  # a new environment is made after a change of a template
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.code_generator_class = _EscapingOnce
    shared: dict[str, Any] = {"canary": canary, "twins": twins, "only_imports": only_imports}
    env.globals.update(shared)
    filters: dict[str, Any] = {
        "breakable": render_breakable,
        "with_code": with_code,
        "markdown": render_markdown,
        "percent": template_filters.format_percent,
        "points": template_filters.format_points,
        "round_half_up": template_filters.round_half_up,
        "dollars": template_filters.format_dollars_or_dash,
        "dollars_column": choose_dollars_writer,
        "seconds_column": choose_seconds_writer,
        "seconds": template_filters.format_seconds,
        "p_value": template_filters.format_p_value,
        "plus_minus": template_filters.format_plus_minus,
        "thousands": template_filters.format_thousands,
        "times_in_100": template_filters.describe_p_value,
        "source_href": template_filters.build_source_href,
        "share_cell": render_share_cell,
        "outcome_tag": render_outcome_tag,
        "run_words": describe_dated_run,
        # With the context it is not called while a template is compiled: other projects use the
        # same compiled templates.
        "at_method": pass_context(partial(_find_in_method, method)),
    }
    env.filters.update(filters)
    return env


def _find_in_method(anchors: Collection[str] | None, _context: Context, href: str) -> str:
    """Return a link to a section of the method page; to the page if its text has no such section.

    Each project writes this text itself.
    """
    page, _, anchor = href.partition("#")
    return href if anchors is None or anchor in anchors else page


def write_html(value: object) -> str:
    """Return ``value`` as HTML: text is escaped, and invisible characters are made visible.

    Raises:
        TypeError: ``value`` is None, so a template prints an unknown value.
    """
    if type(value) is str:
        return escape_html(value)
    if value is None:
        raise TypeError("a template prints a value that is not known")
    return escape(value)


class Row(SimpleNamespace):
    """The values of a row, or of another part of a page, which its template and blocks read."""


class PageContext(SimpleNamespace):
    """The name of a page's template, the frame of the page, and the template's other variables."""

    template: str
    frame: Frame

    def __init__(self, template: str, frame: Frame, **values: Any) -> None:  # noqa: ANN401 - Jinja2 takes any value
        super().__init__(template=template, frame=frame, **values)


def render(env: Environment, page: PageContext, **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Return ``page`` as HTML; its values and ``site`` are the template's variables."""
    return env.get_template(page.template).render(**vars(page), **site)
