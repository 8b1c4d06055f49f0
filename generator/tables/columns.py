"""Columns, frames and tables: a column is declared once, and tables select columns of a frame.

A subclass of `Columns` declares the columns of one kind of row: the name, the type and the meaning
of each, and in `Annotated` the place of its value in the source of a row. A frame has a row for
each source, for example each run. A table is a selection of columns of a frame. JSON, CSV and
Parquet are made from tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from records.shapes.base import Record

if TYPE_CHECKING:
    from pandas import DataFrame  # pyright: ignore[reportMissingTypeStubs] - pandas has none

Read = Callable[[Any], object]
"""A function that reads the value of a column from the source of a row."""


class Columns(Record):
    """The columns of one kind of row, each with the place of its value in the source of the row.

    A place is a path of fields, such as ``row.rank?.low``: if a field before a question mark is
    None, the column is null. A column without a place is the field of its name.
    """

    UNDER: ClassVar[str] = ""
    """The part of the source with the fields of columns without a place; empty for the source."""


def _build_path_reader(path: str) -> Read:
    start, mark, below = path.partition("?.")
    read = attrgetter(start)
    if not mark:
        return read
    read_below = _build_path_reader(below)

    def read_known(source: object) -> object:
        value = read(source)
        return None if value is None else read_below(value)

    return read_known


@dataclass(frozen=True, slots=True)
class Computed:
    """A function that computes the value of a column, in the stead of a place."""

    read: Read


class TableColumn(NamedTuple):
    """A column of a table, in words."""

    name: str
    type: str
    nullable: bool
    about: str


@dataclass(frozen=True, slots=True, eq=False)
class ResultTable:
    """A table: a selection of the columns of a frame."""

    name: str
    """Its name in addresses."""
    columns: type[Columns]
    names: Sequence[str] = ()
    """The selected columns in their order; by default all columns."""
    about: str = ""
    """What a row is; by default the docstring of the columns."""
    title: str = ""
    """The title of a row in the JSON Schema; by default the name of the columns' class."""

    def __post_init__(self) -> None:
        """Take the defaults from the columns."""
        about = (self.columns.__doc__ or "").partition("\n")[0]
        object.__setattr__(self, "names", tuple(self.names or self.columns.model_fields))
        object.__setattr__(self, "about", self.about or about)
        object.__setattr__(self, "title", self.title or self.columns.__name__)

    def build_row_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a row."""
        schema = self.columns.model_json_schema()
        fields = schema["properties"]
        properties = {
            name: {key: part for key, part in fields[name].items() if key != "default"}
            for name in self.names
        }
        about = {"title": self.title, "description": self.about}
        return schema | about | {"properties": properties, "required": list(self.names)}

    def list_columns(self) -> list[TableColumn]:
        """Return the columns in words, in their order."""
        schema = self.build_row_schema()
        definitions = schema.get("$defs", {})
        columns: list[TableColumn] = []
        for name, field in schema["properties"].items():
            choices = field.get("anyOf", [field])
            typed = [choice for choice in choices if choice.get("type") != "null"]
            columns.append(
                TableColumn(
                    name=name,
                    type=" or ".join(
                        dict.fromkeys(_describe_kind(choice, definitions) for choice in typed)
                    ),
                    nullable=len(typed) < len(choices),
                    about=" ".join(str(field.get("description", "")).split()),
                )
            )
        return columns

    def list_rows(self, frame: "DataFrame") -> list[dict[str, object]]:
        """Return the rows of the frame as values by the selected columns."""
        rows = frame[[*self.names]].to_dict("records")  # pyright: ignore[reportUnknownMemberType, reportCallIssue, reportUnknownVariableType] - pandas types it so
        return cast("list[dict[str, object]]", rows)


def build_frame(
    columns: type[Columns], sources: Iterable[object], *tables: ResultTable
) -> "DataFrame":
    """Return a frame with a row for each source, and the columns that ``tables`` select."""
    # Imported here, because pandas takes half a second, which a build without changes saves.
    from pandas import DataFrame  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - see above

    names = dict.fromkeys(name for table in tables for name in table.names)
    readers = _list_readers(columns)
    read = [readers[name] for name in names or columns.model_fields]
    rows = [tuple([read_value(source) for read_value in read]) for source in sources]
    # Of objects, because other types would turn whole numbers with unknown ones into fractions.
    return DataFrame(rows, columns=list(names or columns.model_fields), dtype=object)


@cache
def _list_readers(columns: type[Columns]) -> Mapping[str, Read]:
    below = f"{columns.UNDER}." if columns.UNDER else ""
    places: dict[str, str | Computed] = {
        name: next(
            (part for part in field.metadata if isinstance(part, str | Computed)), below + name
        )
        for name, field in columns.model_fields.items()
    }
    return {
        name: place.read if isinstance(place, Computed) else _build_path_reader(place)
        for name, place in places.items()
    }


_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}
_FORMATS = {"date": "day", "date-time": "time"}


def _describe_kind(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the type of a value in words; a choice of texts is spelled out."""
    if "$ref" in schema:
        return _describe_kind(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    return _FORMATS.get(schema.get("format", "")) or _KINDS[schema["type"]]
