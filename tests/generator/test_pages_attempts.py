"""The page of one attempt keeps its size, whatever an archive unpacks to."""

from generator.site.attempts import attempt_page
from records.artifacts import AttemptArtifact
from records.folder import DataFolder
from tests.generator.contexts import ROOT, site_of
from tests.records import examples

MOST_ON_PAGE = 2_100_000
MOST_BESIDE = 16_000_000


def pages_of(artifact: AttemptArtifact) -> tuple[int, int]:
    """Return the characters of texts on the attempt's page, and beside it."""
    everything = site_of(DataFolder(ROOT / "data"))
    summary = next(run for run in everything.summaries.runs if run.kept)
    found = attempt_page(everything, summary, examples.attempt(artifact.eval), artifact)
    shown = sum(len(file.plain.text) for file in found.page.files if file.plain)
    shown += sum(
        len(row.left_html) + len(row.right_html) for file in found.page.files for row in file.rows
    )
    shown += sum(len(said.text.text) for said in found.page.messages)
    shown += sum(len(step.log.text) for step in found.page.steps if step.log)
    return shown, sum(map(len, found.beside.values()))


def test_a_zip_bomb_makes_no_large_page() -> None:
    """Files of a hundred megabytes in all: the page counts what it leaves out."""
    files = {f"convex/f{number}.ts": "x" * 100_000 for number in range(1_000)}
    shown, beside = pages_of(
        examples.artifact("009-new/000-new").model_copy(update={"files": files})
    )
    assert shown <= MOST_ON_PAGE
    assert 0 < beside <= MOST_BESIDE
