"""The feed: new runs and reports, newest first (Atom, RFC 4287)."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final

from generator.exports.sitemap import encode_xml
from generator.facts.report_links import format_report_title
from generator.facts.shares import compute_run_share
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition
from generator.facts.urls import build_filed_path, build_run_path
from generator.read.summaries import FiledReport, RunSummary
from records.suites.experiments import is_of_a_trial
from records.text.numbers import format_count
from records.text.run_days import describe_dated_run
from records.text.visible import make_visible

ENTRIES: Final = 50
_NAMESPACE: Final = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class _Entry:
    day: date
    path: str
    title: str
    summary: str


def make_feed(site: SiteData) -> bytes:
    """Return the newest runs and reports as an Atom feed."""
    settings = site.settings
    entries = [_build_entry(site, item) for item in list_feed_items(site)]
    root = ET.Element("feed", xmlns=_NAMESPACE)
    _add_text(root, "title", settings.title)
    _add_text(root, "subtitle", settings.tagline)
    _add_text(root, "id", settings.base)
    _add_text(root, "updated", _format_moment(entries[0].day if entries else date(1970, 1, 1)))
    ET.SubElement(root, "link", rel="self", href=settings.base + "feed.xml")
    ET.SubElement(root, "link", rel="alternate", href=settings.base)
    _add_text(ET.SubElement(root, "author"), "name", settings.title)
    for entry in entries:
        element = ET.SubElement(root, "entry")
        _add_text(element, "title", entry.title)
        _add_text(element, "id", settings.base + entry.path)
        _add_text(element, "updated", _format_moment(entry.day))
        ET.SubElement(element, "link", href=settings.base + entry.path)
        _add_text(element, "summary", entry.summary)
    return encode_xml(root)


def list_feed_items(site: SiteData) -> list[RunSummary | FiledReport]:
    """Return the published runs and reports of the feed, newest first, at most `ENTRIES`.

    Runs of a trial of the guidelines are left out, because one trial would fill the feed.
    """
    runs = (
        run
        for run in site.summaries.runs
        if not run.local and not run.baseline and not is_of_a_trial(run.experiment)
    )
    reports = (
        filed
        for filed in site.summaries.reports
        if not filed.local
        and (run := site.runs.get(filed.report.run)) is not None
        and not run.local
    )
    # Both are sorted newest first, so the newest of all are among the first of each.
    entries: list[RunSummary | FiledReport] = [*islice(runs, ENTRIES), *islice(reports, ENTRIES)]
    return sorted(entries, key=_get_day_and_path, reverse=True)[:ENTRIES]


def _get_day_and_path(item: RunSummary | FiledReport) -> tuple[date, str]:
    if isinstance(item, RunSummary):
        return item.date, build_run_path(item.run_id)
    return item.report.date, build_filed_path(item)


def _build_entry(site: SiteData, item: RunSummary | FiledReport) -> _Entry:
    day, path = _get_day_and_path(item)
    if isinstance(item, FiledReport):
        run = site.runs[item.report.run]
        listed = format_count(len(item.report.failures), "failure")
        counts = f"{listed} of the {describe_dated_run(run)}, by {item.report.author}"
        return _Entry(
            day,
            path,
            make_visible(f"Report: {format_report_title(item, run.name)}"),
            make_visible(counts),
        )
    counted = compute_run_share(item)
    counts = f"{counted.passes} of {counted.judged} evals passed" if counted else "nothing judged"
    return _Entry(
        day=day,
        path=path,
        title=make_visible(f"{item.name}, {describe_run_condition(item)}"),
        summary=make_visible(f"{counts}; {site.find_version_title(item.version)}"),
    )


def _add_text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _format_moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
