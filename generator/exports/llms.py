"""`llms.txt`: an overview of the site for language models, as llmstxt.org describes it."""

from collections.abc import Collection, Iterable
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
    settings = site.settings
    ending = TWIN if for_programs else ""

    def format_section(title: str, links: Iterable[tuple[str, str, str]]) -> list[str]:
        listed = [
            f"- [{_replace_brackets(name)}]({settings.base}{path}{ending}): {about}"
            for path, name, about in links
            if path in pages
        ]
        return [f"## {title}\n", *listed, ""] if listed else []

    versions = [
        (build_version_path(version), site.find_version_title(version), "its leaderboard")
        for version in site.leaderboards
    ]
    models = [
        (build_model_path(slug), runs[0].name, f"by {_replace_brackets(runs[0].provider)}")
        for slug, runs in site.by_model.items()
    ]
    lines = [
        *(f"# {settings.title}", "", f"> {settings.tagline}", "", _HEAD, ""),
        *((_TWINS, "") if for_programs else ()),
        *format_section("Results", _PAGES),
        *format_section("Leaderboards by benchmark version", versions),
        *format_section("Method", _METHOD),
        "## Data\n",
        f"- [Tables]({settings.base}api/v1/index.json): every table as JSON and CSV, with schemas",
    ]
    if "data/" in pages:
        page = f"{settings.base}data/{ending}"
        lines.append(f"- [Data]({page}): each column in words, licence, citation")
    if for_programs:
        downloads = f"{settings.base}downloads/"
        lines += [
            f"- [Manifest]({downloads}manifest.json): all results as files, with checksums",
            f"- [Dictionary]({downloads}data-dictionary.json): every column of every file",
        ]
    return "\n".join([*lines, "", *format_section("Optional", models), ""]).encode()


def _replace_brackets(text: str) -> str:
    """Return a name that cannot end the text of a link."""
    return text.replace("[", "(").replace("]", ")")
