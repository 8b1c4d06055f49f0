"""How pages look: templates, assets and the site's settings, and what a page's bytes depend on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import BytecodeCache, FileSystemBytecodeCache

from generator.assets import Assets, read_assets
from generator.keys import digest_of, key_of
from generator.render import PageContext, environment, render
from generator.settings import SiteSettings, read_settings

_NAMES: Final = re.compile(r"""\{%-?\s*(?:extends|from|import|include)\s+["']([^"']+)["']""")


@dataclass(frozen=True, slots=True)
class Page:
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
    """

    def __init__(self, templates: Path, compiled: Path | None = None) -> None:
        self.settings: SiteSettings = read_settings(templates)
        self.assets: Assets = read_assets(templates / "assets")
        self._env = environment(templates, _cache(compiled))
        self._sources = {path.name: path.read_text("utf-8") for path in templates.glob("*.html")}
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

    def files(self, page: Page | Text) -> Iterator[tuple[str, bytes]]:
        """Yield what is written for a page: its path below the root, and its bytes."""
        if isinstance(page, Text):
            yield page.path, page.text.encode("utf-8", "replace")
            return
        site, assets = self.settings, self.assets.paths
        text = render(self._env, page.template, page.context, site=site, assets=assets)
        path = page.context.frame.path
        yield (path if path.endswith(".html") else f"{path}index.html"), text.encode()


def _cache(folder: Path | None) -> BytecodeCache | None:
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # the templates are not ours to write beside
        return None
    return FileSystemBytecodeCache(str(folder), "%s.bytecode")
