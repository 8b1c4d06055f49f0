"""The descriptions of a snapshot: data dictionary, README, and `croissant.json` for searches."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from generator.snapshot.snapshot_files import ListedFile
from generator.tables.columns import ResultTable


def build_data_dictionary(
    tables: Iterable[tuple[str, ResultTable]], terms: Mapping[str, str]
) -> dict[str, Any]:
    """Return the dictionary of tables, each with its file."""
    return {
        "schema_version": 1,
        "about": "Each column of each table. Unknown is null, or an empty field in CSV, never 0.",
        **terms,
        "tables": [
            {
                "file": file,
                "about": table.about,
                "columns": [
                    column._asdict() | {"type": column.type.words}
                    for column in table.list_columns()
                ],
            }
            for file, table in tables
        ],
    }


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "conformsTo": "dct:conformsTo",
    **{
        name: f"cr:{name}"
        for name in (
            *("citeAs", "column", "containedIn", "equivalentProperty", "extract", "field"),
            *("fileObject", "fileProperty", "samplingRate", "fileSet", "format", "includes"),
            *("isLiveDataset", "jsonPath", "key", "md5"),
            *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace"),
            *("separator", "source", "subField", "transform"),
        )
    },
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}


class DatasetFacts(NamedTuple):
    """A snapshot as a dataset."""

    name: str
    title: str
    address: str
    """The site's."""
    about: str
    creators: Sequence[str]
    day: date | None
    """The day of the newest run of which a day is known."""
    terms: Mapping[str, str]

    @property
    def reach(self) -> str | None:
        """The results that it has, as a part of a title."""
        return None if self.day is None else f"results up to {self.day.isoformat()}"

    @property
    def citation(self) -> str:
        """The words by which it is cited."""
        return ", ".join(filter(None, (self.title, self.address, self.reach)))


def build_croissant(
    dataset: DatasetFacts,
    files: Sequence[ListedFile],
    tables: Sequence[tuple[str, ResultTable]],
) -> dict[str, Any]:
    """Describe a snapshot: its files with checksums, and the columns of its tables.

    Args:
        dataset: facts on the whole.
        files: all files but the lists of files.
        tables: the tables with their files.
    """
    day, terms = dataset.day, dataset.terms
    licence = terms.get("licence_address") or terms.get("licence")
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": dataset.name,
        "alternateName": dataset.title,
        "description": " ".join(filter(None, (dataset.about, terms.get("canary")))),
        **({} if licence is None else {"license": licence}),
        "url": dataset.address,
        "creator": [{"@type": "sc:Organization", "name": name} for name in dataset.creators],
        **(
            {}
            if day is None
            else {
                "datePublished": day.isoformat(),
                "version": f"{day.year}.{day.month}.{day.day}",
            }
        ),
        "isLiveDataset": False,
        "inLanguage": "en",
        "citeAs": dataset.citation,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.path,
                "name": file.path,
                "description": file.about,
                "contentUrl": file.path,
                "contentSize": f"{file.bytes} B",
                # Readers of Croissant know Parquet by a name that is older than the official one.
                "encodingFormat": file.media_type.replace("vnd.apache.parquet", "x-parquet"),
                "sha256": file.sha256,
            }
            for file in files
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "description": table.about,
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"{name}/{column.name}",
                        "name": f"{name}/{column.name}",
                        "description": column.about,
                        "dataType": column.type.croissant,
                        "source": {
                            "fileObject": {"@id": file},
                            "extract": {"column": column.name},
                        },
                    }
                    for column in table.list_columns()
                ],
            }
            for file, table in tables
            for name in (file.partition(".")[0],)
        ],
    }


def format_readme(dataset: DatasetFacts, files: Sequence[ListedFile]) -> str:
    """Return the page as Markdown."""
    rows = "".join(f"| `{file.path}` | {file.about} |\n" for file in files)
    terms = dataset.terms
    licence = ", ".join(terms[name] for name in ("licence", "licence_address") if name in terms)
    named = licence or "No licence is named for these results"
    canary = ""
    if "canary" in terms:
        canary = f"""
Please keep these files out of training data. They hold the canary of the suite:

    {terms["canary"]}
"""
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

{named}. Each imported result names its source.
{canary}
To cite them: {dataset.citation}.
"""
