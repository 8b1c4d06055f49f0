"""`llms.txt`: an overview of the site for language models, as llmstxt.org describes it."""

from collections.abc import Collection, Iterator
from typing import Final

from generator.facts.site_data import SiteData
from generator.facts.urls import GUIDELINES_TEXT, TWIN, build_model_path, build_version_path

LLMS: Final = "llms.txt"
"""Where it stands."""

_PAGES: Final = (
    ("", "Leaderboard", "models by score, with the range of each score, and who leads in words"),
    ("models/", "Models", "every model, with its runs"),
    ("evals/", "Evals", "every task, and how hard it is"),
    ("matrix/", "Matrix", "every model at every eval"),
    ("guidelines/", "Effect of the guidelines", "scores with them and without"),
    ("changes/", "Changes", "new runs, corrections and withdrawals, newest first"),
    ("benchmarks/", "Benchmark versions", "within which scores are comparable"),
)
_METHOD: Final = (
    ("about/", "Method", "how an answer is graded, and every formula"),
    (GUIDELINES_TEXT, "Guidelines", "the text that models are sent"),
    ("errata/", "Errata", "graders that were mended, and the verdicts by them"),
    ("reports/", "Reports", "why attempts failed, by people who looked"),
)
_HEAD: Final = (
    "Scores of different benchmark versions are not comparable. Whether two models of one version"
    " differ is decided eval by eval and said on the pages; ranges that overlap do not tell it."
    " Unknown values are empty or null, never 0. An attempt that a fault of the provider or the"
    " machinery spoiled is no failure of the model."
)
_TWINS: Final = (
    "Each page is Markdown, too: put `index.html.md` behind its address. The links below lead"
    " there."
)


def make_llms_text(site: SiteData, pages: Collection[str], *, for_programs: bool) -> bytes:
    """Return the overview of those ``pages`` that there are, by their paths.

    ``for_programs`` says that the site has a snapshot, and each page as Markdown.
    """
    overview = _Overview(site, pages, for_programs=for_programs)
    return ("\n".join(overview.format_lines()) + "\n").encode()


class _Overview:
    """Writes the overview."""

    def __init__(self, site: SiteData, pages: Collection[str], *, for_programs: bool) -> None:
        self._site = site
        self._pages = pages
        self._for_programs = for_programs

    def format_lines(self) -> Iterator[str]:
        """Yield the lines."""
        settings, site = self._site.settings, self._site
        yield from (f"# {settings.title}", "", f"> {settings.tagline}", "", _HEAD, "")
        if self._for_programs:
            yield from (_TWINS, "")
        yield from self._format_section("Results", _PAGES)
        versions = [
            (
                build_version_path(version),
                _replace_brackets(site.find_version_title(version)),
                "its leaderboard",
            )
            for version in site.leaderboards
        ]
        yield from self._format_section("Leaderboards by benchmark version", versions)
        yield from self._format_section("Method", _METHOD)
        yield "## Data\n"
        yield from self._format_data()
        yield ""
        models = [
            (
                build_model_path(slug),
                _replace_brackets(runs[0].name),
                f"by {_replace_brackets(runs[0].provider)}",
            )
            for slug, runs in site.by_model.items()
        ]
        yield from self._format_section("Optional", models)

    def _format_section(self, title: str, links: Collection[tuple[str, str, str]]) -> Iterator[str]:
        listed = [link for link in links if link[0] in self._pages]
        if not listed:
            return
        yield f"## {title}\n"
        for path, name, about in listed:
            yield f"- [{name}]({self._build_href(path)}): {about}"
        yield ""

    def _build_href(self, path: str) -> str:
        return self._site.settings.base + path + (TWIN if self._for_programs else "")

    def _format_data(self) -> Iterator[str]:
        address = self._site.settings.base
        yield f"- [Tables]({address}api/v1/index.json): every table as JSON and CSV, with schemas"
        if "data/" in self._pages:
            yield f"- [Data]({self._build_href('data/')}): each column in words, licence, citation"
        if self._for_programs:
            downloads = f"{address}downloads/"
            yield f"- [Manifest]({downloads}manifest.json): all results as files, with checksums"
            yield f"- [Dictionary]({downloads}data-dictionary.json): every column of every file"


def _replace_brackets(text: str) -> str:
    """Return a name that cannot end the text of a link."""
    return text.replace("[", "(").replace("]", ")")
