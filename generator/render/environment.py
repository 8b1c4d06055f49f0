"""Jinja2 as this site uses it: strict, escaping, with filters for figures."""

from pathlib import Path
from typing import Any, NamedTuple, Protocol

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.compiler import CodeGenerator
from jinja2.nodes import Expr
from markupsafe import escape

from generator.render.column_units import dollars_column, seconds_column
from generator.render.outcome_tag import outcome_tag
from generator.render.share_cell import share_cell
from generator.render.template_filters import (
    dollars,
    p_value,
    percent,
    plus_minus,
    points,
    rounded,
    seconds,
    source_href,
    thousands,
    times_in_100,
)
from records.suites.canary import LINE
from records.text.escaping import breakable, escaped, with_code
from records.text.markdown import markdown


class Frame(NamedTuple):
    """The values of the layout around every page."""

    title: str
    """Title of the page, without the site's."""
    description: str
    """One sentence for search engines and link previews."""
    root: str
    """Relative path to the site's root, such as ``../../``: pages work under any address."""
    path: str
    """Path of this page below the root."""
    section: str
    """The entry of the site's navigation that the page belongs to; empty for none."""
    card: str
    """Picture for link previews, below the root."""


class _EscapingOnce(CodeGenerator):
    """Compiles each output to one call of `printed`, which escapes.

    Jinja2 would escape its result by a second call, which takes twice as long.
    """

    def _output_child_pre(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write("environment.finalize(")

    def _output_child_post(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write(")")


def environment(templates: Path, compiled: BytecodeCache | None = None) -> Environment:
    """Return the environment over the folder ``templates``; ``compiled`` caches templates."""
    env = Environment(
        loader=FileSystemLoader(templates),
        bytecode_cache=compiled,
        autoescape=True,
        finalize=printed,
        undefined=StrictUndefined,
        auto_reload=False,  # a changed template gets an environment of its own
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.code_generator_class = _EscapingOnce
    env.globals["canary"] = LINE  # pyright: ignore[reportArgumentType] - any value may be one
    filters: dict[str, Any] = {
        "breakable": breakable,
        "with_code": with_code,
        "markdown": markdown,
        "percent": percent,
        "points": points,
        "rounded": rounded,
        "dollars": dollars,
        "dollars_column": dollars_column,
        "seconds_column": seconds_column,
        "seconds": seconds,
        "p_value": p_value,
        "plus_minus": plus_minus,
        "thousands": thousands,
        "times_in_100": times_in_100,
        "source_href": source_href,
        "share_cell": share_cell,
        "outcome_tag": outcome_tag,
    }
    env.filters.update(filters)
    return env


def printed(value: object) -> str:
    """Return ``value`` as HTML: text is escaped, and nothing stays hidden in it.

    Raises:
        TypeError: it is None: a template prints something that is not known.
    """
    if type(value) is str:
        return escaped(value)
    if value is None:
        raise TypeError("a template prints a value that is not known")
    return escape(value)


class PageContext(Protocol):
    """The context of a page: a named tuple with a frame, which names its template."""

    @property
    def template(self) -> str:
        """File name of the template."""
        ...

    @property
    def frame(self) -> Frame:
        """The values of the layout."""
        ...

    def _asdict(self) -> dict[str, Any]: ...


def render(env: Environment, page: PageContext, **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Render ``page``, whose fields are the template's variables."""
    # A public method, named so that it is no field: "Named Tuples" in Python's own documentation.
    values = page._asdict()  # pyright: ignore[reportPrivateUsage] - see above
    return env.get_template(page.template).render(**values, **site)
