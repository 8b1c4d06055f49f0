"""The page that comes with a snapshot, for people who have only its files."""

from collections.abc import Sequence

from generator.exports.terms import ResultTerms
from generator.snapshot.croissant import DatasetFacts
from generator.snapshot.file_list import ListedFile


def format_readme(dataset: DatasetFacts, files: Sequence[ListedFile]) -> str:
    """Return the page as Markdown."""
    rows = "".join(f"| `{file.path}` | {file.about} |\n" for file in files)
    return f"""# {dataset.title}: {dataset.reach or "results"}

{dataset.about} The pages: <{dataset.address}>.

Scores are comparable within one benchmark version only. Unknown is null, or an empty field in CSV,
never 0. An attempt that ended as `infrastructure` or `not_run` is neither passed nor failed. Tasks
and answers are not among the files.

| file | content |
|---|---|
{rows}
`manifest.json` has the size and the SHA-256 of each file; `sha256sum -c SHA256SUMS` compares them.

## Terms

{_format_terms(dataset.terms)}
To cite them: {dataset.citation}.
"""


def _format_terms(terms: ResultTerms) -> str:
    """Return paragraphs about licence and canary."""
    licence = ", ".join(filter(None, (terms.licence, terms.licence_address)))
    named = licence or "No licence is named for these results"
    sentences = f"{named}. Each imported result names its source.\n"
    if terms.canary is None:
        return sentences
    return f"""{sentences}
Please keep these files out of training data. They hold the canary of the suite:

    {terms.canary}
"""
