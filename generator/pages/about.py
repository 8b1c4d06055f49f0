"""The method page: a text in Markdown, and the results of audits of the graders."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from urllib.parse import urlsplit

from generator import site_links
from generator.exports.cards import build_badge_path, choose_badge_label
from generator.read.summaries import get_category_key
from generator.render.templates import PageContext, Row
from generator.scores.agreement import LEAST_UNITS
from generator.scores.differences.difference import compute_smallest_difference
from generator.site_data import SiteBasics, SiteData
from generator.tables.published_tables import TABLES
from records.suites.levels import Level
from records.text.markdown import render_prose


def build_about_page(site: SiteData) -> PageContext:
    """Return the method page."""
    repository = site.settings.repository
    base = f"{f'{repository}'.rstrip('/')}/blob/main/docs/" if repository else None
    method_prose = render_prose(site.method, base=base)
    proofs = [texts.calibration for texts in site.texts.values()]
    counts = Counter(site.levels.values())
    sizes = {"all": counts.total(), **{level: counts[level] for level in Level}}
    rates = [audit.errors for audit in site.audits if audit.errors.interval is not None]
    return PageContext(
        "pages/about.html",
        "Method",
        "about/",
        "How scores come about, and what they mean.",
        "about",
        heading=method_prose.title or "Method",
        body=method_prose.html,
        contents=[
            *(site_links.Link(f"#{audit.anchor}", audit.words) for audit in method_prose.sections),
            *([site_links.Link("#smallest", "The smallest difference")] if site.levels else []),
            *([] if site.only_imports else [site_links.Link("#audits", "Audits of the graders")]),
        ],
        # By level and number of runs; empty if the suite does not tell levels apart.
        smallest=[
            Row(
                level=level,
                evals=evals,
                differences=[compute_smallest_difference(evals, number) for number in _RUNS],
            )
            for level, evals in sizes.items()
            if evals
        ],
        runs=_RUNS,
        basics=site,
        needed=LEAST_UNITS,
        # Why a reader can trust the results.
        trust_facts=Row(
            evals=len(proofs),
            refused=sum(len(proof.failing) for proof in proofs),
            accepted=sum(len(proof.passing) for proof in proofs),
            answers=sum(len(run.kept) for run in site.summaries.runs if not run.baseline),
            errors=rates[0] if rates else None,
        ),
    )


_RUNS = (1, 3, 5)


def build_data_page(site: SiteData) -> PageContext:
    """Return the page of published data."""
    newest = (entry.newest for entry in site.newest_entries.values())
    run, base = next((run for run in newest if not run.baseline), None), site.settings.base
    return PageContext(
        "pages/data.html",
        "Data",
        "data/",
        "Every number of the site as JSON and CSV: tables, columns, licence, examples.",
        "data",
        tables=TABLES,
        downloads=[*_list_downloads(site)] if site.for_programs else [],
        # None without a run of a language model.
        badge=run
        and Row(
            name=run.name,
            label=choose_badge_label(site.settings, run),
            picture=base + build_badge_path(run.slug),
            page=base + site_links.build_model_path(run.slug),
            card=base + site_links.build_card_path(run.slug),
        ),
    )


_DOWNLOADS = (
    (site_links.ARCHIVE, "Everything below in one archive, without those of boards."),
    (site_links.MANIFEST, "Every file with its size and SHA-256."),
    (site_links.DICTIONARY, "Every column of every table, in words."),
    (site_links.CROISSANT, "The same for searches of datasets, by Croissant 1.1."),
    (site_links.build_parquet_path("runs"), "Runs, with settings, times, tokens and costs."),
    (
        site_links.build_parquet_path("attempts"),
        "Attempts, with verdicts, steps, tokens and costs.",
    ),
    (site_links.build_parquet_path("tests"), "Every test of every attempt."),
)


def _list_downloads(site: SiteData) -> Iterator[tuple[str, str]]:
    """Yield the files that hold all results, or describe those that do, each with its content."""
    yield from _DOWNLOADS
    published = [run for run in site.summaries.runs if not run.local]
    archived = {run.version for run in published if site_links.is_in_every_eval_ever(run)}
    boards = {run.version for run in published}
    for version in site.leaderboards:
        if version in boards:
            contents = f"{site.titles[version]}: records, answers and logs of all runs."
            yield site_links.build_board_path(version), contents
    for version in site.leaderboards:
        if version in archived:
            contents = f"{site.titles[version]}, for Every Eval Ever."
            yield site_links.build_every_eval_ever_path(version), contents


NAVIGATION = (
    ("", "Leaderboard", None),
    ("guidelines/", "Effect of the guidelines", "What the guidelines do"),
    ("matrix/", "Matrix", "Evals by models"),
    ("compare/", "Compare", "Compare"),
    ("evals/", "Evals", "Evals"),
    ("mistakes/", "What models get wrong", "What models get wrong"),
)
"""The pages of the navigation: path, title and heading; None takes the site's tagline."""


def build_empty_page(basics: SiteBasics, path: str, title: str, heading: str | None) -> PageContext:
    """Return the page for an address of the navigation while there is no benchmark version."""
    return PageContext(
        "pages/empty.html",
        title,
        path,
        "Nothing was measured yet.",
        path.rstrip("/") or "leaderboard",
        heading=heading or basics.settings.tagline,
        categories=[
            (key, [basics.link_eval(name) for name in names])
            for key, names in groupby(sorted(basics.texts), get_category_key)
        ]
        if path in {"", "evals/"}
        else [],
    )


def build_missing_page(base: str) -> PageContext:
    """Return the page for addresses without a page, of a site at the address ``base``.

    A host serves it at any depth, so its links begin with the path of the site.
    """
    return PageContext(
        "pages/missing.html",
        "Not found",
        "404.html",
        "There is no page at this address.",
        root=urlsplit(base).path,
        guidelines=False,
    )
