"""The files that list pages: sitemap, feed, search index, redirects, overview for models."""

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date

from pydantic_core import to_json

from generator import site_links
from generator.blocks.attributions import count_classes, format_report_title
from generator.blocks.shares import compute_run_share
from generator.read.site_settings import SiteSettings
from generator.read.summaries import RunSummary
from generator.render.template_filters import format_whole_percent
from generator.site_data import SiteData
from records.files.data_folder import encode_slug
from records.grouping import group_values
from records.suites.experiments import is_of_a_trial
from records.text.markdown import render_prose
from records.text.numbers import format_count
from records.text.run_days import describe_dated_run, describe_day
from records.text.visible import make_visible


def make_sitemap(settings: SiteSettings, pages: Iterable[str]) -> bytes:
    """Return the sitemap with the full addresses of ``pages``."""
    root = ET.Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    for path in sorted(pages):
        ET.SubElement(ET.SubElement(root, "url"), "loc").text = settings.base + path
    return encode_xml(root)


def encode_xml(root: ET.Element) -> bytes:
    """Return an XML document, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


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


def make_feed(site: SiteData) -> bytes:
    """Return the newest runs, reports and models of the boards as an Atom feed."""
    settings = site.settings
    # Runs of a trial of the guidelines are left out, because one trial would fill the feed.
    entries: list[tuple[date, str, str, str]] = []
    for filed, run in site.reported_runs:
        if not (filed.local or run.local):
            title = f"Report: {format_report_title(filed, run.name)}"
            numbers = count_classes([filed]).items()
            classes = ", ".join(f"{number} {label}" for label, number in numbers)
            counts = format_count(len(filed.report.failures), "failure")
            counts += f" ({classes})" if classes else ""
            where = f"in the {describe_dated_run(run.head)}, by {filed.report.author}"
            summary = f"{counts} {where}.{_describe_failures(site, run)}"
            entries.append((filed.report.date, site_links.build_filed_path(filed), title, summary))
    for run in site.summaries.runs:
        if not run.local and not run.baseline and not is_of_a_trial(run.experiment):
            share, version = compute_run_share(run), site.find_version_title(run.version)
            counts = f"{share.passes} of {share.judged} evals passed" if share else "nothing judged"
            title = f"{run.name}, {site_links.describe_run_condition(run)}"
            summary = f"{counts}; {version}.{_describe_failures(site, run)}"
            entries.append((run.date, site_links.build_run_path(run.run_id), title, summary))
    rows = group_values(
        (entry.newest.slug, entry)
        for leaderboard in site.leaderboards.values()
        for entry in leaderboard.select_models()
        if not any(run.local for run in entry.runs)
    )
    for slug, (entry, *_) in rows.items():
        score, newest = entry.row.score, entry.newest
        day = min(run.date for run in site.by_model[slug] if not run.local)
        title = f"New on the board: {newest.name}"
        summary = (
            f"by {newest.provider}: {format_whole_percent(100 * score.value)}% of"
            f" {format_count(score.evals, 'eval')} passed"
            f" {site_links.describe_run_condition(newest)};"
            f" {site.find_version_title(newest.version)}."
        )
        entries.append((day, site_links.build_model_path(slug), title, summary))
    entries = sorted(entries, reverse=True)[:_MOST_IN_FEED]
    newest = entries[0][0] if entries else date(1970, 1, 1)
    root = ET.Element("feed", xmlns="http://www.w3.org/2005/Atom")
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


def list_redirects(site: SiteData) -> Iterator[tuple[str, str, int]]:
    """Yield the redirects of former addresses: old address, new address, HTTP status.

    A rule is used only if there is no file at an address.
    """
    if site.front is not None:
        # The pages of the front version have these addresses while another version is on the front.
        yield f"{site_links.build_version_path(site.front)}*", ":splat", 302
    # Addresses that a reader gets by shortening the address of a page.
    yield "runs/", "changes/", 302
    yield "categories/", "", 302
    for category in sorted({name.partition("/")[0] for name in site.evals}):
        yield f"evals/{category}/", "evals/", 302
    # Each attempt had a page of its own; now it has a section of its category's page.
    for run in site.summaries.runs:
        if run.artifact is not None and run.kept:
            old = f"runs/{run.run_id}/:category/:eval/"
            new = site_links.build_attempts_path(run.run_id, ":category")
            yield old, f"{new}#:eval/", 302
            yield f"{old}:sample/", f"{new}#:eval/:sample/", 302
    yield "runs/:run/answers.json", site_links.build_run_path(":run"), 302
    # An attempt whose archive is missing has no section; its run's page has a row of it.
    yield "runs/:run/:category/*", site_links.build_run_path(":run"), 302
    # A pair of runs loses its page when its second run is no longer the newest of its model.
    yield "diff/:before/:after/*", site_links.build_run_path(":after"), 302
    for slug, entry in sorted(site.summaries.registry.items()):
        for old in entry.former_slugs:
            yield from _list_model_rules(encode_slug(old), encode_slug(slug))
    for slug in sorted({*site.summaries.registry, *site.by_model}):
        # Earlier programs only replaced the colon in paths.
        if (old := slug.replace(":", "~")) != encode_slug(slug):
            yield from _list_model_rules(old, encode_slug(slug))


def _list_model_rules(old: str, new: str) -> Iterator[tuple[str, str, int]]:
    """Yield the rules for the addresses of a model; ``old`` and ``new`` are paths of slugs."""
    yield f"models/{old}/", f"models/{new}/", 301
    yield f"reports/{old}/*", f"reports/{new}/:splat", 301
    yield f"badges/{old}.svg", f"badges/{new}.svg", 301
    yield f"cards/{old}.png", f"cards/{new}.png", 301
