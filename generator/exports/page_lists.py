"""The files that list pages: sitemap, feed, search index, overview for language models."""

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from pydantic_core import to_json

from generator import site_links
from generator.blocks.attributions import count_classes, format_report_title
from generator.blocks.shares import compute_run_share
from generator.read.site_settings import SiteSettings
from generator.read.summaries import FiledReport, RunSummary
from generator.render.template_filters import format_whole_percent
from generator.scores.leaderboards import Entry
from generator.site_data import SiteData
from records.suites.experiments import is_of_a_trial
from records.text.markdown import render_prose
from records.text.numbers import format_count
from records.text.run_days import describe_dated_run, describe_day
from records.text.visible import make_visible

_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def make_sitemap(settings: SiteSettings, pages: Iterable[str]) -> bytes:
    """Return the sitemap with the full addresses of ``pages``."""
    root = ET.Element("urlset", xmlns=_NAMESPACE)
    for path in sorted(pages):
        ET.SubElement(ET.SubElement(root, "url"), "loc").text = settings.base + path
    return encode_xml(root)


def make_robots(settings: SiteSettings) -> bytes:
    """Return `robots.txt`, which allows all pages and names the sitemap."""
    return f"User-agent: *\nAllow: /\nSitemap: {settings.base}sitemap.xml\n".encode()


def encode_xml(root: ET.Element) -> bytes:
    """Return an XML document, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


LLMS = "llms.txt"
"""Where it stands."""

_PAGES = (
    ("", "Leaderboard", "models by score, with the range of each score, and who leads in words"),
    ("models/", "Models", "every model, with its runs"),
    ("evals/", "Evals", "every task, and how hard it is"),
    ("mistakes/", "What models get wrong", "the most common mistakes, each with an answer"),
    ("matrix/", "Matrix", "every model at every eval"),
    ("guidelines/", "Effect of the guidelines", "scores with them and without"),
    ("changes/", "Changes", "new runs, corrections and withdrawals, newest first"),
    ("benchmarks/", "Benchmark versions", "within which scores are comparable"),
)
_METHOD = (
    ("about/", "Method", "how an answer is graded, and every formula"),
    (site_links.GUIDELINES_TEXT, "Guidelines", "the text that models are sent"),
    ("errata/", "Errata", "graders that were mended, and the verdicts by them"),
    ("reports/", "Reports", "why attempts failed, by people who looked"),
)
_HEAD = (
    "Scores of different benchmark versions are not comparable. Whether two models of one version"
    " differ is decided eval by eval and said on the pages; ranges that overlap do not tell it."
    " Unknown values are empty or null, never 0. An attempt that a fault of the provider or the"
    " machinery spoiled is no failure of the model."
)
_TWINS = (
    "Each page is Markdown, too: put `index.html.md` behind its address. The links below lead"
    " there."
)


def make_llms_text(site: SiteData, pages: Collection[str]) -> bytes:
    """Return the overview of those ``pages`` that there are, by their paths."""
    settings = site.settings
    ending = site_links.TWIN if site.for_programs else ""

    def format_section(title: str, links: Iterable[tuple[str, str, str]]) -> list[str]:
        listed = [
            f"- [{_replace_brackets(name)}]({settings.base}{path}{ending}): {about}"
            for path, name, about in links
            if path in pages
        ]
        return [f"## {title}\n", *listed, ""] if listed else []

    versions = [
        (
            site_links.build_version_path(version),
            site.find_version_title(version),
            "its leaderboard",
        )
        for version in site.leaderboards
    ]
    models = [
        (
            site_links.build_model_path(slug),
            runs[0].name,
            f"by {_replace_brackets(runs[0].provider)}",
        )
        for slug, runs in site.by_model.items()
    ]
    lines = [
        *(f"# {settings.title}", "", f"> {settings.tagline}", "", _HEAD, ""),
        *((_TWINS, "") if site.for_programs else ()),
        *format_section("Results", _PAGES),
        *format_section("Leaderboards by benchmark version", versions),
        *format_section("Method", _METHOD),
        "## Data\n",
        f"- [Tables]({settings.base}api/v1/index.json): every table as JSON and CSV, with schemas",
    ]
    if "data/" in pages:
        page = f"{settings.base}data/{ending}"
        lines.append(f"- [Data]({page}): each column in words, licence, citation")
    if site.for_programs:
        downloads = f"{settings.base}downloads/"
        lines += [
            f"- [Manifest]({downloads}manifest.json): all results as files, with checksums",
            f"- [Dictionary]({downloads}data-dictionary.json): every column of every file",
        ]
    return "\n".join([*lines, "", *format_section("Optional", models), ""]).encode()


def _replace_brackets(text: str) -> str:
    """Return a name that cannot end the text of a link."""
    return text.replace("[", "(").replace("]", ")")


_MOST_IN_FEED = 50
_MOST_FAILURES = 3
"""The failed evals of a run that its entry in the feed tells."""
_ATOM = "http://www.w3.org/2005/Atom"


def make_feed(site: SiteData) -> bytes:
    """Return the newest runs, reports and models of the boards as an Atom feed."""
    settings = site.settings
    entries = _list_feed_entries(site)
    newest = entries[0][0] if entries else date(1970, 1, 1)
    root = ET.Element("feed", xmlns=_ATOM)
    _add_text(root, "title", settings.title)
    _add_text(root, "subtitle", settings.tagline)
    _add_text(root, "id", settings.base)
    _add_text(root, "updated", _format_moment(newest))
    ET.SubElement(root, "link", rel="self", href=settings.base + "feed.xml")
    ET.SubElement(root, "link", rel="alternate", href=settings.base)
    _add_text(ET.SubElement(root, "author"), "name", settings.title)
    for day, path, title, summary in entries:
        element = ET.SubElement(root, "entry")
        _add_text(element, "title", make_visible(title))
        _add_text(element, "id", settings.base + path)
        _add_text(element, "updated", _format_moment(day))
        ET.SubElement(element, "link", href=settings.base + path)
        _add_text(element, "summary", make_visible(summary))
    return encode_xml(root)


def _list_feed_entries(site: SiteData) -> list[tuple[date, str, str, str]]:
    """Return day, path, title and summary of published runs, reports and models, the newest first.

    Runs of a trial of the guidelines are left out, because one trial would fill the feed.
    """
    entries = [
        (
            filed.report.date,
            site_links.build_filed_path(filed),
            f"Report: {format_report_title(filed, run.name)}",
            (
                f"{_count_classes(filed)} in the {describe_dated_run(run.head)}, by"
                f" {filed.report.author}.{_describe_failures(site, run)}"
            ),
        )
        for filed, run in site.reported_runs
        if not (filed.local or run.local)
    ]
    for run in site.summaries.runs:
        if not run.local and not run.baseline and not is_of_a_trial(run.experiment):
            share, version = compute_run_share(run), site.find_version_title(run.version)
            counts = f"{share.passes} of {share.judged} evals passed" if share else "nothing judged"
            title = f"{run.name}, {site_links.describe_run_condition(run)}"
            summary = f"{counts}; {version}.{_describe_failures(site, run)}"
            entries.append((run.date, site_links.build_run_path(run.run_id), title, summary))
    for slug, (day, entry) in _find_first_days(site).items():
        score, version = entry.row.score, site.find_version_title(entry.newest.version)
        entries.append(
            (
                day,
                site_links.build_model_path(slug),
                f"New on the board: {entry.newest.name}",
                (
                    f"by {entry.newest.provider}: {format_whole_percent(100 * score.value)}% of"
                    f" {format_count(score.evals, 'eval')} passed"
                    f" {site_links.describe_run_condition(entry.newest)}; {version}."
                ),
            )
        )
    return sorted(entries, reverse=True)[:_MOST_IN_FEED]


def _find_first_days(site: SiteData) -> dict[str, tuple[date, Entry]]:
    """Return the day of the first published run of each model with a row, and its newest row."""
    newest: dict[str, Entry] = {}
    for leaderboard in site.leaderboards.values():
        for entry in leaderboard.select_models():
            if not any(run.local for run in entry.runs):
                newest.setdefault(entry.newest.slug, entry)
    return {
        slug: (min(run.date for run in site.by_model[slug] if not run.local), entry)
        for slug, entry in newest.items()
    }


def _count_classes(filed: FiledReport) -> str:
    """Return the number of failures of a report, in all and by class."""
    failures = format_count(len(filed.report.failures), "failure")
    classes = ", ".join(f"{number} {label}" for label, number in count_classes([filed]).items())
    return f"{failures} ({classes})" if classes else failures


def _describe_failures(site: SiteData, run: RunSummary) -> str:
    """Return sentences on the first failed evals of a run and why they failed; empty for none."""
    failed = [(name, attempts[0].words) for name, attempts in run.failures.items() if attempts]
    if not failed:
        return ""
    failures_text = "; ".join(
        f"{site.find_eval_title(name)}: {words or 'the reason is not known'}"
        for name, words in failed[:_MOST_FAILURES]
    )
    further = len(failed) - _MOST_FAILURES
    further_text = f"; and {format_count(further, 'more eval')}." if further > 0 else ""
    return f" Failed: {failures_text}{further_text}"


def _add_text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _format_moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"


SEARCH = "search.json"
"""The file's path below the site's root."""

Found = Sequence[str]
"""An entry: its name, further words to find and recognize it, its address below the root, and maybe
words only to find it.

A run has no address here, because the script makes it from the run's id, which is its name."""

_SEARCHED_PAGES: Sequence[Found] = (
    ("Guidelines", "what they do, ablations", "guidelines/"),
    ("Matrix", "evals by models", "matrix/"),
    ("Compare", "models against one another", "compare/"),
    ("Evals", "what is hard, what is solved", "evals/"),
    ("What models get wrong", "mistakes, failures", "mistakes/"),
    ("Models", "settings, days of release, prices, open weights", "models/"),
    ("Reports", "why models fail", "reports/"),
    ("Changes", "what is new", "changes/"),
    ("Errata", "what was graded again", "errata/"),
    ("Benchmark versions", "what differs", "benchmarks/"),
    ("Data", "JSON, CSV, licence", "data/"),
)
"""The entries of the pages that every site has."""


def make_search_index(site: SiteData) -> bytes:
    """Return all entries as JSON, by kind, in the order in which the search box offers them."""
    by_kind: dict[str, Sequence[Found]] = {
        "Page": _SEARCHED_PAGES if site.settings.guidelines else _SEARCHED_PAGES[1:],
        "Model": [
            (runs[0].name, f"{runs[0].provider} {slug}", site_links.build_model_path(slug))
            for slug, runs in sorted(site.by_model.items())
        ],
        # Those of the version on the front page.
        "Category": [
            (site_links.label_category(key), key, f"categories/{key}/")
            for key in (site.front_board.list_categories() if site.front_board else ())
        ],
        "Method": [
            (each.words, "", f"about/#{each.anchor}") for each in render_prose(site.method).sections
        ],
        "Eval": [
            (link.title, ", ".join((link.name, *subjects)), link.href, concept)
            for link in map(site.link_eval, sorted(site.evals))
            for texts in (site.texts.get(link.name),)
            for subjects in ([slug.replace("-", " ") for slug in site.list_subjects(link.name)],)
            for concept in ((texts and texts.concept) or "",)
        ],
        "Report": [
            (
                format_report_title(filed, run.name),
                f"{run.name}, {filed.report.date}",
                site_links.build_filed_path(filed),
            )
            for filed, run in site.reported_runs
        ],
        # Only the list of all models has these.
        "Not measured yet": [
            (model.name, f"{model.provider} {slug}", f"models/?filter={slug}")
            for slug in sorted(site.slugs - site.by_model.keys())
            for model in (site.summaries.registry[slug],)
        ],
        "Run": [
            (
                run.run_id,
                f"{run.name}, {site_links.describe_run_condition(run)}, {describe_day(run.head)}",
            )
            for run in site.summaries.runs
        ],
    }
    visible_entries = {
        kind: [[*map(make_visible, each)] for each in every] for kind, every in by_kind.items()
    }
    return to_json(visible_entries)
