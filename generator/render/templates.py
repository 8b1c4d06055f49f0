"""The folder of templates with settings and assets, and the rendering of contexts."""

import hashlib
import os
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from keyword import iskeyword
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateSyntaxError,
    pass_context,
)
from jinja2.compiler import CodeGenerator
from jinja2.nodes import Call, Expr, Getattr, Getitem
from jinja2.runtime import Context
from markupsafe import Markup, escape

from generator import site_links
from generator.errors import GeneratorError
from generator.read.site_settings import SiteSettings, read_settings
from generator.render import plots, score_map, template_filters
from generator.sources import compute_digest, compute_key, list_files_below
from records.files.plain_files import find_symlink
from records.text.escaping import escape_html, render_breakable, render_content, with_code
from records.text.markdown import render_markdown
from records.text.numbers import round_half_up
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


class _QuickCode(CodeGenerator):
    """A code generator that compiles each output to one call of `write_html`, which escapes.

    Jinja2's own generator makes a second call to escape, and one more for each call, each name
    after a dot and each index, which looks for an item or attribute if there is no other.
    """

    def visit_Getattr(self, node: Getattr, frame: object) -> None:  # noqa: N802 - Jinja2's name
        """Compile ``value.name`` to Python's own, which raises AttributeError."""
        if iskeyword(node.attr):
            self.fail(f"{node.attr} can be no name in Python", node.lineno)
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Getitem(self, node: Getitem, frame: object) -> None:  # noqa: N802 - Jinja2's name
        """Compile ``value[index]`` to Python's own, which raises KeyError or IndexError."""
        self.visit(node.node, frame)
        self.write("[")
        self.visit(node.arg, frame)
        self.write("]")

    def visit_Call(  # noqa: N802 - Jinja2's name
        self,
        node: Call,
        frame: object,
        forward_caller: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        """Compile a call to Python's own; macros and functions of templates take no context."""
        self.visit(node.node, frame)
        self.write("(")
        for value in node.args:
            self.visit(value, frame)
            self.write(", ")
        for keyword in node.kwargs:
            self.write(f"{keyword.key}=")
            self.visit(keyword.value, frame)
            self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    def _output_child_pre(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write("environment.finalize(")

    def _output_child_post(self, node: Expr, frame: object, finalize: object) -> None:
        del node, frame, finalize
        self.write(")")


class SharedValues(NamedTuple):
    """The values of a site that all templates share, beside its settings and assets."""

    canary: str | None = None
    """The canary's line of the suite, which stands below its texts; None without a suite."""
    twins: bool = False
    """Whether each page has a twin in Markdown beside it, which it names."""
    only_imports: bool = False
    """Whether there is no suite, and all results are of benchmarks of other tools."""
    method: tuple[str, ...] | None = None
    """The anchors of the method page; None if all that templates name are there."""


_NOTHING = SharedValues()


def make_environment(
    templates: Path, compiled: BytecodeCache | None = None, shared: SharedValues = _NOTHING
) -> Environment:
    """Return the environment for the folder ``templates``; ``compiled`` caches templates."""
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
    env.code_generator_class = _QuickCode
    env.globals.update(shared._asdict())
    filters: dict[str, Any] = {
        "breakable": render_breakable,
        "with_code": with_code,
        "content": render_content,
        "markdown": render_markdown,
        "percent": template_filters.format_percent,
        "points": template_filters.format_points,
        "round_half_up": round_half_up,
        "dollars": template_filters.format_dollars_or_dash,
        "dollars_column": template_filters.choose_dollars_writer,
        "seconds_column": template_filters.choose_seconds_writer,
        "seconds": template_filters.format_seconds,
        "p_value": template_filters.format_p_value,
        "thousands": template_filters.format_thousands,
        "times_in_100": template_filters.describe_p_value,
        "source_href": template_filters.build_source_href,
        "outcome_tag": template_filters.render_outcome_tag,
        "heat": template_filters.choose_heat,
        "px": "{:.1f}".format,
        "on_scale": plots.place_on_scale,
        "reach": plots.choose_reach,
        "tone": plots.choose_tone,
        "on_axis": score_map.place_on_axis,
        "grid_values": score_map.list_grid_values,
        "run_words": describe_dated_run,
        "run_path": site_links.build_run_path,
        "model_path": site_links.build_model_path,
        "attempt_anchor": site_links.build_attempt_anchor,
        "attempt_fragment": site_links.build_attempt_fragment,
        "attempt_href": site_links.build_attempt_href,
        "reference_path": site_links.build_reference_path,
        "given_path": site_links.build_given_path,
        "in_prose": site_links.list_in_prose,
        "filed_path": site_links.build_filed_path,
        "ablation_path": site_links.build_ablation_path,
        "experiment": site_links.describe_experiment,
        "category": site_links.label_category,
        "short_condition": site_links.abbreviate_condition,
        "month": site_links.format_month,
        "condition": site_links.describe_run_condition,
        # With the context it is not called while a template is compiled: other projects use the
        # same compiled templates.
        "at_method": pass_context(partial(_find_in_method, shared.method)),
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
    if type(value) is Markup:
        return value
    if value is None:
        raise TypeError("a template prints a value that is not known")
    return escape(value)


class Row(SimpleNamespace):
    """The values of a row, or of another part of a page, which its template and blocks read."""


SITE_CARD = "cards/site.png"
"""The picture for link previews of pages that are not about a single model."""


class PageContext(SimpleNamespace):
    """The name of a page's template, the frame of the page, and the template's other variables."""

    template: str
    frame: Frame
    beside: Mapping[str, str]
    """The texts of the files beside the page, by path below the root."""

    def __init__(  # noqa: PLR0913, PLR0917 - the values of the frame
        self,
        template: str,
        title: str,
        path: str,
        description: str,
        section: str = "",
        card: str = SITE_CARD,
        /,
        *,
        root: str | None = None,
        guidelines: bool = True,
        beside: Mapping[str, str] | None = None,
        **values: Any,  # noqa: ANN401 - Jinja2 takes any value
    ) -> None:
        """Make the frame; ``path`` ends with a slash, or is empty for the front page.

        ``root`` replaces the relative path to the site's root, which the path gives. ``guidelines``
        is false if no model was asked with guidelines for the page's results.
        """
        root = "../" * path.count("/") if root is None else root
        frame = Frame(title, description, root, path, section, card, guidelines)
        super().__init__(template=template, frame=frame, beside=beside or {}, **values)


def render(env: Environment, page: PageContext, **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Return ``page`` as HTML; its values and ``site`` are the template's variables."""
    return env.get_template(page.template).render(**vars(page), **site)


_LOADED = re.compile(rb"""(url\("|from "\./)([\w.-]+)("\)?)""")
"""A reference to a file beside the style sheet or script: ``url("a.woff2")``, ``from "./a.js"``."""


class Assets(NamedTuple):
    """The files of the assets folder."""

    files: Mapping[str, bytes]
    """The bytes of each file, by path below the site's root."""
    paths: Mapping[str, str]
    """The path by the file's name in the folder: ``site.css`` -> ``assets/site.1a2b3c4d.css``."""


def read_assets(folder: Path, *, steady: bool = False) -> Assets:
    """Read every file below ``folder`` except hidden files.

    References from one file to another are replaced by the names on the site. With ``steady``,
    these names are without digests of the content.

    Raises:
        GeneratorError: there is a symbolic link below the folder; the message names it.
    """
    if (link := find_symlink(folder)) is not None:
        raise GeneratorError(f"{link}: is a symbolic link; put the file itself there")
    names = sorted(Path(path) for path, _ in list_files_below(str(folder)))
    sources = {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}
    content: dict[str, bytes] = {}
    paths: dict[str, str] = {}

    def add(name: str) -> str:
        """Add a file after the files that it loads, and return its path."""
        if name not in paths:
            content[name] = _LOADED.sub(
                lambda match: _rename_reference(match, sources, add), sources[name]
            )
            stem, dot, suffix = name.rpartition(".")
            digest = "" if steady else f".{hashlib.sha256(content[name]).hexdigest()[:10]}"
            paths[name] = f"assets/{stem}{digest}{dot}{suffix}"
        return paths[name]

    for name in sources:
        add(name)
    return Assets({paths[name]: content[name] for name in sources}, paths)


def _rename_reference(
    match: re.Match[bytes], sources: Collection[str], add: Callable[[str], str]
) -> bytes:
    """Return a reference with the name that the loaded file has on the site."""
    before, name, after = match.groups()
    if name.decode() not in sources:
        return match[0]
    return before + Path(add(name.decode())).name.encode() + after


_NAMES = re.compile(r"""\{%-?\s*(?:extends|from|import|include)\s+["']([^"']+)["']""")


class Templates:
    """The templates folder, read when this object is made.

    Raises:
        GeneratorError: `site.toml` cannot be used, or a template is not UTF-8.
    """

    def __init__(
        self,
        folder: Path,
        compiled: Path | None = None,
        settings: SiteSettings | None = None,
        shared: SharedValues = _NOTHING,
        *,
        steady_assets: bool = False,
    ) -> None:
        self._folder = folder
        self.settings: SiteSettings = settings or read_settings(folder)
        self.assets: Assets = read_assets(folder / "assets", steady=steady_assets)
        self.canary = shared.canary
        """The canary's line of the suite; None without a suite."""
        cache = None
        if compiled is not None:
            with suppress(OSError):
                compiled.mkdir(parents=True, exist_ok=True)
            if os.access(compiled, os.W_OK):  # a folder of templates may be read-only
                cache = FileSystemBytecodeCache(str(compiled), "%s.bytecode")
        self._env = make_environment(folder, cache, shared)
        self._sources = {
            path.relative_to(folder).as_posix(): _read(path) for path in folder.rglob("[!.]*.html")
        }
        self._settings_key = compute_key(
            self.settings.model_dump_json(), sorted(self.assets.paths.items()), *shared
        )
        self._digests: dict[str, str] = {}

    def compute_template_digest(self, template: str) -> str:
        """Return a digest of a template, the templates it uses, the settings, and assets' names."""
        if template not in self._digests:
            used = sorted(self._find_used(template, set()))
            texts = [(name, compute_digest(self._sources[name].encode())) for name in used]
            self._digests[template] = compute_key(texts, self._settings_key)
        return self._digests[template]

    def _find_used(self, template: str, used: set[str]) -> set[str]:
        if template not in used and template in self._sources:
            used.add(template)
            for name in _NAMES.findall(self._sources[template]):
                self._find_used(name, used)
        return used

    def render(self, page: PageContext) -> bytes:
        """Return the bytes of a page.

        Raises:
            GeneratorError: the page's template, or a template that it uses, has an error.
        """
        try:
            text = render(self._env, page, site=self.settings, assets=self.assets.paths)
        except Exception as error:
            # Templates run Python code, so any exception can come from a template.
            where = _find_line(error, self._folder) or str(self._folder / page.template)
            message = error.message if isinstance(error, TemplateSyntaxError) else str(error)
            words = " ".join((message or type(error).__name__).split())
            raise GeneratorError(f"{where}: {words} (in {get_page_file(page)})") from error
        return text.encode()

    def render_files(self, page: PageContext) -> Iterator[tuple[str, bytes]]:
        """Yield the paths and bytes of a page and of the files beside it.

        Raises:
            GeneratorError: as for `render`.
        """
        yield get_page_file(page), self.render(page)
        for path, text in page.beside.items():
            yield path, text.encode("utf-8", "replace")


def get_page_file(page: PageContext) -> str:
    """Return the path of a page's file, below the output folder."""
    path = page.frame.path
    return path if path.endswith(".html") else f"{path}index.html"


def _read(template: Path) -> str:
    try:
        return template.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise GeneratorError(f"{template}: {error}") from error


def _find_line(error: Exception, templates: Path) -> str | None:
    """Return the file and line of the template at which rendering failed, from the traceback.

    None if the error came from no template.
    """
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    locations = [
        f"{at.filename}:{at.lineno}" for at in frames if templates in Path(at.filename).parents
    ]
    return locations[-1] if locations else None
