"""The folder of templates with settings and assets, and the rendering of contexts."""

import hashlib
import os
import re
import traceback
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import BytecodeCache, FileSystemBytecodeCache, TemplateSyntaxError

from generator.errors import GeneratorError, TemplateError
from generator.read.site_settings import SiteSettings, read_settings
from generator.render.environment import PageContext, make_environment, render
from generator.sources import compute_digest, compute_key, list_files_below
from records.files.plain_files import find_symlink

_LOADED: Final = re.compile(rb"""(url\("|from "\./)([\w.-]+)("\)?)""")
"""A reference to a file beside the style sheet or script: ``url("a.woff2")``, ``from "./a.js"``."""


@dataclass(frozen=True, slots=True)
class Assets:
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
            paths[name] = f"assets/{name if steady else _name_by_content(name, content[name])}"
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


def _name_by_content(name: str, content: bytes) -> str:
    stem, dot, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:10]}{dot}{suffix}"


_NAMES: Final = re.compile(r"""\{%-?\s*(?:extends|from|import|include)\s+["']([^"']+)["']""")


class Templates:
    """The templates folder, read when this object is made.

    Raises:
        SiteSettingsError: `site.toml` cannot be used.
        TemplateError: a template is not UTF-8.
    """

    def __init__(  # noqa: PLR0913 - what all pages share
        self,
        folder: Path,
        compiled: Path | None = None,
        settings: SiteSettings | None = None,
        *,
        canary: str | None = None,
        steady_assets: bool = False,
        twins: bool = False,
        method: Collection[str] | None = None,
        only_imports: bool = False,
    ) -> None:
        """Read the folder.

        With ``twins``, each page names the Markdown of it that is beside it. ``method`` has the
        anchors of the method page, as for `environment`. ``only_imports`` says that there is no
        suite, and all results are of benchmarks of other tools.
        """
        self._folder = folder
        self.settings: SiteSettings = settings or read_settings(folder)
        self.assets: Assets = read_assets(folder / "assets", steady=steady_assets)
        self.canary = canary
        """The canary's line of the suite; None without a suite."""
        self._env = make_environment(
            folder,
            _make_cache(compiled),
            canary=canary,
            twins=twins,
            method=method,
            only_imports=only_imports,
        )
        self._sources = {
            path.relative_to(folder).as_posix(): _read(path) for path in folder.rglob("[!.]*.html")
        }
        self._settings_key = compute_key(
            self.settings.model_dump_json(),
            *(canary, sorted(self.assets.paths.items()), twins, only_imports),
            None if method is None else sorted(method),
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
            TemplateError: the page's template, or a template that it uses, has an error.
        """
        try:
            text = render(self._env, page, site=self.settings, assets=self.assets.paths)
        except Exception as error:
            # Templates run Python code, so any exception can come from a template.
            where = _find_line(error, self._folder) or str(self._folder / page.template)
            raise TemplateError(
                f"{where}: {_format_error(error)} (in {get_page_file(page)})"
            ) from error
        return text.encode()


def get_page_file(page: PageContext) -> str:
    """Return the path of a page's file, below the output folder."""
    path = page.frame.path
    return path if path.endswith(".html") else f"{path}index.html"


def _read(template: Path) -> str:
    try:
        return template.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TemplateError(f"{template}: {error}") from error


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


def _format_error(error: Exception) -> str:
    """Return the message of an error in one line."""
    message = error.message if isinstance(error, TemplateSyntaxError) else str(error)
    return " ".join((message or type(error).__name__).split())


def _make_cache(folder: Path | None) -> BytecodeCache | None:
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):  # a folder of templates may be read-only
        return None
    return FileSystemBytecodeCache(str(folder), "%s.bytecode")
