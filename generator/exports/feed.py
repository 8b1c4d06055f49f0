"""The feed: new runs and reports, newest first (Atom, RFC 4287)."""

import xml.etree.ElementTree as ET
from datetime import date
from itertools import islice
from typing import Final

from generator.exports.page_lists import encode_xml
from generator.facts.attributions import format_report_title
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


def make_feed(site: SiteData) -> bytes:
    """Return the newest runs and reports as an Atom feed."""
    settings = site.settings
    items = list_feed_items(site)
    newest = _get_day_and_path(items[0])[0] if items else date(1970, 1, 1)
    root = ET.Element("feed", xmlns=_NAMESPACE)
    _add_text(root, "title", settings.title)
    _add_text(root, "subtitle", settings.tagline)
    _add_text(root, "id", settings.base)
    _add_text(root, "updated", _format_moment(newest))
    ET.SubElement(root, "link", rel="self", href=settings.base + "feed.xml")
    ET.SubElement(root, "link", rel="alternate", href=settings.base)
    _add_text(ET.SubElement(root, "author"), "name", settings.title)
    for item in items:
        day, path = _get_day_and_path(item)
        title, summary = _describe_item(site, item)
        element = ET.SubElement(root, "entry")
        _add_text(element, "title", make_visible(title))
        _add_text(element, "id", settings.base + path)
        _add_text(element, "updated", _format_moment(day))
        ET.SubElement(element, "link", href=settings.base + path)
        _add_text(element, "summary", make_visible(summary))
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
    reports = (filed for filed, run in site.reported_runs if not (filed.local or run.local))
    # Both are sorted newest first, so the newest of all are among the first of each.
    entries: list[RunSummary | FiledReport] = [*islice(runs, ENTRIES), *islice(reports, ENTRIES)]
    return sorted(entries, key=_get_day_and_path, reverse=True)[:ENTRIES]


def _get_day_and_path(item: RunSummary | FiledReport) -> tuple[date, str]:
    if isinstance(item, RunSummary):
        return item.date, build_run_path(item.run_id)
    return item.report.date, build_filed_path(item)


def _describe_item(site: SiteData, item: RunSummary | FiledReport) -> tuple[str, str]:
    """Return the title and the summary of a run or report."""
    if isinstance(item, FiledReport):
        run = site.runs[item.report.run]
        listed = format_count(len(item.report.failures), "failure")
        counts = f"{listed} of the {describe_dated_run(run)}, by {item.report.author}"
        return f"Report: {format_report_title(item, run.name)}", counts
    counted = compute_run_share(item)
    counts = f"{counted.passes} of {counted.judged} evals passed" if counted else "nothing judged"
    title = f"{item.name}, {describe_run_condition(item)}"
    return title, f"{counts}; {site.find_version_title(item.version)}"


def _add_text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _format_moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
