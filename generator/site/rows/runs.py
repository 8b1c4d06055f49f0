"""The rows of runs on a model's page: it may have hundreds."""

from collections.abc import Sequence

from generator.read.summaries import RunSummary
from generator.render.escaping import escaped, trusted
from generator.site.parts import RunLine
from generator.site.rows.eval_models import share_cell
from generator.site.run_lines import run_line
from generator.site.shared import SiteBasics


def run_rows(site: SiteBasics, root: str, runs: Sequence[RunSummary]) -> str:
    """Return a row for each of ``runs``."""
    return trusted("".join([_row(root, run_line(site, run)) for run in runs]))


def _row(root: str, run: RunLine) -> str:
    day = run.date.isoformat()
    version = escaped(f"{root}{run.version_href}" or "./")
    reports = ", ".join(
        [f'<a href="{root}{escaped(one.href)}">{escaped(one.label)}</a>' for one in run.reports]
    )
    return (
        f'<tr>\n<th scope="row"><a href="{root}{run.href}"><time datetime="{day}">{day}</time>'
        f" <code>{run.run_id[:8]}</code></a>{_origin(run)}</th>\n"
        f"<td>{escaped(run.experiment)}</td>\n"
        f'<td><a href="{version}">{escaped(run.version_title)}</a></td>\n{share_cell(run.score)}\n'
        f'<td class="num">{run.unjudged or ""}</td>\n'
        f'<td class="text">{run.status}{_afterwards(run)}</td>\n<td>{reports}</td>\n</tr>\n'
    )


def _origin(run: RunLine) -> str:
    local = ' <span class="tag">local</span>' if run.local else ""
    if run.source is None:
        return local
    return f'{local} <span class="tag" title="Published at {escaped(run.source)}">imported</span>'


def _afterwards(run: RunLine) -> str:
    """Say what became of a run."""
    told = ' <span class="tag warn">withdrawn</span>' if run.withdrawn is not None else ""
    notes = [escaped(run.withdrawn)] if run.withdrawn is not None else []
    if run.corrected_passed is not None:
        notes.append(f"{run.corrected_passed} passed under mended graders")
    notes += [escaped(one) for one in run.regraded]
    return f'{told} <span class="note">{"; ".join(notes)}</span>' if notes else told
