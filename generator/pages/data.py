"""The page of published data: all tables with their columns, as their rows define them."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from generator.exports.badges import badge_path
from generator.exports.featured import newest_entries
from generator.exports.formats import ROOT
from generator.exports.table_rows import TABLES, ExportRow
from generator.facts.page_frame import page_frame
from generator.facts.site_data import SiteData
from generator.facts.urls import card_path, model_path
from generator.render.environment import Frame
from records.schemas.documented import DocumentedSchema


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: str
    """The type in words."""
    nullable: bool
    about: str


class TableDescription(NamedTuple):
    """A published table."""

    name: str
    about: str
    href: str
    """The path of the table's files below the root, without `.json` or `.csv`."""
    schema_href: str
    columns: Sequence[TableColumn]


class Badge(NamedTuple):
    """The badge of a model, which other sites may show."""

    name: str
    picture: str
    """The full address of the badge."""
    page: str
    """The full address of the model's page."""
    card: str
    """The full address of the model's card for link previews."""


class DataPage(NamedTuple):
    """The page of published data."""

    template = "pages/data.html"

    frame: Frame
    address: str
    """The address of the site, with a slash at its end."""
    tables: Sequence[TableDescription]
    badge: Badge | None
    """The badge of the first model of the front page, as an example; None without models."""


def data_page(site: SiteData) -> DataPage:
    """Return the page of published data."""
    address = str(site.settings.address).rstrip("/") + "/"
    return DataPage(
        frame=page_frame(
            "Data",
            "data/",
            "Every number of the site as JSON and CSV: tables, columns, licence, examples.",
            "data",
        ),
        address=address,
        tables=[_table(kind) for kind in TABLES],
        badge=_badge(site, address),
    )


def _badge(site: SiteData, address: str) -> Badge | None:
    models = [entry.newest for _, entry in newest_entries(site) if not entry.newest.baseline]
    if not models:
        return None
    run = models[0]
    return Badge(
        name=run.name,
        picture=address + badge_path(run.slug),
        page=address + model_path(run.slug),
        card=address + card_path(run.slug),
    )


@cache
def _table(kind: type[ExportRow]) -> TableDescription:
    schema = kind.model_json_schema(schema_generator=DocumentedSchema)
    definitions = schema.get("$defs", {})
    return TableDescription(
        name=kind.table,
        about=(kind.__doc__ or "").strip().splitlines()[0],
        href=f"{ROOT}/{kind.table}",
        schema_href=f"{ROOT}/schemas/{kind.table}.json",
        columns=[_column(name, field, definitions) for name, field in schema["properties"].items()],
    )


_KINDS: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}
_FORMATS: Final = {"date": "day", "date-time": "time"}


def _column(name: str, field: Mapping[str, Any], definitions: Mapping[str, Any]) -> TableColumn:
    choices = field.get("anyOf", [field])
    kinds = [_kind(choice, definitions) for choice in choices if choice.get("type") != "null"]
    return TableColumn(
        name=name,
        kind=" or ".join(dict.fromkeys(kinds)),
        nullable=any(choice.get("type") == "null" for choice in choices),
        about=" ".join(str(field.get("description", "")).split()),
    )


def _kind(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the type of a value in words; for an enumeration, all its values."""
    if "$ref" in schema:
        return _kind(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    return _FORMATS.get(schema.get("format", "")) or _KINDS[schema["type"]]
