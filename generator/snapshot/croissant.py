"""`croissant.json`: a snapshot described by Croissant 1.1, which searches for datasets read."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from generator.exports.terms import ResultTerms
from generator.snapshot.file_list import ListedFile
from generator.tables.columns import Table

CONFORMS_TO: Final = "http://mlcommons.org/croissant/1.1"

_CONTEXT: Final[dict[str, Any]] = {
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

_TYPES: Final[dict[object, str]] = {
    bool: "sc:Boolean",
    int: "sc:Integer",
    float: "sc:Float",
    date: "sc:Date",
    datetime: "sc:DateTime",
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
    terms: ResultTerms

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
    tables: Sequence[tuple[str, Table]],
) -> dict[str, Any]:
    """Describe a snapshot: its files with checksums, and the columns of its tables.

    Args:
        dataset: facts on the whole.
        files: all files but the lists of files.
        tables: the tables with their files.
    """
    day, terms = dataset.day, dataset.terms
    licence = terms.licence_address or terms.licence
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": dataset.name,
        "alternateName": dataset.title,
        "description": " ".join(filter(None, (dataset.about, terms.canary))),
        **({} if licence is None else {"license": licence}),
        "url": dataset.address,
        "creator": [{"@type": "sc:Organization", "name": name} for name in dataset.creators],
        **({} if day is None else _build_publication(day)),
        "isLiveDataset": False,
        "inLanguage": "en",
        "citeAs": dataset.citation,
        "distribution": [_build_file_object(file) for file in files],
        "recordSet": [_build_record_set(file, table) for file, table in tables],
    }


def _build_publication(day: date) -> dict[str, str]:
    return {"datePublished": day.isoformat(), "version": f"{day.year}.{day.month}.{day.day}"}


def _build_file_object(file: ListedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "description": file.about,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        # The name by which readers of Croissant know Parquet, which is older than the official one.
        "encodingFormat": file.media_type.replace("vnd.apache.parquet", "x-parquet"),
        "sha256": file.sha256,
    }


def _build_record_set(file: str, table: Table) -> dict[str, Any]:
    name = file.partition(".")[0]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": table.about,
        "field": list(_build_fields(file, name, table)),
    }


def _build_fields(file: str, name: str, table: Table) -> Iterator[dict[str, Any]]:
    for column in table.list_columns():
        yield {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": f"{name}/{column.name}",
            "description": column.about,
            "dataType": _TYPES.get(table.get_python_type(column.name), "sc:Text"),
            "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
        }
