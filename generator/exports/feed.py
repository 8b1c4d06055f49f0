"""The feed: new runs and reports, newest first (Atom, RFC 4287)."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final

from generator.exports.sitemap import xml_bytes
from generator.facts.report_links import report_title
from generator.facts.shares import run_share
from generator.facts.site_data import SiteData
from generator.facts.titles import condition_of
from generator.facts.urls import filed_path, run_path
from generator.read.summaries import FiledReport, RunSummary
from records.suites.experiments import of_a_trial
from records.text.numbers import format_count
from records.text.run_days import run_words
from records.text.visible import visible

ENTRIES: Final = 50
_NAMESPACE: Final = "http://www.w3.org/2005/Atom"


@dataclass(frozen=True, slots=True)
class _Entry:
    day: date
    path: str
    title: str
    summary: str


def feed(site: SiteData) -> bytes:
    """Return the newest runs and reports as an Atom feed."""
    settings = site.settings
    entries = [_entry(site, item) for item in feed_items(site)]
    root = ET.Element("feed", xmlns=_NAMESPACE)
    _text(root, "title", settings.title)
    _text(root, "subtitle", settings.tagline)
    _text(root, "id", settings.base)
    _text(root, "updated", _moment(entries[0].day if entries else date(1970, 1, 1)))
    ET.SubElement(root, "link", rel="self", href=settings.base + "feed.xml")
    ET.SubElement(root, "link", rel="alternate", href=settings.base)
    _text(ET.SubElement(root, "author"), "name", settings.title)
    for entry in entries:
        element = ET.SubElement(root, "entry")
        _text(element, "title", entry.title)
        _text(element, "id", settings.base + entry.path)
        _text(element, "updated", _moment(entry.day))
        ET.SubElement(element, "link", href=settings.base + entry.path)
        _text(element, "summary", entry.summary)
    return xml_bytes(root)


def feed_items(site: SiteData) -> list[RunSummary | FiledReport]:
    """Return the published runs and reports of the feed, newest first, at most `ENTRIES`.

    Runs of a trial of the guidelines are left out, because one trial would fill the feed.
    """
    runs = (
        run
        for run in site.summaries.runs
        if not run.local and not run.baseline and not of_a_trial(run.experiment)
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
    return sorted(entries, key=_place, reverse=True)[:ENTRIES]


def _place(item: RunSummary | FiledReport) -> tuple[date, str]:
    if isinstance(item, RunSummary):
        return item.date, run_path(item.run_id)
    return item.report.date, filed_path(item)


def _entry(site: SiteData, item: RunSummary | FiledReport) -> _Entry:
    day, path = _place(item)
    if isinstance(item, FiledReport):
        run = site.runs[item.report.run]
        listed = format_count(len(item.report.failures), "failure")
        counts = f"{listed} of the {run_words(run)}, by {item.report.author}"
        return _Entry(
            day, path, visible(f"Report: {report_title(item, run.name)}"), visible(counts)
        )
    counted = run_share(item)
    counts = f"{counted.passes} of {counted.judged} evals passed" if counted else "nothing judged"
    return _Entry(
        day=day,
        path=path,
        title=visible(f"{item.name}, {condition_of(item)}"),
        summary=visible(f"{counts}; {site.version_title(item.version)}"),
    )


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
