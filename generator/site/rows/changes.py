"""The rows of the log of changes: at least one for each run."""

from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from generator.read.summaries import RunSummary
from generator.render.escaping import escaped, trusted
from generator.site.data import SiteData
from generator.site.labels import experiment
from generator.site.parts import run_share
from generator.site.run_lines import regraded_words, regradings
from generator.site.urls import model_path, run_path


def change_rows(site: SiteData, root: str) -> str:
    """Return what was added, graded again, corrected or withdrawn, newest first."""
    titles = site.titles
    rows = [
        row
        for run in site.summaries.runs
        for row in _of_run(root, run, titles.get(run.version, run.version))
    ]
    rows.sort(key=lambda row: row[0], reverse=True)
    return trusted("".join([html for _, html in rows]))


@lru_cache(maxsize=1 << 14)
def _of_run(root: str, run: RunSummary, version: str) -> list[tuple[date, str]]:
    """Return days and rows of what happened to a run: once while a preview goes on."""
    return list(_told(root, run, version))


def _told(root: str, run: RunSummary, version: str) -> Iterator[tuple[date, str]]:
    about = (
        f'<td class="model"><a href="{root}{escaped(model_path(run.slug))}">'
        f"{escaped(run.name)}</a></td>"
        f'<td><a href="{root}{run_path(run.run_id)}"><code>{run.run_id[:8]}</code></a></td>'
    )
    if run.withdrawn is not None:
        yield _row(run.date, "withdrawn", about, run.withdrawn)
    if run.corrected_passed is not None:
        text = f"Its publisher counts {run.corrected_passed} passes after mending graders."
        yield _row(run.date, "corrected", about, text)
    for day, replaced in regradings(run):
        yield _row(day, "re-graded", about, regraded_words(replaced))
    found = run_share(run)
    score = f"{found.passes} of {found.judged} passed" if found else "nothing judged"
    origin = " Published elsewhere." if run.source else ""
    words = f"{experiment(run.experiment)}, {version}"
    yield _row(run.date, "added", about, f"{words}: {score}.{origin}")


def _row(day: date, kind: str, about: str, text: str) -> tuple[date, str]:
    told = day.isoformat()
    return day, (
        f'<tr><th scope="row"><time datetime="{told}">{told}</time></th>'
        f'<td><span class="tag change {kind}">{kind}</span></td>{about}'
        f'<td class="text">{escaped(text)}</td></tr>\n'
    )
