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


class ColumnType(NamedTuple):
    """The type of a column, by the names that it has in each format."""

    words: str
    """Its name for people; a choice of texts is spelled out."""
    croissant: str
    arrow: Sequence[str]
    """The function of pyarrow that makes it, and the arguments of this."""


_TYPES = {
    "string": ColumnType("text", "sc:Text", ("string",)),
    "integer": ColumnType("whole number", "sc:Integer", ("int64",)),
    "number": ColumnType("number", "sc:Float", ("float64",)),
    "boolean": ColumnType("true or false", "sc:Boolean", ("bool_",)),
    "date": ColumnType("day", "sc:Date", ("date32",)),
    "date-time": ColumnType("time", "sc:DateTime", ("timestamp", "us", "UTC")),
}
"""The types of columns by their type or format in JSON Schema."""


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    type: ColumnType
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
        """Return the columns in their order."""
        columns: list[TableColumn] = []
        for name, field in self.build_row_schema()["properties"].items():
            # A column has one type, and null beside it if it may be unknown.
            choices = field.get("anyOf", [field])
            (value,) = (choice for choice in choices if choice["type"] != "null")
            column_type = _TYPES[value.get("format", value["type"])]
            if "enum" in value:
                column_type = column_type._replace(words=" | ".join(value["enum"]))
            about = " ".join(field["description"].split())
            columns.append(TableColumn(name, column_type, len(choices) > 1, about))
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

    selected = dict.fromkeys(name for table in tables for name in table.names)
    names = list(selected or columns.model_fields)
    readers = _list_readers(columns)
    read = [readers[name] for name in names]
    rows = [tuple([read_value(source) for read_value in read]) for source in sources]
    # Of objects, because other types would turn whole numbers with unknown ones into fractions.
    return DataFrame(rows, columns=names, dtype=object)


@cache
def _list_readers(columns: type[Columns]) -> Mapping[str, Read]:
    below = f"{columns.UNDER}." if columns.UNDER else ""
    readers: dict[str, Read] = {}
    for name, field in columns.model_fields.items():
        places = (part for part in field.metadata if isinstance(part, str | Computed))
        place = next(places, below + name)
        readers[name] = place.read if isinstance(place, Computed) else _build_path_reader(place)
    return readers
