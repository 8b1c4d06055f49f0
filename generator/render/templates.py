"""How pages look: templates, assets and the site's settings, and what a page's bytes depend on."""

import os
import re
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import BytecodeCache, FileSystemBytecodeCache, TemplateSyntaxError

from generator.digests import digest_of, key_of
from generator.errors import TemplateError
from generator.read.settings import SiteSettings, read_settings
from generator.render.assets import Assets, read_assets
from generator.render.environment import PageContext, environment, render

_NAMES: Final = re.compile(r"""\{%-?\s*(?:extends|from|import|include)\s+["']([^"']+)["']""")


@dataclass(frozen=True, slots=True)
class FilledPage:
    """A page before it is rendered."""

    template: str
    context: PageContext


@dataclass(frozen=True, slots=True)
class Text:
    """A plain text beside a page."""

    path: str
    text: str


class Look:
    """The templates folder as it is now.

    Raises:
        SiteSettingsError: `site.toml` is not as it must be.
        TemplateError: a template is not text.
    """

    def __init__(self, templates: Path, compiled: Path | None = None) -> None:
        self._folder = templates
        self.settings: SiteSettings = read_settings(templates)
        self.assets: Assets = read_assets(templates / "assets")
        self._env = environment(templates, _cache(compiled))
        self._sources = {path.name: _read(path) for path in templates.glob("[!.]*.html")}
        self._dress = key_of(self.settings.model_dump_json(), sorted(self.assets.paths.items()))
        self._keys: dict[str, str] = {}

    def key(self, template: str) -> str:
        """Return a digest of a template with all it uses, the settings and the assets."""
        if template not in self._keys:
            used = sorted(self._used(template, set()))
            texts = [(name, digest_of(self._sources[name].encode())) for name in used]
            self._keys[template] = key_of(texts, self._dress)
        return self._keys[template]

    def _used(self, template: str, found: set[str]) -> set[str]:
        if template not in found and template in self._sources:
            found.add(template)
            for name in _NAMES.findall(self._sources[template]):
                self._used(name, found)
        return found

    def files(self, page: FilledPage | Text) -> Iterator[tuple[str, bytes]]:
        """Yield what is written for a page: its path below the root, and its bytes.

        Raises:
            TemplateError: its template, or one that this uses, is not as it must be.
        """
        if isinstance(page, Text):
            yield page.path, page.text.encode("utf-8", "replace")
            return
        site, assets = self.settings, self.assets.paths
        try:
            text = render(self._env, page.template, page.context, site=site, assets=assets)
        except Exception as error:
            # Templates compute as Python does, so any of its errors can be theirs.
            place = _place(error, self._folder) or str(self._folder / page.template)
            raise TemplateError(f"{place}: {_said(error)}") from error
        path = page.context.frame.path
        yield (path if path.endswith(".html") else f"{path}index.html"), text.encode()


def _read(template: Path) -> str:
    try:
        return template.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise TemplateError(f"{template}: {error}") from error


def _place(error: Exception, templates: Path) -> str | None:
    """Return file and line of the template where rendering ended: Jinja2 puts both in tracebacks.

    None where no template was reached.
    """
    if isinstance(error, TemplateSyntaxError):
        return f"{error.filename}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f"{at.filename}:{at.lineno}" for at in frames if Path(at.filename).parent == templates
    ]
    return places[-1] if places else None


def _said(error: Exception) -> str:
    """Return what an error says, in one line."""
    said = error.message if isinstance(error, TemplateSyntaxError) else str(error)
    return " ".join((said or type(error).__name__).split())


def _cache(folder: Path | None) -> BytecodeCache | None:
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):  # the templates are not ours to write beside
        return None
    return FileSystemBytecodeCache(str(folder), "%s.bytecode")
