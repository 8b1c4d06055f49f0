"""The files of reference answers as JSON, which scripts of pages show beside other answers."""

from collections.abc import Iterator

from generator.facts.site_data import SiteData
from generator.facts.urls import build_reference_path
from generator.read.summaries import format_compact_json
from records.text.visible import make_visible


def make_reference_files(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Yield a path and a JSON file for each eval, with the files of its reference answer."""
    for name, texts in site.texts.items():
        if texts.reference:
            files = {
                make_visible(path): make_visible(text) for path, text in texts.reference.items()
            }
            yield build_reference_path(name), format_compact_json(files).encode()
