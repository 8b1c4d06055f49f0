"""The lines on an eval's page that tell what reports say of failures there."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from generator.contexts.shared import Blame
from generator.corpus import FiledReport, RunSummary
from generator.escaping import escaped, trusted
from generator.pages.lines import blame_of_any, blames, filed_path, report_title
from generator.pages.material import Material
from generator.pages.names import model_path


class Note(NamedTuple):
    """A report's word on a failure."""

    filed: FiledReport
    run: RunSummary
    blame: Blame


def notes_on(material: Material, name: str) -> Iterator[Note]:
    """Yield what the newest report on each run says of its failure at the eval ``name``."""
    for filed in material.blaming.get(name, ()):
        run = material.runs.get(filed.report.run)
        said = run and blame_of_any(blames(material, run.run_id), name)
        if run and said and said.href.startswith(filed_path(filed)):
            yield Note(filed, run, said)


def note_lines(root: str, notes: Iterable[Note]) -> str:
    """Return a line for each note."""
    return trusted("".join([_line(root, *one) for one in notes]))


def _line(root: str, filed: FiledReport, run: RunSummary, blame: Blame) -> str:
    said = f' <span class="note">{escaped(blame.note)}</span>' if blame.note else ""
    return (
        f'<li><a href="{root}{escaped(model_path(run.slug))}">{escaped(run.name)}</a>: '
        f'<a class="blame" href="{root}{escaped(blame.href)}">{blame.kind}</a>{said}'
        f' <small>in <a href="{root}{escaped(filed_path(filed))}">'
        f"{escaped(report_title(filed, run.name))}</a></small></li>\n"
    )
