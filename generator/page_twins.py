"""Twins of pages: each page as Markdown, for language models and other programs.

A twin is the main part of the finished page, so context and template are the same, and both have
the same facts. Its path is that of llmstxt.org: `index.html.md` beside `index.html`. Text of models
stays text: Markdown and HTML in it are escaped.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from generator.errors import GeneratorError
from generator.output_folder import Cache, RenderedFile, Staging
from generator.site_data import SiteData
from generator.site_links import PAGE, TWIN
from generator.workers import share_out

_APART = (
    ('<small class="of">', " · <small>"),
    ("<small", " <small"),
    ("<svg", " <svg"),
)
"""Tags of parts that a style sheet keeps apart, and Markdown would write as one: 90 and 9/10."""


class TwinWriter:
    """Turns pages into Markdown.

    Raises:
        GeneratorError: the package that does it is not installed.
    """

    def __init__(self, base: str, canary: str | None) -> None:
        """Take the site's address, with a slash at its end, and the suite's canary, if any."""
        try:
            # Imported here: an extra brings it.
            package: Any = import_module("html_to_markdown")
        except ImportError as error:
            raise GeneratorError(
                "html-to-markdown is missing, which writes pages as Markdown: install the extra "
                "datasets (pip install 'convex-leaderboard[datasets]')"
            ) from error
        self._base = base
        self._canary = "" if canary is None else f" {canary}"
        self._convert = package.convert
        self._options = package.ConversionOptions(
            extract_metadata=False,
            compact_tables=True,
            skip_images=True,
            bullets="-",
            escape_misc=True,
            escape_asterisks=True,
            escape_underscores=True,
            # It would take switches between pages out, and forms.
            preprocessing=package.PreprocessingOptions(enabled=False),
        )

    def make_twin(self, path: str, page: bytes) -> bytes:
        """Return the twin of the page at a path below the site's root."""
        text = page.decode()
        main = text[text.find("<main") : text.rfind("</main>")]
        for tag, apart in _APART:
            main = main.replace(tag, apart)
        body: str = self._convert(f"{main}</main>", self._options).content
        address = self._base + path.removesuffix(PAGE)
        return f"{body.strip()}\n\n---\n\nThis page: <{address}>.{self._canary}\n".encode()


def write_page_twins(
    files: Sequence[RenderedFile], before: Cache, staging: Staging, site: SiteData
) -> list[RenderedFile]:
    """Write the twins of the pages among ``files`` that changed; return those of all pages."""
    writer = TwinWriter(site.settings.base, site.canary)
    pages = [file for file in files if file.path == PAGE or file.path.endswith(f"/{PAGE}")]

    def write_twin(file: RenderedFile) -> RenderedFile:
        path = file.path.removesuffix(PAGE) + TWIN
        return before.find_page(path, file.digest) or staging.put(
            path, writer.make_twin(file.path, staging.read(file)), file.digest
        )

    return list(share_out(write_twin, pages, runs=len(site.summaries.runs)))
